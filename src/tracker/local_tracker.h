// SPDX-License-Identifier: Apache-2.0
// LocalTracker: the SlotTracker of one process, in memory; its engine fills it again from the log after a crash.
//
// Entries are kept by tenant and slot (slot_table.h). In each partition they are also chained into lists, one for each
// tenant, slot and tick of the time at which they will be ready. A touch does not move an entry: it stays where it was
// chained, and when the list's tick comes and the entry turns out to be ready later, it moves to the list of that tick.
// So a touch costs one look-up, and due() sees what is ready and what was touched since it was chained, nothing else.
//
// One lock; a batch takes it once. A completed entry leaves its list, and memory, the next time due() comes by.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>

#include "base/mutex.h"
#include "tracker/slot_table.h"
#include "tracker/slot_tracker.h"

namespace varve::tracker {

class LocalTracker final : public SlotTracker {
 public:
  explicit LocalTracker(TrackerOptions options);

  Status touch(std::span<const Touch> touches, model::Timestamp now_ms) override;
  Result<std::vector<Due>> due(model::Timestamp now_ms, std::span<const std::uint32_t> partitions, std::size_t limit,
                               When when) override;
  Result<bool> complete(const Due& work) override;
  Status fail(const Due& work, model::Timestamp now_ms) override;
  Result<bool> pending(model::TenantId tenant, model::Timestamp slot) override;
  Result<std::vector<bool>> pending_of(std::span<const Touch> entries) override;
  Result<std::vector<model::Timestamp>> pending_slots(model::TenantId tenant, model::TimeRange range) override;
  Result<Counts> counts() override;
  Result<std::vector<SetAside>> set_aside(std::size_t limit) override;

  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct ListKey {
    model::Timestamp tick;  // start of the span of time in which the list's entries will be ready
    model::Timestamp slot;
    model::TenantId tenant;
    auto operator<=>(const ListKey&) const = default;
  };
  struct List {
    SlotTable* table;  // lives as long as a list of it is not empty
    std::uint32_t head;
  };
  using Queue = std::map<ListKey, List>;                // of one partition
  using Slots = std::map<model::Timestamp, SlotTable>;  // of one tenant
  using Key = std::tuple<model::TenantId, std::uint32_t, model::Timestamp>;
  struct Failure {
    std::uint32_t partition, failures;
    model::Timestamp retry_ms;
  };
  struct Look {  // what a walk through a queue looks for
    model::Timestamp now_ms;
    When when;
    std::size_t limit;
    std::vector<Due>& found;
  };

  void touch_run(std::span<const Touch> run, model::Timestamp now_ms) VARVE_REQUIRES(mutex_);
  void walk(std::uint32_t partition, const Look& look) VARVE_REQUIRES(mutex_);
  void walk_list(std::uint32_t partition, Queue::value_type& list, const Look& look) VARVE_REQUIRES(mutex_);
  void chain(std::uint32_t partition, ListKey key, SlotTable& table, std::uint32_t position) VARVE_REQUIRES(mutex_);
  void drop_list(Queue& queue, Queue::iterator list) VARVE_REQUIRES(mutex_);
  SlotTable* find_table(model::TenantId tenant, model::Timestamp slot) VARVE_REQUIRES(mutex_);
  SlotTable::Entry* find_pending(const Member& member, model::Timestamp slot, SlotTable*& table) VARVE_REQUIRES(mutex_);
  [[nodiscard]] model::Timestamp ready_ms(const ListKey& key, const SlotTable& table,
                                          const SlotTable::Entry& entry) const VARVE_REQUIRES(mutex_);
  [[nodiscard]] const Failure* failure(model::TenantId tenant, std::uint32_t id, model::Timestamp slot) const
      VARVE_REQUIRES(mutex_);

  const TrackerOptions options_;
  const std::int64_t tick_ms_;
  mutable Mutex mutex_;
  std::uint32_t generation_ VARVE_GUARDED_BY(mutex_) =
      0;  // number of the batch; never 0 in an entry. Not per entry: one that was completed
          // and touched again must not get a generation that an old worker still holds
  std::uint64_t pending_ VARVE_GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::uint32_t, Slots> tenants_ VARVE_GUARDED_BY(mutex_);
  std::vector<Queue> queues_ VARVE_GUARDED_BY(mutex_);
  std::map<Key, Failure> failures_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::tracker
