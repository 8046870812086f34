// SPDX-License-Identifier: Apache-2.0
// PairCounts: numbers by pair, for few pairs of very many: eight bytes each, and as much again where it has just grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "index/id_table.h"

namespace varve::index {

class PairCounts {
 public:
  // nullptr: it was never added.
  [[nodiscard]] const std::uint32_t* find(std::uint32_t pair) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[place_of(pair)];
    return slot.pair == pair ? &slot.count : nullptr;
  }
  [[nodiscard]] std::uint32_t* find(std::uint32_t pair) {
    return const_cast<std::uint32_t*>(std::as_const(*this).find(pair));
  }

  // Finds it, or adds it with a count of zero.
  std::uint32_t& add(std::uint32_t pair) {
    if (std::uint32_t* const known = find(pair)) return *known;
    if ((used_ + 1) * 4 > slots_.size() * 3) grow();
    ++used_;
    Slot& slot = slots_[place_of(pair)];
    slot = {pair, 0};
    return slot.count;
  }

  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t pair = kNone;
    std::uint32_t count = 0;
  };

  // Where it is, or the free slot where it belongs. Ids are dense: their products with an odd number are spread.
  [[nodiscard]] std::size_t place_of(std::uint32_t pair) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = std::uint64_t{pair * 0x9e3779b1U} * slots_.size() >> 32;
    while (slots_[at].pair != kNone && slots_[at].pair != pair) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    PairCounts larger;
    larger.slots_.resize(slots_.empty() ? 8 : slots_.size() * 2);  // throws before anything has changed
    for (const Slot& slot : slots_) {
      if (slot.pair != kNone) larger.slots_[larger.place_of(slot.pair)] = slot;
    }
    slots_.swap(larger.slots_);
  }

  std::vector<Slot> slots_;  // a power of two, or none
  std::size_t used_ = 0;
};

}  // namespace varve::index
