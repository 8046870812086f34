// SPDX-License-Identifier: Apache-2.0
// SlotList: the raw slots that a scan reads, and which of them are rolled up.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "engine/rocksdb/runs/view.h"
#include "model/time.h"

namespace varve::engine::rocksdb {

// The slots that a scan reads, ascending: those of the tenant's runs and of the heads that overlap the range.
class SlotList {
 public:
  struct Slot {
    model::Timestamp start = 0;
    model::Timestamp end = 0;
    std::vector<const Run*> runs;  // those that overlap the range, ascending by number; their samples in the slot count
    const Mark* mark = nullptr;    // nullptr: nothing of the slot is rolled up
    bool rolled_up = false;        // all its samples are in its windows
  };
  SlotList(const ScanSource& source, model::TimeRange range);
  SlotList(const SlotList&) = delete;  // it has pointers into itself
  SlotList& operator=(const SlotList&) = delete;
  [[nodiscard]] const std::vector<Slot>& all() const { return slots_; }
  // How much there is to read: stretches of the width of a chunk.
  [[nodiscard]] std::size_t stretches() const { return stretches_; }
  // Those that overlap the range.
  [[nodiscard]] std::span<const Slot> in(model::TimeRange range) const;

 private:
  void add(const ScanSource& source, const Slot& slot, const Runs::OfSlot& of_slot,
           std::span<const model::Timestamp> hot);
  void cut_expired(const ScanSource& source);

  std::vector<Slot> slots_;
  std::size_t stretches_ = 0;
  std::deque<Mark> gone_;  // of slots, and a part of one, whose samples are not to be read any more
};

}  // namespace varve::engine::rocksdb
