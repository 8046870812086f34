// SPDX-License-Identifier: Apache-2.0
// SlotTable: the members of one tenant in one slot, by number. 16 bytes an entry, in a vector that keeps positions, and
// 4 bytes a place in an open-addressed index of those positions: 20 to 27 bytes an entry in all, 24 on average.
//
// An entry's position is stable while it lives, so that entries can be chained through `next`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/time.h"

namespace varve::tracker {

class SlotTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Entry {
    std::uint32_t id;
    std::uint32_t generation;  // 0: completed, and still chained
    std::uint32_t touched;     // ms after base_ms()
    std::uint32_t next;        // for the owner's lists
  };

  // Times of touches are kept relative to base_ms.
  explicit SlotTable(model::Timestamp base_ms) : base_ms_(base_ms), index_(kIndexMin, kNone) {}

  // Two steps, some members ahead of find(), hide what memory costs.
  void prefetch_index(std::uint32_t id) const { __builtin_prefetch(&index_[home(id)]); }
  void prefetch_entry(std::uint32_t id) const {
    const std::uint32_t position = index_[home(id)];
    if (position != kNone) __builtin_prefetch(&entries_[position], 1);
  }

  // The position, or kNone.
  [[nodiscard]] std::uint32_t find(std::uint32_t id) const {
    for (std::size_t at = home(id);; at = after(at)) {
      const std::uint32_t position = index_[at];
      if (position == kNone || entries_[position].id == id) return position;
    }
  }
  std::uint32_t add(std::uint32_t id);  // which must not be there
  void remove(std::uint32_t position);

  Entry& operator[](std::uint32_t position) { return entries_[position]; }
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::size_t memory_bytes() const;

  void set_touched(Entry& entry, model::Timestamp now_ms) const;
  [[nodiscard]] model::Timestamp touched_ms(const Entry& entry) const { return base_ms_ + entry.touched; }

  std::uint64_t live = 0;  // entries that are not completed; counted by the owner

 private:
  static constexpr std::size_t kIndexMin = 8;

  // Numbers that follow one another spread evenly by the golden ratio.
  [[nodiscard]] std::size_t home(std::uint32_t id) const {
    const std::uint64_t mixed = id * std::uint64_t{0x9e3779b97f4a7c15} >> 32;
    return mixed * index_.size() >> 32;
  }
  [[nodiscard]] std::size_t after(std::size_t at) const { return at + 1 == index_.size() ? 0 : at + 1; }
  void place(std::uint32_t position);
  void grow_index();

  model::Timestamp base_ms_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> index_;  // never full
  std::uint32_t used_ = 0;
  std::uint32_t free_ = kNone;  // chained through next
};

}  // namespace varve::tracker
