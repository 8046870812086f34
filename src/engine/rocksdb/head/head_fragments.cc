// SPDX-License-Identifier: Apache-2.0
// Which fragment of a head a row belongs to. The fragments of a group are a list; where they are many they are in a
// table, too.
#include <limits>

#include "base/check.h"
#include "engine/rocksdb/head/head.h"

namespace varve::engine::rocksdb {

std::size_t Head::FragmentHash::operator()(const FragmentKey& key) const {
  // Slots are multiples of their width: a product spreads them (Knuth, multiplicative hashing).
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  const std::uint64_t mixed = (static_cast<std::uint64_t>(key.slot) ^ (std::uint64_t{key.group} << 40)) * kOdd;
  return mixed ^ (mixed >> 32);
}

Head::Fragment* Head::find(std::uint32_t group, model::Timestamp slot) const {
  if (first_of(group) == nullptr) return nullptr;
  if (is_far(group)) {
    const auto found = far_.find({group, slot});
    return found == far_.end() ? nullptr : found->second;
  }
  for (Fragment* fragment = first_of(group); fragment != nullptr; fragment = fragment->next) {
    if (fragment->slot == slot) return fragment;
  }
  return nullptr;
}

void Head::put_first(std::uint32_t group, Fragment* fragment) {
  Fragment*& first = place_of(group);
  fragment->previous = nullptr;
  fragment->next = first;
  if (first != nullptr) first->previous = fragment;
  first = fragment;
}

void Head::put_second(Fragment* first, Fragment* fragment) {
  check(first != nullptr && first->previous == nullptr, "what is put second follows the first");
  fragment->previous = first;
  fragment->next = first->next;
  if (fragment->next != nullptr) fragment->next->previous = fragment;
  first->next = fragment;
}

void Head::move_first(std::uint32_t group, Fragment* fragment) {
  if (fragment->previous == nullptr) return;
  fragment->previous->next = fragment->next;
  if (fragment->next != nullptr) fragment->next->previous = fragment->previous;
  put_first(group, fragment);
}

Head::Fragment*& Head::place_of(std::uint32_t group) {
  const std::uint32_t number = group / kPageGroups;
  if (number >= by_group_.size()) by_group_.resize(number + 1);
  auto& page = by_group_[number];
  if (page == nullptr) {
    page = std::make_unique<GroupPage>();
    ++pages_;
  }
  return page->newest[group % kPageGroups];
}

bool Head::next_groups(std::uint32_t& from, std::size_t most, std::vector<std::uint32_t>& out) const {
  return next_groups(from, std::numeric_limits<std::uint32_t>::max(), most, out);
}

bool Head::next_groups(std::uint32_t& from, std::uint32_t end, std::size_t most,
                       std::vector<std::uint32_t>& out) const {
  out.clear();
  while (from < end && from / kPageGroups < by_group_.size() && out.size() < most) {
    const auto& page = by_group_[from / kPageGroups];
    if (page == nullptr) {
      from = (from / kPageGroups + 1) * kPageGroups;
      continue;
    }
    if (page->newest[from % kPageGroups] != nullptr) out.push_back(from);
    ++from;
  }
  return !out.empty();
}

std::vector<std::uint64_t> Head::page_rows() const {
  const MutexLock lock(mutex);
  std::vector<std::uint64_t> out;
  out.reserve(by_group_.size());
  for (const auto& page : by_group_) out.push_back(page == nullptr ? 0 : page->rows);
  return out;
}

Head::Fragment* Head::add(std::uint32_t group, model::Timestamp slot) {
  auto* const fragment = new (allocate(sizeof(Fragment))) Fragment{.slot = slot,
                                                                   .next = nullptr,
                                                                   .previous = nullptr,
                                                                   .first = nullptr,
                                                                   .last = nullptr,
                                                                   .first_ms = Fragment::kFarMs,
                                                                   .last_ms = 0,
                                                                   .first_value_ms = Fragment::kFarMs,
                                                                   .last_value_ms = 0,
                                                                   .rows = 0,
                                                                   .kinds = 0,
                                                                   .ascends = true};
  ++slots_[slot];
  Fragment* const first = first_of(group);
  if (first != nullptr && is_far(group)) {
    // What comes late must not stand before the slot that most rows go to.
    slot < first->slot ? put_second(first, fragment) : put_first(group, fragment);
    far_.emplace(FragmentKey{group, slot}, fragment);
    return fragment;
  }
  put_first(group, fragment);
  std::size_t count = 0;
  for (const Fragment* at = fragment; at != nullptr; at = at->next) ++count;
  check(count <= kNearMax + 1, "a group with many fragments has them in the table");
  if (count > kNearMax) make_far(group);
  return fragment;
}

void Head::make_far(std::uint32_t group) {
  by_group_[group / kPageGroups]->is_far.set(group % kPageGroups);
  Fragment* latest = first_of(group);
  for (Fragment* at = latest; at != nullptr; at = at->next) {
    far_.emplace(FragmentKey{group, at->slot}, at);
    if (at->slot > latest->slot) latest = at;
  }
  move_first(group, latest);
}

Head::Fragment* Head::fragment_for(std::uint32_t group, model::Timestamp time) {
  const model::Timestamp slot = slot_of(time);
  Fragment* const fragment = find(group, slot);
  if (fragment == nullptr) return add(group, slot);
  // Of few fragments the one written last comes first. Of many, to move one, its neighbours would have to be fetched.
  if (!is_far(group)) move_first(group, fragment);
  return fragment;
}

}  // namespace varve::engine::rocksdb
