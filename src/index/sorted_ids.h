// SPDX-License-Identifier: Apache-2.0
// SortedIds: ids in the order of their names, so that a page of names is found by binary search and costs as the page.
//
// The ids are in leaves of at most 256: a new one moves those behind it in its leaf, not all of them, and takes about
// six bytes. What comes in ascending order is put behind what came last, without a search.
//
// Names are the caller's: `before(id)` says whether the name of an id lies in front of a place that is looked for.
// Const methods run in parallel with one another.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace varve::index {

class SortedIds {
 public:
  static constexpr std::uint32_t kLeafMax = 256;
  struct Place {
    std::size_t leaf = 0;
    std::uint32_t at = 0;
  };

  // Where the ids begin that are not before. It may be the end of a leaf.
  template <class Before>
  [[nodiscard]] Place find(Before&& before) const {
    const auto behind =
        std::ranges::partition_point(leaves_, [&](const auto& leaf) { return before(leaf->ids.front()); });
    if (behind == leaves_.begin()) return {};
    const Leaf& leaf = **(behind - 1);
    const auto* const first = leaf.ids.data();
    const auto* const at = std::partition_point(first, first + leaf.count, before);
    return {static_cast<std::size_t>(behind - leaves_.begin()) - 1, static_cast<std::uint32_t>(at - first)};
  }

  // The same for a new id.
  template <class Before>
  [[nodiscard]] Place find_for_new(Before&& before) const {
    if (leaves_.empty()) return {};
    const Leaf& leaf = *leaves_[last_.leaf];
    if (!before(leaf.ids[last_.at])) return find(before);
    const Place next{last_.leaf, last_.at + 1};
    if (next.at < leaf.count) return before(leaf.ids[next.at]) ? find(before) : next;
    const bool is_last = next.leaf + 1 == leaves_.size();
    return is_last || !before(leaves_[next.leaf + 1]->ids.front()) ? next : find(before);
  }

  // Where an id belongs whose name is behind all others.
  [[nodiscard]] Place end() const {
    return leaves_.empty() ? Place{} : Place{leaves_.size() - 1, leaves_.back()->count};
  }

  // Makes room, so that insert() at this place does not throw.
  void reserve(const Place& place);
  // `place`: as find_for_new() said, and nothing was inserted since.
  void insert(const Place& place, std::uint32_t id);

  // Calls f(id) from the place on until it says false.
  template <class F>
  void walk(Place from, F&& f) const {
    for (; from.leaf < leaves_.size(); ++from.leaf, from.at = 0) {
      const Leaf& leaf = *leaves_[from.leaf];
      for (; from.at < leaf.count; ++from.at) {
        if (!f(leaf.ids[from.at])) return;
      }
    }
  }

  [[nodiscard]] std::size_t memory_bytes() const {
    return (leaves_.size() + (spare_ == nullptr ? 0 : 1)) * sizeof(Leaf) + leaves_.capacity() * sizeof(leaves_[0]);
  }

 private:
  struct Leaf {
    std::uint32_t count = 0;
    std::array<std::uint32_t, kLeafMax> ids;
  };

  Place split(const Place& place);

  std::vector<std::unique_ptr<Leaf>> leaves_;  // none is empty
  std::unique_ptr<Leaf> spare_;                // for the next insert(), if its leaf is full
  Place last_;                                 // of what was inserted last
};

}  // namespace varve::index
