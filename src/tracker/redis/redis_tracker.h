// SPDX-License-Identifier: Apache-2.0
// RedisTracker: the SlotTracker that all replicas share. docs/formats/redis.md has every key.
//
// A batch of touches is one pipeline, with one script for every thousand of them; work is one range of a sorted set for
// each partition. Put a CoalescingTracker in front. Pass link.clock().now_ms() as now_ms.
//
// Every method answers within the link's timeout; where Redis is away it is `unavailable`. pending(), pending_of()
// and pending_slots() are so also while a loss is not recovered (link.h): what they would leave out is not known then.
#pragma once

#include <string>
#include <vector>

#include "tracker/redis/link.h"
#include "tracker/redis/member_names.h"
#include "tracker/slot_tracker.h"

namespace varve::tracker::redis {

class RedisTracker final : public SlotTracker {
 public:
  // `family`: what the names of its keys begin with, where there are several trackers in one Redis.
  RedisTracker(TrackerOptions options, Link& link, MemberNames& names, std::string family = {});

  Status touch(std::span<const Touch> touches, model::Timestamp now_ms) override;
  // The same without waiting: calls back exactly once, on a thread of the driver's runtime or before it returns.
  void touch(std::span<const Touch> touches, model::Timestamp now_ms, driver::Done<void> done);

  // What another replica has touched is looked up in the names. What nobody knows is set aside; it goes when that was
  // so for most of a day: its group has been erased.
  Result<std::vector<Due>> due(model::Timestamp now_ms, std::span<const std::uint32_t> partitions, std::size_t limit,
                               When when) override;
  Result<bool> complete(const Due& work) override;
  Result<std::vector<bool>> complete_all(std::span<const Due> works) override;
  Status fail(const Due& work, model::Timestamp now_ms) override;
  Result<bool> pending(model::TenantId tenant, model::Timestamp slot) override;
  Result<std::vector<bool>> pending_of(std::span<const Touch> entries) override;
  Result<std::vector<model::Timestamp>> pending_slots(model::TenantId tenant, model::TimeRange range) override;
  // pending_slots() beside other questions: adds one command, and reads the answer to it.
  void ask_pending_slots(Question& question, model::TenantId tenant) const;
  [[nodiscard]] std::vector<model::Timestamp> read_pending_slots(const driver::Value& answer,
                                                                 model::TimeRange range) const;
  Result<Counts> counts() override;
  // Without those that nobody knows.
  Result<std::vector<SetAside>> set_aside(std::size_t limit) override;

 private:
  struct Found {  // an entry as it stands in Redis
    std::uint32_t partition;
    std::string_view entry;  // points into the answer
    std::int64_t score;
  };
  [[nodiscard]] std::string key(std::string_view name) const { return link_.key(family_ + std::string(name)); }
  [[nodiscard]] std::string pending_key(std::uint32_t partition) const;
  [[nodiscard]] std::string slots_key(model::TenantId tenant) const;
  [[nodiscard]] std::string entry(const Due& work) const;
  [[nodiscard]] Question touching(std::span<const Touch> touches, model::Timestamp now_ms) const;
  void add_group(std::span<const Touch> group, model::Timestamp now_ms, std::vector<std::string>& keys,
                 std::vector<std::string>& words) const;
  void add_fail(driver::Pipeline& commands, std::uint32_t partition, std::string_view entry,
                model::Timestamp now_ms) const;
  void add_unknown(driver::Pipeline& commands, const Found& found, std::string_view name,
                   model::Timestamp now_ms) const;
  Status drop_set_aside(std::vector<Found>& found, model::Timestamp now_ms);
  Result<std::vector<Due>> resolve(std::span<const Found> found, model::Timestamp now_ms);

  const TrackerOptions options_;
  Link& link_;
  MemberNames& names_;
  const std::string family_;
};

}  // namespace varve::tracker::redis
