// SPDX-License-Identifier: Apache-2.0
// Forgetting: series of which nothing is left vanish from the index, and come back when they are written again.
//
// Nothing is left of a series if it was last seen before the oldest slot that its tenant still holds, or so long ago
// that the times to live of all its groups are over, or if no point of it is left and a look into the runs finds none;
// and if no head holds one of its line groups and no flush came meanwhile, which is looked at under the append lock.
// Writers keep their groups: a row of one that holds a forgotten series brings it back before the row is in the log.
// What is forgotten and revived is said in definition records. A search that was broken off begins anew at the next
// start. A tenant that is full (limits.series_per_tenant) gets no series back: those rows are left out.
//
// A series all of whose samples were replaced (by NaN, which is no number) keeps its name until the time of its windows
// is over, although those are empty: to see that they are, the windows of every series that no longer sends would have
// to be read. Deletes leave no empty windows behind.
#include <algorithm>

#include "base/log.h"
#include "engine/rocksdb/scan/scan.h"
#include "engine/rocksdb/store_state.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::uint32_t kLookAtOnce = 65'536;   // a second
constexpr std::size_t kForgetUnderLock = 1024;  // appends wait for so many
constexpr std::int64_t kLookEveryNs = 1'000'000'000;

// Notes which series have something.
class Found final : public storage::PieceSink {
 public:
  explicit Found(std::size_t series) : found_(series) {}
  bool takes_stats(const storage::ChunkStats&) override { return true; }
  void stats(const storage::ChunkStats& stats) override { found_[stats.series] = 1; }
  bool takes_windows(std::size_t, model::TimeRange, std::int64_t) override { return true; }
  [[nodiscard]] storage::WindowFields window_fields(std::size_t) const override { return {.histograms = true}; }
  void window_columns(const storage::WindowColumns& windows) override { found_[windows.series] = 1; }
  Status histogram_columns(const storage::HistogramColumns& windows) override {
    found_[windows.series] = 1;
    return {};
  }
  Status piece(const storage::Piece& piece) override {
    found_[piece.series] = 1;
    return {};
  }
  [[nodiscard]] bool has(std::size_t series) const { return found_[series] != 0; }

 private:
  std::vector<std::uint8_t> found_;  // each written by one thread at a time
};

}  // namespace

// The locks are taken in their order, so the append lock is not held when this is called.
Status Store::State::revive(std::span<const std::byte> rows) {
  Status full;
  const std::unique_lock lock(index_mutex);
  const std::lock_guard append(append_mutex);
  const std::lock_guard definitions(definitions_mutex);
  const std::byte* const end = rows.data() + rows.size();
  for (const std::byte* at = rows.data(); at != end;) {
    const model::RowView row{at};
    at += row.bytes();
    if (!forgotten_groups.contains(row.group())) continue;
    if (auto status = index.may_revive(row.group(), options.series_per_tenant_max); !status) {
      full = std::move(status);
      continue;
    }
    index.revive(row.group(), pending_definitions);
    forgotten_groups.remove(row.group());
  }
  return full;
}

// The log brings rows back behind the records that revived their series, unless those were lost and left out.
void Store::State::revive_heads() {
  std::vector<model::GroupId> groups;
  for (std::uint32_t s = 0; s < index.series_end(); ++s) {
    if (!index.is_forgotten(model::SeriesId{s})) continue;
    index.groups(model::SeriesId{s}, groups);
    for (const auto group : groups) {
      if (head->fragments(group) != nullptr) index.revive(group, pending_definitions);
    }
  }
  for (std::uint32_t s = 0; s < index.series_end(); ++s) {
    if (!index.is_forgotten(model::SeriesId{s})) continue;
    index.groups(model::SeriesId{s}, groups);
    for (const auto group : groups) forgotten_groups.add(group);
  }
  forget_scan.left = static_cast<std::uint32_t>(index.series_end());
}

void Store::State::look_for_empty_series() {
  const std::shared_lock lock(index_mutex);
  forget_scan.left = static_cast<std::uint32_t>(index.series_end());
}

bool Store::State::forget_due() const {
  return forget_scan.left > 0 && clock.steady_ns() - forget_scan.last_ns >= kLookEveryNs;
}

// The beginning of the oldest slot that holds anything, of each tenant that has one.
std::map<model::TenantId, model::Timestamp> Store::State::oldest_kept() const {
  std::map<model::TenantId, model::Timestamp> oldest;
  const auto current = runs_now();
  for (const auto& [slot, of_slot] : current->slots) {
    if (of_slot.runs.empty()) continue;
    const auto [at, is_new] = oldest.try_emplace(slot.tenant, slot.start);
    at->second = std::min(at->second, slot.start);
  }
  return oldest;
}

void Store::State::forget_some() {
  forget_scan.last_ns = clock.steady_ns();
  std::unique_lock no_commit(commit_mutex);  // runs and lives are of one moment
  const auto oldest = oldest_kept();
  const std::int64_t now_ms = clock.now_ms();
  // All that it has had have outlived their time.
  const auto is_over = [&](model::SeriesId series, const storage::SeriesLife& life) {
    std::vector<index::Place> places;
    index.places(series, places);
    return std::ranges::all_of(places, [&](const index::Place& place) {
      return place.ttl_s != 0 && life.last_ms < shared::alive_from(place.ttl_s, now_ms);
    });
  };
  std::vector<Empty> over;
  std::map<model::TenantId, std::vector<model::SeriesId>> doubtful;
  {
    const std::shared_lock lock(index_mutex);
    const bool mortals = index.has_mortal_groups();
    const auto end = static_cast<std::uint32_t>(index.series_end());
    for (std::uint32_t i = std::min(kLookAtOnce, forget_scan.left); i > 0; --i, --forget_scan.left) {
      if (forget_scan.next >= end) forget_scan.next = 0;
      const model::SeriesId series{forget_scan.next++};
      if (index.is_forgotten(series)) continue;
      const auto life = lives.of(series);
      const model::TenantId tenant = index.series_tenant(series);
      const auto kept = oldest.find(tenant);
      if (life.points == 0 && kept != oldest.end()) {
        doubtful[tenant].push_back(series);
      } else if (life.points == 0 || kept == oldest.end() || life.last_ms < kept->second ||
                 (mortals && is_over(series, life))) {
        over.push_back({series, life.points});
      }
    }
  }
  no_commit.unlock();
  for (auto& [tenant, series] : doubtful) {
    if (auto status = drop_those_with_data(tenant, series); !status) {
      log::warn("series cannot be looked at", {{"error", status.error().message}});
      continue;  // they stay
    }
    for (const auto one : series) over.push_back({one, 0});
  }
  forget(over);
}

Status Store::State::forget_empty(std::span<const model::SeriesId> series) {
  std::map<model::TenantId, std::vector<model::SeriesId>> by_tenant;
  {
    const std::shared_lock lock(index_mutex);
    for (const auto one : series) {
      if (!index.is_forgotten(one)) by_tenant[index.series_tenant(one)].push_back(one);
    }
  }
  for (auto& [tenant, of_tenant] : by_tenant) {
    VARVE_CHECK_OK(drop_those_with_data(tenant, of_tenant));
    std::vector<Empty> empty;
    for (const auto one : of_tenant) empty.push_back({one, 0});
    forget(empty);
  }
  return {};
}

// Leaves those of which nothing is in the runs: no sample, and no window. Where points are left, nothing is read.
Status Store::State::drop_those_with_data(model::TenantId tenant, std::vector<model::SeriesId>& series) {
  {
    const std::lock_guard no_commit(commit_mutex);
    std::erase_if(series, [this](model::SeriesId one) { return lives.of(one).points > 0; });
  }
  std::vector<Place> places;
  {
    std::vector<index::Place> of_one;
    const std::shared_lock lock(index_mutex);
    for (std::uint32_t i = 0; i < series.size(); ++i) {
      index.places(series[i], of_one);
      for (const auto& place : of_one) places.push_back({model::to_int(place.group), place.column, i, place.ttl_s});
    }
  }
  if (places.empty()) return {};
  View only_runs = view();
  only_runs.frozen = nullptr;
  only_runs.head = std::make_shared<const Head>(slabs, chunk_width);
  const auto* const rollups = options.rollups.levels.empty() ? nullptr : &options.rollups;
  const std::vector<std::uint8_t> counters(series.size(), 1);  // extremes are not asked for
  const ScanSource source{only_runs, append_mutex, *database, cache,  clock,
                          tenant,    chunk_width,  rollups,   series, counters};
  Found found(series.size());
  VARVE_CHECK_OK(scan_places(source, std::move(places), {}, scan_pool, found));
  VARVE_CHECK_OK(step("forget.looked"));
  std::size_t at = 0;
  std::erase_if(series, [&](model::SeriesId) { return found.has(at++); });
  return {};
}

// Of which nothing was in the runs. What a flush brought there meanwhile shows in their points.
void Store::State::forget(std::span<const Empty> empty) {
  std::vector<model::SeriesId> sure;
  std::vector<model::GroupId> groups;
  for (; !empty.empty(); empty = empty.subspan(std::min(kForgetUnderLock, empty.size()))) {
    sure.clear();
    const std::unique_lock lock(index_mutex);
    const std::lock_guard append(append_mutex);
    for (const auto& [series, points] : empty.first(std::min(kForgetUnderLock, empty.size()))) {
      index.groups(series, groups);
      const bool waits =
          lives.of(series).points != points || std::ranges::any_of(groups, [this](model::GroupId group) {
            return head->fragments(group) != nullptr || (frozen != nullptr && frozen->fragments(group) != nullptr);
          });
      if (waits) continue;
      for (const auto group : groups) forgotten_groups.add(group);
      sure.push_back(series);
    }
    if (sure.empty()) continue;
    {
      const std::lock_guard definitions(definitions_mutex);
      index.forget(sure, pending_definitions);
    }
    if (auto status = write_log({}); !status) {
      log::warn("what was forgotten is not in the log yet", {{"error", status.error().message}});
    }
  }
}

void Store::forget_empty(model::TenantId tenant, std::span<const model::SeriesId> series) {
  const std::lock_guard lock(state_->maintenance_mutex);
  std::vector<model::SeriesId> own(series.begin(), series.end());
  {
    const std::shared_lock index_lock(state_->index_mutex);
    std::erase_if(own, [&](model::SeriesId one) { return state_->index.series_tenant(one) != tenant; });
  }
  if (auto status = state_->forget_empty(own); !status) {
    log::warn("series without data are not forgotten yet", {{"error", status.error().message}});
  }
}

}  // namespace varve::engine::rocksdb
