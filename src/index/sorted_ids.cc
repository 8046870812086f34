// SPDX-License-Identifier: Apache-2.0
#include "index/sorted_ids.h"

#include <utility>

#include "base/check.h"

namespace varve::index {

void SortedIds::reserve(const Place& place) {
  if (!leaves_.empty() && leaves_[place.leaf]->count < kLeafMax) return;
  if (spare_ == nullptr) spare_ = std::make_unique<Leaf>();
  if (leaves_.size() == leaves_.capacity()) leaves_.reserve(leaves_.size() * 2 + 1);
}

// Of the full leaf at the place; returns where the place is then. What grows at a place, also one in the middle, fills
// its leaves, or nearly so: the leaf is cut there, but never so that few are left on one side.
SortedIds::Place SortedIds::split(const Place& place) {
  Leaf& leaf = *leaves_[place.leaf];
  const bool grows_at_end = place.leaf + 1 == leaves_.size() && place.at == leaf.count;
  const std::uint32_t cut = grows_at_end ? leaf.count : std::clamp(place.at, kLeafMax / 4, kLeafMax / 4 * 3);
  Leaf& fresh = **leaves_.insert(leaves_.begin() + static_cast<std::ptrdiff_t>(place.leaf) + 1, std::move(spare_));
  std::copy(leaf.ids.begin() + cut, leaf.ids.begin() + leaf.count, fresh.ids.begin());
  fresh.count = std::exchange(leaf.count, cut) - cut;
  return place.at > cut || grows_at_end ? Place{place.leaf + 1, place.at - cut} : place;
}

void SortedIds::insert(const Place& wanted, std::uint32_t id) {
  reserve(wanted);
  if (leaves_.empty()) leaves_.push_back(std::move(spare_));
  const Place place = leaves_[wanted.leaf]->count == kLeafMax ? split(wanted) : wanted;
  Leaf& leaf = *leaves_[place.leaf];
  check(place.at <= leaf.count && leaf.count < kLeafMax, "an id is put into a leaf that has room");
  std::copy_backward(leaf.ids.begin() + place.at, leaf.ids.begin() + leaf.count, leaf.ids.begin() + leaf.count + 1);
  leaf.ids[place.at] = id;
  ++leaf.count;
  last_ = place;
}

}  // namespace varve::index
