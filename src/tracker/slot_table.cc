// SPDX-License-Identifier: Apache-2.0
#include "tracker/slot_table.h"

#include <algorithm>

#include "base/check.h"

namespace varve::tracker {

std::uint32_t SlotTable::add(std::uint32_t id) {
  if ((std::size_t{used_} + 1) * 4 > index_.size() * 3) grow_index();
  std::uint32_t position = free_;
  if (position == kNone) {
    if (entries_.size() == entries_.capacity()) {
      // By a quarter instead of by doubling: what lies idle is memory of every slot.
      entries_.reserve(std::max<std::size_t>(4, entries_.size() + entries_.size() / 4));
    }
    position = static_cast<std::uint32_t>(entries_.size());
    check(position != kNone, "too many members in a slot");
    entries_.push_back({});
  } else {
    free_ = entries_[position].next;
  }
  entries_[position] = {id, 0, 0, kNone};
  place(position);
  ++used_;
  return position;
}

void SlotTable::place(std::uint32_t position) {
  check(used_ < index_.size(), "an entry of the index is free");
  std::size_t at = home(entries_[position].id);
  while (index_[at] != kNone) at = after(at);
  index_[at] = position;
}

void SlotTable::grow_index() {
  std::vector<std::uint32_t> old(index_.size() + index_.size() / 4, kNone);
  old.swap(index_);
  for (const std::uint32_t position : old) {
    if (position != kNone) place(position);
  }
}

void SlotTable::remove(std::uint32_t position) {
  check(used_ > 0 && position < entries_.size(), "a member is removed that is there");
  std::size_t hole = home(entries_[position].id);
  while (index_[hole] != position) hole = after(hole);
  // Close the gap: move back what stands behind it and would not be found across it.
  for (std::size_t at = after(hole); index_[at] != kNone; at = after(at)) {
    const std::size_t wanted = home(entries_[index_[at]].id);
    const bool between = hole < at ? hole < wanted && wanted <= at : hole < wanted || wanted <= at;
    if (between) continue;
    index_[hole] = index_[at];
    hole = at;
  }
  index_[hole] = kNone;
  entries_[position].next = free_;
  free_ = position;
  --used_;
}

std::size_t SlotTable::memory_bytes() const {
  return sizeof *this + entries_.capacity() * sizeof(Entry) + index_.capacity() * sizeof(std::uint32_t);
}

void SlotTable::set_touched(Entry& entry, model::Timestamp now_ms) const {
  // The clock may jump back: the latest touch counts. An entry older than 49 days looks quiet too early, which only
  // costs the sealing of it once more.
  const auto since = static_cast<std::uint32_t>(std::clamp<std::int64_t>(now_ms - base_ms_, 0, 0xffffffff));
  entry.touched = std::max(entry.touched, since);
}

}  // namespace varve::tracker
