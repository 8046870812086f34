// SPDX-License-Identifier: Apache-2.0
// What is gone leaves the directory: another index and another table of groups are made beside those that there are,
// and take their place (docs/decisions/0069-what-is-gone-leaves-the-index.md).
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/log.h"
#include "engine/cassandra/series/series_tables.h"
#include "engine/shared/reader_turns.h"

namespace varve::engine::cassandra {
namespace {

// A whole block of a column: where all of it is gaps, it takes no memory of its own.
constexpr std::uint32_t kGroupsTaken = index::Column<GroupTable::Entry>::kBlock;
constexpr std::size_t kCatchUpBytes = std::size_t{64} << 10;
constexpr int kCatchUps = 16;

}  // namespace

bool Directory::is_gone(model::GroupId group, const Leave& what) const {
  const auto series = index_.group_series(group);
  if (series.empty() || !groups_.is_in_use(group, what.since_us, what.bucket)) return true;
  if (groups_.is_in_use(group, what.since_us, index_bucket_of(what.since_us / 1000))) return false;
  const auto is_forgotten = [&](model::SeriesId one) VARVE_REQUIRES_SHARED(mutex_) { return index_.is_forgotten(one); };
  return !groups_.is_announced(group) && std::ranges::all_of(series, is_forgotten);
}

// One run of leave().
class Directory::Leaving {
 public:
  Leaving(Directory& of, const Leave& what) : of_(of), what_(what) {
    const MutexLock lock(of_.mutex_);
    of_.notes_ = true;
    kept_.resize(of_.groups_.size());
  }
  ~Leaving() {
    const MutexLock lock(of_.mutex_);
    of_.notes_ = false;
    of_.noted_.clear();
  }
  Leaving(const Leaving&) = delete;
  Leaving& operator=(const Leaving&) = delete;

  // False: not so much is gone.
  bool look() {
    for_each_in_pieces(of_.mutex_, kept_.size(), [this](std::size_t id) VARVE_REQUIRES_SHARED(of_.mutex_) {
      look_at(model::GroupId{static_cast<std::uint32_t>(id)});
    });
    return leaves_ >= what_.least && leaves_ >= stays_;
  }

  Status make() {
    std::string left;
    {
      const storage::GoOn always;
      const ReaderLock lock(of_.mutex_);
      // What was defined since they were looked at stays. It is noted, too; but what the index has by now and nothing
      // keeps would be a gap, which notes do not fill.
      kept_.resize(of_.groups_.size(), true);
      shared::ReaderTurns turns(of_.mutex_, always);
      VARVE_RETURN_IF_ERROR(of_.index_.dump_groups(kept_, left, &turns));
    }
    VARVE_RETURN_IF_ERROR(index_.replay(std::as_bytes(std::span(left))));
    for (int rounds = 0; rounds < kCatchUps; ++rounds) {
      std::string noted;
      {
        const MutexLock lock(of_.mutex_);
        noted.swap(of_.noted_);
      }
      VARVE_RETURN_IF_ERROR(index_.catch_up(std::as_bytes(std::span(noted))));
      if (noted.size() < kCatchUpBytes) break;
    }
    const auto end = static_cast<std::uint32_t>(kept_.size());
    for (std::uint32_t first = 0; first < end; first += kGroupsTaken) {
      const ReaderLock lock(of_.mutex_);
      take(std::min(end, first + kGroupsTaken));
    }
    return {};
  }

  Result<std::size_t> exchange() {
    const MutexLock lock(of_.mutex_);
    for (const model::GroupId group : gone_) {
      if (!of_.is_gone(group, what_)) return in_use();
    }
    VARVE_RETURN_IF_ERROR(index_.catch_up(std::as_bytes(std::span(of_.noted_))));
    take(of_.groups_.size());
    groups_.catch_up(of_.groups_);
    of_.index_.exchange(index_);
    std::swap(of_.groups_, groups_);
    return leaves_;
  }

 private:
  static std::unexpected<Error> in_use() { return fail(Code::unavailable, "a series that is gone has just come back"); }
  void look_at(model::GroupId group) VARVE_REQUIRES_SHARED(of_.mutex_) {
    const std::size_t series = of_.index_.group_series(group).size();
    if (series == 0) return;  // a gap
    if (of_.is_gone(group, what_)) {
      leaves_ += series;
      gone_.push_back(group);
    } else {
      stays_ += series;
      kept_[model::to_int(group)] = true;
    }
  }
  void take(std::uint32_t end) VARVE_REQUIRES_SHARED(of_.mutex_) {
    const auto is_kept = [this](model::GroupId group) {
      return model::to_int(group) >= kept_.size() || kept_[model::to_int(group)];
    };
    const auto tenant_of = [this](model::GroupId group)
                               VARVE_NO_THREAD_ANALYSIS { return model::to_int(of_.index_.group_tenant(group)); };
    const auto is_of = [&tenant_of](std::uint32_t tenant) {
      return [tenant, &tenant_of](std::uint32_t group) { return tenant_of(model::GroupId{group}) == tenant; };
    };
    groups_.take(of_.groups_, end, is_kept, tenant_of, is_of);
  }

  Directory& of_;
  const Leave what_;
  std::vector<bool> kept_;            // by group; neither these nor gaps go
  std::vector<model::GroupId> gone_;  // those that go
  std::size_t leaves_ = 0, stays_ = 0;
  index::SeriesIndex index_;  // what takes the place; then, what was before, which is freed without the lock
  GroupTable groups_;
};

bool Directory::is_leave_due(const Leave& what) { return Leaving(*this, what).look(); }

Result<std::size_t> Directory::leave(const Leave& what) {
  Leaving leaving(*this, what);
  if (!leaving.look()) return 0;
  VARVE_RETURN_IF_ERROR(leaving.make());
  return leaving.exchange();
}

// What nobody has announced since the oldest index bucket that may have samples, and one more, has none. A clock that
// jumped is not believed for an hour: it may say of everything that it is old.
void SeriesTables::leave_if_due() {
  constexpr std::int64_t kMinuteNs = 60'000'000'000, kLookEveryNs = 10 * kMinuteNs, kHourNs = 60 * kMinuteNs;
  const std::int64_t now_ms = clock_.now_ms(), now_ns = clock_.steady_ns();
  const std::int64_t ahead_ms = now_ms - now_ns / 1'000'000;
  Leave& last = leave_;
  if (std::abs(ahead_ms - std::exchange(last.ahead_ms, ahead_ms)) > kMinuteNs / 1'000'000) {
    last.next_look_ns = now_ns + kHourNs;
    last.told_ns.reset();
  }
  Directory::Leave what{
      .since_us = (now_ms - 2 * kIndexBucketMs) * 1000, .bucket = model::kTimestampMin, .least = gone_series_min_};
  if (retention_ms_ < rollup::kForEver) what.bucket = index_bucket_of(now_ms - retention_ms_) - kIndexBucketMs;
  if (!last.told_ns) {
    if (now_ns < last.next_look_ns) return;
    last.next_look_ns = now_ns + kLookEveryNs;
    if (!directory_.is_leave_due(what)) return;
    group_generation_.fetch_add(1, std::memory_order_relaxed);
    last.told_ns = now_ns;
    return;
  }
  if (now_ns - *last.told_ns < kMinuteNs) return;
  last.told_ns.reset();
  const auto left = directory_.leave(what);
  last.next_look_ns = now_ns + (left ? kHourNs : kMinuteNs);
  if (!left) return log::info("series that are gone leave later", {{"reason", left.error().message}});
  if (*left == 0) return;
  loader_.read_again_before(what.bucket);
  group_generation_.fetch_add(1, std::memory_order_relaxed);
  log::info("series of which nothing is left have left the directory", {{"series", *left}});
}

}  // namespace varve::engine::cassandra
