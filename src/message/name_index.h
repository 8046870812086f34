// SPDX-License-Identifier: Apache-2.0
// Finds a name among those of a list that only grows: in a few by comparing, in many by hash, so that a message of a
// thousand fields does not cost a million comparisons.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace varve::message {

// Of at most kNamesMax names.
class NameIndex {
 public:
  static constexpr std::size_t kNamesMax = 1024;

  // The list is another one, or was cleared.
  void clear() { indexed_ = 0; }

  // The position of the item whose name it is; items.size(): none. `name_of(item)` does not change once it was asked.
  template <class Items, class NameOf>
  std::size_t find(const Items& items, std::string_view name, const NameOf& name_of) {
    if (items.size() <= kFew) {
      std::size_t i = 0;
      while (i < items.size() && name_of(items[i]) != name) ++i;
      return i;
    }
    if (indexed_ == 0) slots_.assign(kSlots, kFree);
    for (; indexed_ < items.size(); ++indexed_) {
      std::size_t slot = slot_of(name_of(items[indexed_]));
      while (slots_[slot] != kFree) slot = (slot + 1) % kSlots;
      slots_[slot] = static_cast<std::uint16_t>(indexed_);
    }
    for (std::size_t slot = slot_of(name); slots_[slot] != kFree; slot = (slot + 1) % kSlots) {
      if (name_of(items[slots_[slot]]) == name) return slots_[slot];
    }
    return items.size();
  }

 private:
  static constexpr std::size_t kFew = 16;
  static constexpr std::size_t kSlots = 2 * kNamesMax;
  static constexpr std::uint16_t kFree = 0xffff;

  static std::size_t slot_of(std::string_view name) { return std::hash<std::string_view>()(name) % kSlots; }

  std::size_t indexed_ = 0;  // items that have a slot
  std::vector<std::uint16_t> slots_;
};

}  // namespace varve::message
