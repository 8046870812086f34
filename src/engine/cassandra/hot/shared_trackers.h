// SPDX-License-Identifier: Apache-2.0
// SharedTrackers: the trackers that all replicas share, whether they are complete, and the numbers that order writes.
// In a Redis: settle/redis_trackers.h; in memory, for tests: testing/local_trackers.h.
//
// After a loss (tracker/redis/link.h) it is not known what is pending, until some replica calls recover(), which
// replays the journal. Thread-safe. All but the asynchronous touch may block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>

#include "base/clock.h"
#include "base/result.h"
#include "engine/cassandra/tables/write_versions.h"
#include "tracker/slot_tracker.h"

namespace varve::engine::cassandra {

// When sealed rows of a day become one (settle/widener.h): when so many of its slots have ended, and none has been
// sealed for so long. Before the day has ended, as Cassandra compacts what is written in some whole days by itself: a
// row that is deleted in other days than those in which it was written keeps its space until its time is over. What is
// sealed later lies beside it.
inline constexpr std::int64_t kDaySlots = 22;
inline constexpr std::int64_t kDayQuietMs = 1'200'000;
// What the tracker of days is told, by what that of samples is.
inline tracker::TrackerOptions of_days(tracker::TrackerOptions samples) {
  samples.width_ms *= kDaySlots;
  samples.quiet_ms = std::max(samples.quiet_ms, kDayQuietMs);
  return samples;
}

class SharedTrackers : public WriteVersions {
 public:
  using Done = std::function<void(Status)>;

  // Of line groups by slot, and, for each granularity, by rollup block.
  virtual tracker::SlotTracker& samples() = 0;
  virtual tracker::SlotTracker& rollup_blocks(std::size_t level) = 0;
  [[nodiscard]] virtual std::size_t levels() const = 0;
  // Of line groups by day of 24 slots: where sealed rows may become one (settle/widener.h).
  virtual tracker::SlotTracker& days() = 0;
  // Of tenants' log messages by slot: kMessagesMember of a tenant (series/series_tables.h).
  virtual tracker::SlotTracker& messages() = 0;

  // The pending_slots() of samples, then of the rollup blocks of each granularity, in one question and as of this
  // order: what is sealed or made meanwhile has touched the next before it goes.
  virtual Result<std::vector<std::vector<model::Timestamp>>> pending_slots(model::TenantId tenant,
                                                                           model::TimeRange range) = 0;

  // samples().touch() without waiting: calls back once, on any thread or before it returns.
  virtual void touch(std::span<const tracker::Touch> touches, model::Timestamp now_ms, Done done) = 0;
  virtual void touch_messages(std::span<const tracker::Touch> touches, model::Timestamp now_ms, Done done) = 0;

  // Do they answer? Notices a loss.
  virtual Status check() = 0;
  [[nodiscard]] virtual bool lost() const = 0;
  // Another number after each loss.
  [[nodiscard]] virtual std::uint64_t version() const = 0;
  // How often a clock that jumped ahead was not followed.
  [[nodiscard]] virtual std::uint64_t clock_jumps() const { return 0; }
  // Touches are missing that nobody else knows of: as if all had been lost, for every replica. Recoveries that have
  // begun before do not count.
  virtual Status declare_lost() = 0;
  // Ends the loss; errors: those of `replay`, unavailable (lost again meanwhile).
  virtual Status recover(const std::function<Status()>& replay) = 0;

  // The one that all replicas share.
  [[nodiscard]] virtual const Clock& clock() const = 0;
};

}  // namespace varve::engine::cassandra
