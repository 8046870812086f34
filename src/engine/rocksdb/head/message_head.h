// SPDX-License-Identifier: Apache-2.0
// MessageHead: messages that are in the log but not yet in RocksDB, by tenant, class and slot, in order of arrival.
//
// Rows are copied, with their arrival, into blocks that are only appended to, so a reader takes (block, used) under the
// lock and reads without it, as from a Head. It lives and is flushed with the Head that owns it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "message/classes.h"
#include "model/ids.h"
#include "model/time.h"

namespace varve::engine::rocksdb {

class MessageHead {
 public:
  // `classes` outlives it; nullptr: there is the default one only.
  explicit MessageHead(std::int64_t slot_width_ms, const message::Classes* classes = nullptr)
      : slot_width_ms_(slot_width_ms), classes_(classes) {}

  // Messages of one tenant, class and slot.
  struct Fragment {
    message::ClassId of = message::kDefaultClass;
    model::Timestamp slot = 0;  // start
    std::int64_t first_us = 0;  // smallest and largest time of its messages
    std::int64_t last_us = 0;
    std::uint64_t messages = 0;
    std::vector<std::span<const std::byte>> rows;  // whole rows; as long as the head lives
  };

  // Copies the rows, which must be well-formed; numbers them from `arrival` on. Returns how many there were.
  std::size_t append(model::TenantId tenant, std::span<const std::byte> rows, std::uint64_t arrival)
      VARVE_EXCLUDES(mutex_);

  // What there is of the tenant with a slot that overlaps the time, both inclusive, by class and slot.
  [[nodiscard]] std::vector<Fragment> fragments(model::TenantId tenant, std::int64_t first_us,
                                                std::int64_t last_us) const VARVE_EXCLUDES(mutex_);
  [[nodiscard]] std::vector<model::TenantId> tenants() const VARVE_EXCLUDES(mutex_);
  // Is there a slot that ended before?
  [[nodiscard]] bool has_ended(model::Timestamp before_ms) const VARVE_EXCLUDES(mutex_);

  [[nodiscard]] std::size_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t used = 0;
    std::size_t capacity = 0;
  };
  struct Slot {
    std::int64_t first_us = 0;
    std::int64_t last_us = 0;
    std::uint64_t messages = 0;
    std::vector<Block> blocks;
  };
  using SlotOfClass = std::pair<message::ClassId, model::Timestamp>;
  using Slots = std::map<SlotOfClass, Slot>;
  std::byte* reserve(Slot& slot, std::size_t bytes) VARVE_REQUIRES(mutex_);
  [[nodiscard]] model::Timestamp slot_of(std::int64_t time_us) const;
  [[nodiscard]] SlotOfClass slot_of(message::RowView row) const;

  const std::int64_t slot_width_ms_;
  const message::Classes* const classes_;
  mutable Mutex mutex_;
  std::map<model::TenantId, Slots> tenants_ VARVE_GUARDED_BY(mutex_);
  std::atomic<std::size_t> memory_bytes_{0};
};

}  // namespace varve::engine::rocksdb
