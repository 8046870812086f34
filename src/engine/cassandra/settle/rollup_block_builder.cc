// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/rollup_block_builder.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/check.h"
#include "engine/shared/cells.h"
#include "engine/shared/sorted_union.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::cassandra {

using model::TimeRange;
using model::Timestamp;
using rollup::Windows;

namespace {

void take_inside(Windows& list, const TimeRanges& ranges) {
  std::erase_if(list, [&](const rollup::Window& w) { return !overlaps(ranges, {w.start, w.start + 1}); });
}
void take_outside(Windows& list, const TimeRanges& ranges) {
  std::erase_if(list, [&](const rollup::Window& w) { return overlaps(ranges, {w.start, w.start + 1}); });
}

// Of two samples at one time the one with the greater rank counts; of equally late ones that of the other group, where
// it is first.
constexpr std::uint64_t kRankAlways = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t rank_of(std::uint64_t arrival_us, bool first) { return 2 * arrival_us + (first ? 1 : 0); }

bool is_inside(TimeRange inner, const TimeRanges& ranges) {
  return std::ranges::any_of(ranges,
                             [inner](TimeRange one) { return one.first <= inner.first && inner.last <= one.last; });
}

}  // namespace

RollupBlockBuilder::RollupBlockBuilder(const RollupBlockLevel& level, const RollupBlockWork& work, std::int64_t now_ms)
    : level_(level),
      work_(work),
      now_ms_(now_ms),
      series_(work.group.columns),
      late_(work.group.columns),
      stats_(work.group.columns),
      excluded_(work.group.columns) {
  check(work.kinds.size() == work.group.columns, "each column has a kind");
  check(level.table.row_ms % level.width_ms == 0 && level.table.row_ms % level.finer.row_ms == 0,
        "a rollup block holds whole windows, and whole rows that they are made of");
}

std::size_t RollupBlockBuilder::columns_in(unsigned shard) const {
  return std::min<std::size_t>(kSeriesPerColumnShard, series_.size() - std::size_t{shard} * kSeriesPerColumnShard);
}

// The windows that a row of what is finer has a part in.
void RollupBlockBuilder::close(Timestamp start) {
  const Timestamp last = start + level_.finer.row_ms - 1;
  closed_.push_back(
      {model::window_start(start, level_.width_ms), model::window_start(last, level_.width_ms) + level_.width_ms});
}

void RollupBlockBuilder::name(unsigned shard, const std::vector<Arrival>& arrivals) {
  check(std::ranges::is_sorted(arrivals), "arrivals ascend");
  shared::add_sorted(named_[shard], arrivals);
}

Status RollupBlockBuilder::add_stored(unsigned shard, const RowView& view) {
  check(shard < column_shards_of(series_.size()), "a part of the group");
  VARVE_ASSIGN_OR_RETURN(const ChunkRow row, chunk_row(view, kRollupBlockFields));
  found_ = stands_ = true;
  VARVE_ASSIGN_OR_RETURN(const ColumnShardStats stats, decode_stats(row.stats, row.start));
  version_ = std::max(version_, stats.version);
  VARVE_ASSIGN_OR_RETURN(counted_[shard], decode_arrivals(row.added));
  VARVE_ASSIGN_OR_RETURN(auto block, open_windows(row.chunk));
  blocks_.push_back(block);
  for (std::size_t c = 0; c < columns_in(shard); ++c) {
    Stored& stored = stored_[std::size_t{shard} * kSeriesPerColumnShard + c];
    stored.version = stats.version;
    if (c < stats.series.size()) stored.stats = stats.series[c];
    if (block == nullptr) continue;
    VARVE_ASSIGN_OR_RETURN(stored.windows, windows_of(*block, static_cast<unsigned>(c)));
  }
  return {};
}

// What is counted in the finer one is counted in this, too.
Status RollupBlockBuilder::add_finer(unsigned shard, const RowView& view) {
  check(shard < column_shards_of(series_.size()), "a part of the group");
  VARVE_ASSIGN_OR_RETURN(const ChunkRow row, chunk_row(view, kRollupBlockFields));
  found_ = true;
  ++finer_shards_[row.start];
  VARVE_ASSIGN_OR_RETURN(const ColumnShardStats stats, decode_stats(row.stats, row.start));
  VARVE_ASSIGN_OR_RETURN(const auto added, decode_arrivals(row.added));
  name(shard, added);
  VARVE_ASSIGN_OR_RETURN(auto block, open_windows(row.chunk));
  blocks_.push_back(block);
  for (std::size_t c = 0; c < columns_in(shard); ++c) {
    const std::size_t column = std::size_t{shard} * kSeriesPerColumnShard + c;
    if (c < stats.series.size()) stats_[column].add(stats.series[c]);
  }
  if (block != nullptr) finer_.emplace(std::pair(row.start, shard), std::move(block));
  return {};
}

// In order of time: summaries of counters are joined.
Status RollupBlockBuilder::finish_rows() {
  for (const auto& [place, block] : finer_) {
    const unsigned shard = place.second;
    for (std::size_t c = 0; c < columns_in(shard); ++c) {
      VARVE_ASSIGN_OR_RETURN(const SeriesWindows finer, windows_of(*block, static_cast<unsigned>(c)));
      add(std::size_t{shard} * kSeriesPerColumnShard + c, finer.kind, finer.numbers, finer.texts);
    }
  }
  return {};
}

std::vector<Timestamp> RollupBlockBuilder::near_slots(GroupRetentions::Number kept) const {
  std::vector<Timestamp> slots;
  const std::int64_t nearest_end_ms = level_.nearest_ends_ms[kept];
  for (Timestamp slot = work_.start; slot < range().last; slot += level_.slot_ms) {
    const Timestamp end = slot + level_.slot_ms;
    if (shared::is_over(end, nearest_end_ms, now_ms_ + kGoneMarginMs + kHotKeptMs)) slots.push_back(slot);
  }
  return slots;
}

Status RollupBlockBuilder::exclude(const RollupBlockWork::Elsewhere& elsewhere, const std::vector<SlotData>& slots) {
  check(level_.of_samples && elsewhere.column < excluded_.size(), "a column of the group, of samples");
  const std::uint16_t column = elsewhere.column_there;
  for (const SlotData& data : slots) {
    VARVE_RETURN_IF_ERROR(gather_columns(data, {&column, 1}, gather_));
    gather_.finish();
    if (gather_.times().empty()) continue;
    VARVE_ASSIGN_OR_RETURN(const auto arrivals,
                           arrivals_of(data, column / kSeriesPerColumnShard, elsewhere.group.columns, gather_.times()));
    const chunk::Column& found = gather_.columns()[0];
    for (std::size_t i = 0; i < gather_.times().size(); ++i) {
      if (found.form == chunk::Column::Form::typed && found.types[i] == chunk::kErased) continue;
      std::uint64_t& rank = excluded_[elsewhere.column][gather_.times()[i]];
      rank = std::max(rank, elsewhere.always ? kRankAlways : rank_of(arrivals[i], elsewhere.first));
    }
  }
  return {};
}

// A slot whose sealed rows are there is whole, with its hot rows. Of one whose time ends they may be gone; then the
// rollup block as it stands says what was in them.
Status RollupBlockBuilder::add_slots(const std::vector<SlotData>& slots) {
  found_ = found_ || !slots.empty();
  const unsigned shards = column_shards_of(series_.size());
  std::set<Timestamp> whole;
  for (const SlotData& data : slots) {
    if (data.stored_shards == shards) whole.insert(data.slot);
  }
  for (Timestamp slot = work_.start; stands_ && slot < range().last; slot += level_.slot_ms) {
    if (shared::is_closed(finer_kept(slot), whole.contains(slot))) close(slot);
  }
  join(closed_);
  shared::SeriesFolder folder(level_.width_ms);
  for (const SlotData& data : slots) {
    if (is_inside({data.slot, data.slot + level_.slot_ms}, closed_)) continue;
    for (unsigned shard = 0; shard < shards; ++shard) {
      name(shard, data.arrivals);
      VARVE_RETURN_IF_ERROR(add_shard(data, shard, folder));
    }
  }
  return {};
}

Status RollupBlockBuilder::add_shard(const SlotData& data, unsigned shard, shared::SeriesFolder& folder) {
  const std::vector<std::uint16_t> columns = columns_of_shard(shard, series_.size());
  VARVE_RETURN_IF_ERROR(gather_columns(data, columns, gather_));
  gather_.finish();
  if (gather_.times().empty()) return {};
  std::vector<std::uint64_t> arrivals;
  if (std::ranges::any_of(columns, [&](std::uint16_t column) { return !excluded_[column].empty(); })) {
    VARVE_ASSIGN_OR_RETURN(arrivals, arrivals_of(data, shard, series_.size(), gather_.times()));
  }
  folder.start_group();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::size_t column = columns[c];
    stats_[column].add(shared::stats_of(gather_.times(), gather_.columns()[c]));
    if (excluded_[column].empty()) {
      folder.fold(gather_.times(), gather_.columns()[c], work_.counter_of(column));
    } else {
      fold_rest(column, gather_.columns()[c], arrivals, folder);
    }
    add(column, work_.kinds[column], folder.numbers(), folder.texts());
    if (!excluded_[column].empty()) folder.start_group();
  }
  return {};
}

// Without the times that another group counts. `arrivals`: of our own samples.
void RollupBlockBuilder::fold_rest(std::size_t number, const chunk::Column& column,
                                   std::span<const std::uint64_t> arrivals, shared::SeriesFolder& folder) {
  const auto& excluded = excluded_[number];
  const auto all = gather_.times();
  check(arrivals.size() == all.size(), "each sample has arrived");
  eraser_.erase_rows(all, {&column, 1}, [&](Timestamp time) {
    const auto other = excluded.find(time);
    if (other == excluded.end()) return false;
    const auto own = static_cast<std::size_t>(std::ranges::lower_bound(all, time) - all.begin());
    return other->second > rank_of(arrivals[own], false);
  });
  folder.start_group();
  if (eraser_.empty()) {
    folder.fold({}, chunk::Column{});
  } else {
    folder.fold(eraser_.times(), eraser_.columns()[0], work_.counter_of(number));
  }
}

void RollupBlockBuilder::add(std::size_t column, rollup::Kind kind, const Windows& numbers, const Windows& texts) {
  SeriesWindows& series = series_[column];
  if (!numbers.empty()) series.kind = kind;
  add(series.numbers, numbers);
  add(series.texts, texts);
}

// What was folded of one slot is gone with the next: its texts are copied.
void RollupBlockBuilder::add(Windows& to, const Windows& finer) {
  if (finer.empty()) return;
  coarser_.clear();
  coarser_parts_.clear();
  rollup::coarsen(finer, level_.width_ms, coarser_, coarser_parts_);
  // A finer rollup block may begin before this one, or end after it.
  std::erase_if(coarser_, [&](const rollup::Window& window) { return !range().contains(window.start); });
  if (coarser_.empty()) return;
  for (rollup::Window& window : coarser_) rollup::own_parts(window, parts_);
  if (to.empty() || to.back().start < coarser_.front().start) {
    to.insert(to.end(), coarser_.begin(), coarser_.end());
  } else {
    to = rollup::merged(to, coarser_, parts_);
  }
}

std::vector<Timestamp> RollupBlockBuilder::named_slots() const {
  const bool any = std::ranges::any_of(named_, [](const auto& of_shard) { return !of_shard.second.empty(); });
  return level_.of_samples || !any ? std::vector<Timestamp>() : near_slots(work_.group.cells.kept);
}

// What is deleted, or is behind its slot's mark, is never read again.
void RollupBlockBuilder::forget_names(const std::vector<SlotData>& slots) {
  std::vector<Arrival> readable;
  for (const SlotData& data : slots) readable.insert(readable.end(), data.arrivals.begin(), data.arrivals.end());
  std::ranges::sort(readable);
  for (auto& [shard, names] : named_) {
    std::erase_if(names, [&](const Arrival& name) { return !std::ranges::binary_search(readable, name); });
  }
}

std::vector<Timestamp> RollupBlockBuilder::closed_slots() {
  if (!level_.of_samples) {
    const unsigned shards = column_shards_of(series_.size());
    for (Timestamp row = work_.start; row < range().last; row += level_.finer.row_ms) {
      if (shared::is_closed(finer_kept(row), finer_shards_[row] >= shards)) close(row);
    }
    join(closed_);
  }
  std::vector<Timestamp> slots;
  for (Timestamp slot = work_.start; slot < range().last; slot += level_.slot_ms) {
    if (overlaps(closed_, {slot, slot + level_.slot_ms})) slots.push_back(slot);
  }
  return slots;
}

// Hot rows without those that are counted.
Status RollupBlockBuilder::add_late(unsigned shard, const std::vector<SlotData>& slots) {
  check(!closed_.empty() || slots.empty(), "what is late is added to closed windows");
  const std::vector<std::uint16_t> columns = columns_of_shard(shard, series_.size());
  shared::SeriesFolder folder(level_.width_ms);
  for (const SlotData& data : slots) {
    found_ = true;
    name(shard, data.arrivals);
    VARVE_RETURN_IF_ERROR(gather_columns(data, columns, gather_));
    gather_.finish();
    if (gather_.times().empty()) continue;
    folder.start_group();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      SeriesWindows& series = late_[columns[c]];
      folder.fold(gather_.times(), gather_.columns()[c], work_.counter_of(columns[c]));
      series.kind = work_.kinds[columns[c]];
      add(series.numbers, folder.numbers());
      add(series.texts, folder.texts());
      stats_[columns[c]].add(shared::stats_of(gather_.times(), gather_.columns()[c]));
    }
  }
  return {};
}

// Whole windows of deletes that the rollup block as it stands has not seen.
void RollupBlockBuilder::erase_stored(std::size_t column, Stored& stored) const {
  for (const Erasure& erasure : erasures_) {
    if (stored.version > erasure.blocks || !std::ranges::binary_search(erasure.columns, column)) continue;
    const auto goes = [&](const rollup::Window& w) {
      return w.start >= erasure.range.first && w.start + level_.width_ms <= erasure.range.last;
    };
    std::erase_if(stored.windows.numbers, goes);
    std::erase_if(stored.windows.texts, goes);
  }
}

// Closed windows stay as they stand, with what is late.
void RollupBlockBuilder::keep(std::size_t column, Stored& stored) {
  erase_stored(column, stored);
  SeriesWindows& series = series_[column];
  SeriesWindows& late = late_[column];
  if (series.numbers.empty()) series.kind = stored.windows.numbers.empty() ? late.kind : stored.windows.kind;
  std::uint64_t points = 0;
  const auto put = [&](Windows& kept, Windows& more, Windows& fresh) {
    take_inside(kept, closed_);
    take_inside(more, closed_);
    take_outside(fresh, closed_);
    for (const rollup::Window& window : kept) points += window.count;
    const Windows old = rollup::merged(kept, more, parts_);
    fresh = rollup::merged(old, fresh, parts_);
  };
  put(stored.windows.numbers, late.numbers, series.numbers);
  put(stored.windows.texts, late.texts, series.texts);
  if (points == 0) return;
  // What is not a number was counted, too, but nobody knows when.
  storage::SeriesStats stats = stored.stats;
  stats.points = points;
  stats_[column].add(stats);
}

void RollupBlockBuilder::finish(std::int64_t version, std::vector<RowWrite>& rows, std::uint64_t& windows) {
  if (!found_ || !shared::may_make(level_.table.kept(work_.group.cells.kept, work_.start, now_ms_), stands_)) return;
  check(version > version_, "a rollup block is written over what it was made of");
  if (!closed_.empty()) {
    for (std::size_t column = 0; column < series_.size(); ++column) keep(column, stored_[column]);
  }
  WindowEncoder encoder;
  for (unsigned shard = 0; shard < column_shards_of(series_.size()); ++shard) {
    const std::size_t first = std::size_t{shard} * kSeriesPerColumnShard;
    const std::span<const SeriesWindows> series = std::span(series_).subspan(first, columns_in(shard));
    ChunkWrite row{work_.start, shard, encoder.encode(series), {version, {}}, std::move(named_[shard])};
    row.stats.series.assign(stats_.begin() + static_cast<std::ptrdiff_t>(first),
                            stats_.begin() + static_cast<std::ptrdiff_t>(first + series.size()));
    add_write(rows, level_.table, work_.group.cells, row, now_ms_);
    for (const SeriesWindows& one : series) windows += one.numbers.size() + one.texts.size();
  }
}

}  // namespace varve::engine::cassandra
