// SPDX-License-Identifier: Apache-2.0
// RedisTrackers: the shared trackers in a Redis: one of samples, under the names that docs/formats/redis.md begins
// with, one of the rollup blocks of each granularity, under `units|<width>|`, one of days, under `days|`, one of
// messages, under `messages|`; and the numbers.
#pragma once

#include <deque>
#include <vector>

#include "engine/cassandra/hot/shared_trackers.h"
#include "tracker/redis/redis_tracker.h"
#include "tracker/redis/sequence.h"

namespace varve::engine::cassandra {

class RedisTrackers final : public SharedTrackers {
 public:
  struct Rollup {
    std::int64_t width_ms = 0;  // of a window
    std::int64_t rollup_block_ms = 0;
  };
  // `options`: of the samples' tracker; others differ in the width.
  RedisTrackers(const tracker::TrackerOptions& options, const std::vector<Rollup>& rollups, tracker::redis::Link& link,
                tracker::redis::MemberNames& names);

  tracker::SlotTracker& samples() override { return samples_; }
  tracker::SlotTracker& rollup_blocks(std::size_t level) override { return rollup_blocks_[level]; }
  tracker::SlotTracker& days() override { return days_; }
  tracker::SlotTracker& messages() override { return messages_; }
  [[nodiscard]] std::size_t levels() const override { return rollup_blocks_.size(); }
  Result<std::vector<std::vector<model::Timestamp>>> pending_slots(model::TenantId tenant,
                                                                   model::TimeRange range) override;
  void touch(std::span<const tracker::Touch> touches, model::Timestamp now_ms, Done done) override;
  void touch_messages(std::span<const tracker::Touch> touches, model::Timestamp now_ms, Done done) override;
  Result<std::int64_t> draw(std::int64_t above) override { return sequence_.draw(above); }
  Status check() override { return link_.check(); }
  [[nodiscard]] bool lost() const override { return link_.lost(); }
  [[nodiscard]] std::uint64_t version() const override { return link_.version(); }
  [[nodiscard]] std::uint64_t clock_jumps() const override { return link_.clock_jumps(); }
  Status declare_lost() override { return link_.declare_lost(); }
  Status recover(const std::function<Status()>& replay) override { return link_.recover(replay); }
  [[nodiscard]] const Clock& clock() const override { return link_.clock(); }

 private:
  tracker::redis::Link& link_;
  tracker::redis::RedisTracker samples_, days_, messages_;
  std::deque<tracker::redis::RedisTracker> rollup_blocks_;
  tracker::redis::Sequence sequence_;
};

}  // namespace varve::engine::cassandra
