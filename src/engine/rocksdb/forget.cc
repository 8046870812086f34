// SPDX-License-Identifier: Apache-2.0
// Forgetting: series of which nothing is left vanish from the index, and come back when they are written again.
//
// Nothing is left of a series if it was last seen before the oldest slot that its tenant still holds, and longer ago
// than anything is kept; or so long ago that the times to live of all its groups are over; or if no point of it is left
// and a look into the runs finds none; and if no head holds one of its line groups and no flush came meanwhile, which
// is looked at under the append lock.
// Writers keep their groups: a row of one that holds a forgotten series brings it back before the row is in the log.
// What is forgotten and revived is said in definition records. A search that was broken off begins anew at the next
// start. A tenant that is full (limits.series_per_tenant) gets no series back: those rows are left out.
//
// A series all of whose samples were replaced (by NaN, which is no number) keeps its name until the time of its windows
// is over, although those are empty: to see that they are, the windows of every series that no longer sends would have
// to be read. Deletes leave no empty windows behind.
#include "engine/rocksdb/forget.h"

#include <algorithm>

#include "base/log.h"
#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/runs/known_levels.h"
#include "engine/rocksdb/scan/scan.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::uint32_t kLookAtOnce = 65'536;  // a second
constexpr std::size_t kForgetAtOnce = 1024;    // appends wait for so many
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

// The beginning of the oldest slot that holds anything, of each tenant that has one.
std::map<model::TenantId, model::Timestamp> oldest_kept(const Runs& runs) {
  std::map<model::TenantId, model::Timestamp> oldest;
  for (const auto& [slot, of_slot] : runs.slots) {
    if (of_slot.runs.empty()) continue;
    const auto [at, is_new] = oldest.try_emplace(slot.tenant, slot.start);
    at->second = std::min(at->second, slot.start);
  }
  return oldest;
}

// Would every retention have dropped what was seen last at that time? If not, a tenant without slots contradicts what
// is known of the series, and then nothing is known for sure.
bool is_dropped(const Env& env, model::Timestamp last_ms, std::int64_t now_ms) {
  return shared::is_over(last_ms + 1, env.longest_ms(env.classes.longest()), now_ms);
}

// Has all that the series has had outlived its times to live?
bool is_over(const index::SeriesIndex& index, model::SeriesId series, const storage::SeriesStats& stats,
             std::int64_t now_ms) {
  std::vector<index::Place> places;
  index.places(series, places);
  return std::ranges::all_of(
      places, [&](const index::Place& place) { return shared::is_ttl_over(stats.last_ms + 1, place.ttl_s, now_ms); });
}

}  // namespace

bool Forget::due() {
  start_if_asked();
  return left_ > 0 && env_.clock.steady_ns() - last_ns_ >= kLookEveryNs;
}

bool Forget::more() {
  start_if_asked();
  return left_ > 0;
}

// Round and round: all series that are there now.
void Forget::start_if_asked() {
  const std::uint64_t emptied = tables_.times_emptied();
  if (emptied == seen_emptied_) return;
  seen_emptied_ = emptied;
  const ReaderLock lock(catalog_.mutex);
  left_ = static_cast<std::uint32_t>(catalog_.index.series_end());
}

void Forget::some() {
  last_ns_ = env_.clock.steady_ns();
  const View view = visible_.now();  // runs and stats are of one moment
  const auto oldest = oldest_kept(*view.runs);
  const std::int64_t now_ms = env_.expiry.now_ms();
  std::vector<Empty> over;
  std::map<model::TenantId, std::vector<model::SeriesId>> doubtful;
  const std::uint32_t looks = std::min(kLookAtOnce, left_);
  for_each_in_pieces(catalog_.mutex, looks, [&](std::size_t) VARVE_REQUIRES_SHARED(catalog_.mutex) {
    if (next_ >= catalog_.index.series_end()) next_ = 0;
    const model::SeriesId series{next_++};
    if (catalog_.index.is_forgotten(series)) return;
    const auto stats = view.stats->of(series);
    const model::TenantId tenant = catalog_.index.series_tenant(series);
    const auto kept = oldest.find(tenant);
    const bool in_no_slot = kept == oldest.end() || stats.last_ms < kept->second;
    if (stats.points == 0 && kept != oldest.end()) {
      doubtful[tenant].push_back(series);
    } else if (stats.points == 0 || (in_no_slot && is_dropped(env_, stats.last_ms, now_ms)) ||
               (catalog_.index.has_mortal_groups() && is_over(catalog_.index, series, stats, now_ms)) ||
               is_class_over(env_, catalog_, series, stats.last_ms + 1, now_ms)) {
      over.push_back({series, stats.points});
    }
  });
  left_ -= looks;
  for (auto& [tenant, series] : doubtful) {
    if (auto status = drop_those_with_data(tenant, series); !status) {
      log::warn("series cannot be looked at", {{"error", status.error().message}});
      continue;  // they stay
    }
    for (const auto one : series) over.push_back({one, 0});
  }
  forget(over);
}

Status Forget::empty(model::TenantId tenant, std::span<const model::SeriesId> series) {
  std::vector<model::SeriesId> own;
  for_each_in_pieces(catalog_.mutex, series.size(), [&](std::size_t i) VARVE_REQUIRES_SHARED(catalog_.mutex) {
    if (catalog_.index.series_tenant(series[i]) == tenant && !catalog_.index.is_forgotten(series[i])) {
      own.push_back(series[i]);
    }
  });
  VARVE_RETURN_IF_ERROR(drop_those_with_data(tenant, own));
  std::vector<Empty> empty;
  for (const auto one : own) empty.push_back({one, 0});
  forget(empty);
  return {};
}

// Leaves those of which nothing is in the runs: no sample, and no window. Where points are left, nothing is read.
Status Forget::drop_those_with_data(model::TenantId tenant, std::vector<model::SeriesId>& series) {
  std::erase_if(series, [stats = tables_.stats()](model::SeriesId one) { return stats->of(one).points > 0; });
  std::vector<Place> places;
  std::vector<index::Place> of_one;
  for_each_in_pieces(catalog_.mutex, series.size(), [&](std::size_t i) VARVE_REQUIRES_SHARED(catalog_.mutex) {
    catalog_.index.places(series[i], of_one);
    const auto number = static_cast<std::uint32_t>(i);
    const auto kept = catalog_.retentions.class_of(catalog_.index, series[i]);
    for (const auto& place : of_one) {
      places.push_back({model::to_int(place.group), place.column, number, place.ttl_s, kept});
    }
  });
  if (places.empty()) return {};
  const View only_runs = tables_.view_of_runs();
  const std::vector<std::uint8_t> counters(series.size(), 1);  // extremes are not asked for
  ScanSource source = tables_.source(only_runs, tenant);
  rollup::Levels levels = env_.options.rollups;
  levels.levels = with_configured(env_.former, levels.levels);
  source.rollups = levels.levels.empty() ? nullptr : &levels;
  source.series = series;
  source.counters = counters;
  Found found(series.size());
  VARVE_RETURN_IF_ERROR(scan_places(source, std::move(places), {}, helpers_, found));
  VARVE_RETURN_IF_ERROR(env_.step("forget.looked"));
  std::size_t at = 0;
  std::erase_if(series, [&](model::SeriesId) { return found.has(at++); });
  return {};
}

// Of which nothing was in the runs. What a flush brought there meanwhile shows in their points.
void Forget::forget(std::span<const Empty> empty) {
  for (; !empty.empty(); empty = empty.subspan(std::min(kForgetAtOnce, empty.size()))) {
    const auto part = empty.first(std::min(kForgetAtOnce, empty.size()));
    std::vector<std::vector<model::GroupId>> groups(part.size());
    {
      const ReaderLock lock(catalog_.mutex);
      for (std::size_t i = 0; i < part.size(); ++i) catalog_.index.groups(part[i].series, groups[i]);
    }
    std::vector<model::SeriesId> sure;
    ingest_.between_appends([&] {
      const View now = visible_.now();
      const auto in_heads = [&](model::GroupId group) {
        return now.head->holds(group) || (now.immutable != nullptr && now.immutable->holds(group));
      };
      for (std::size_t i = 0; i < part.size(); ++i) {
        const auto& [series, points] = part[i];
        if (now.stats->of(series).points != points || std::ranges::any_of(groups[i], in_heads)) continue;
        catalog_.keep_out(groups[i]);
        sure.push_back(series);
      }
    });
    if (sure.empty()) continue;
    catalog_.forget(sure);
    if (auto status = ingest_.log_definitions(); !status) {
      log::warn("what was forgotten is not in the log yet", {{"error", status.error().message}});
    }
  }
}

}  // namespace varve::engine::rocksdb
