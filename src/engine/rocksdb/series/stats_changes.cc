// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/series/stats_changes.h"

#include <algorithm>
#include <vector>

#include "engine/shared/cells.h"

namespace varve::engine::rocksdb {

StatsChanges::Packed StatsChanges::pack(const Page& page) {
  std::vector<Packed::Row> rows(page.size());
  const auto* const some = std::ranges::find_if(page, [](const Change& change) { return change.added.points > 0; });
  for (std::size_t i = 0; i < page.size(); ++i) {
    const auto& [added, lost, forgotten] = page[i];
    const auto& times = added.points > 0 || some == page.end() ? added : some->added;  // keeps the columns narrow
    const auto first = static_cast<std::uint64_t>(times.first_ms);
    rows[i] = {first, static_cast<std::uint64_t>(times.last_ms) - first, added.points, added.types, lost, forgotten};
  }
  return Packed(rows);
}

void StatsChanges::unpack(const Packed& packed, Page& page) {
  for (std::size_t i = 0; i < page.size(); ++i) {
    const auto [first, length, points, types, lost, forgotten] = packed[i];
    page[i] = {{}, lost, forgotten != 0};
    if (points == 0) continue;
    page[i].added = {static_cast<model::Timestamp>(first), static_cast<model::Timestamp>(first + length), points,
                     static_cast<std::uint8_t>(types)};
  }
}

void StatsChanges::close(Open& open) {
  if (open.page != nullptr) packed_.insert_or_assign(open.number, pack(*open.page));
}

StatsChanges::Change& StatsChanges::change_of(model::SeriesId series) {
  const std::uint32_t number = model::to_int(series) / StatsPage::kSeries;
  Open& open = open_[number % kOpen];
  if (open.page == nullptr || open.number != number) {
    close(open);
    if (open.page == nullptr) open.page = std::make_unique<Page>();
    open.number = number;
    const auto before = packed_.find(number);
    static const Packed kUnchanged;
    unpack(before == packed_.end() ? kUnchanged : before->second, *open.page);
  }
  return (*open.page)[model::to_int(series) % StatsPage::kSeries];
}

void StatsChanges::add(std::span<const model::SeriesId> series, std::span<const model::Timestamp> times,
                       std::span<const chunk::Column> columns) {
  for (std::size_t c = 0; c < series.size(); ++c) {
    change_of(series[c]).added.add(shared::stats_of(times, columns[c]));
  }
}

void StatsChanges::rewritten(std::span<const model::SeriesId> series, const shared::Gather& gathered) {
  for (std::size_t c = 0; c < series.size(); ++c) {
    const std::uint64_t in = gathered.cells_gathered(c);
    const std::uint64_t out = shared::cells_in(gathered.columns()[c], gathered.times().size());
    if (in > out) subtract(series[c], in - out);
  }
}

void StatsChanges::subtract(model::SeriesId series, std::uint64_t points) { change_of(series).lost += points; }

void StatsChanges::forget(model::SeriesId series) { change_of(series).forgotten = true; }

bool StatsChanges::empty() const {
  return packed_.empty() && std::ranges::all_of(open_, [](const Open& open) { return open.page == nullptr; });
}

void StatsChanges::apply(const Change& change, storage::SeriesStats& stats) {
  stats.add(change.added);
  if (change.lost > 0) stats.points -= std::min(stats.points, change.lost);
  if (change.forgotten || stats.points == 0) stats = {};
}

StatsPages StatsChanges::apply(const StatsTable& stats) {
  for (Open& open : open_) close(open);
  const auto changes = std::make_unique<Page>();
  const auto rows = std::make_unique<StatsPage::Rows>();
  StatsPages changed;
  for (const auto& [number, packed] : packed_) {
    unpack(packed, *changes);
    const StatsPage* const known = stats.page(number);
    *rows = known == nullptr ? StatsPage::Rows{} : known->rows();
    for (std::size_t i = 0; i < StatsPage::kSeries; ++i) apply((*changes)[i], (*rows)[i]);
    changed.emplace_back(number, std::make_shared<const StatsPage>(*rows));
  }
  return changed;
}

}  // namespace varve::engine::rocksdb
