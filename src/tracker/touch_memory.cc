// SPDX-License-Identifier: Apache-2.0
#include "tracker/touch_memory.h"

#include <algorithm>

#include "base/check.h"

namespace varve::tracker {
namespace {

// The first touches that are of one tenant and slot.
std::size_t run_of(std::span<const Touch> touches) {
  const Touch& first = touches.front();
  const auto end = std::ranges::find_if_not(touches, [&first](const Touch& touch) {
    return touch.member.tenant == first.member.tenant && touch.slot == first.slot;
  });
  return static_cast<std::size_t>(end - touches.begin());
}

}  // namespace

std::vector<Touch> TouchMemory::unknown(std::span<const Touch> touches, model::Timestamp now_ms,
                                        std::uint64_t version) {
  const MutexLock lock(mutex_);
  if (version != version_) {
    version_ = version;
    slots_.clear();
    entries_ = 0;
  }
  std::vector<Touch> found;
  for (std::size_t count = 0; !touches.empty(); touches = touches.subspan(count)) {
    count = run_of(touches);
    const auto run = touches.first(count);
    const auto slot = slots_.find({run.front().member.tenant, run.front().slot});
    if (slot == slots_.end()) {
      found.insert(found.end(), run.begin(), run.end());
      continue;
    }
    SlotTable& table = slot->second.table;
    for (const Touch& touch : run) table.prefetch_index(touch.member.id);
    for (const Touch& touch : run) {
      const std::uint32_t position = table.find(touch.member.id);
      const auto age = position == SlotTable::kNone ? window_ms_ : now_ms - table.touched_ms(table[position]);
      // A clock that went back by far must not make the memory hold for longer.
      if (age >= window_ms_ || age < -window_ms_) found.push_back(touch);
    }
  }
  return found;
}

void TouchMemory::note(std::span<const Touch> touches, model::Timestamp now_ms, std::uint64_t version) {
  const MutexLock lock(mutex_);
  if (version != version_) return;
  for (std::size_t count = 0; !touches.empty(); touches = touches.subspan(count)) {
    count = run_of(touches);
    const Key key{touches.front().member.tenant, touches.front().slot};
    if (entries_ + count > entries_max_) make_room(now_ms, key);
    // The base lies before now, for clocks that go back a little.
    Slot& slot = slots_.try_emplace(key, Slot{SlotTable(now_ms - window_ms_), now_ms}).first->second;
    slot.touched_ms = std::max(slot.touched_ms, now_ms);
    for (const Touch& touch : touches.first(count)) {
      std::uint32_t position = slot.table.find(touch.member.id);
      if (position == SlotTable::kNone) {
        if (entries_ >= entries_max_) break;
        position = slot.table.add(touch.member.id);
        ++entries_;
      }
      slot.table.set_touched(slot.table[position], now_ms);
    }
  }
}

void TouchMemory::make_room(model::Timestamp now_ms, const Key& keep) {
  const auto drop = [this](auto it) VARVE_REQUIRES(mutex_) {
    check(entries_ >= it->second.table.size(), "entries are counted");
    entries_ -= it->second.table.size();
    return slots_.erase(it);
  };
  for (auto it = slots_.begin(); it != slots_.end();) {
    it = it->second.touched_ms + window_ms_ <= now_ms ? drop(it) : std::next(it);
  }
  // Half of it, so that the next note() need not look for room again.
  while (entries_ > entries_max_ / 2 && !slots_.empty()) {
    const auto oldest = std::ranges::min_element(
        slots_, {}, [&](const auto& slot) { return std::pair(slot.first == keep, slot.second.touched_ms); });
    drop(oldest);
  }
}

std::size_t TouchMemory::entries() const {
  const MutexLock lock(mutex_);
  return entries_;
}

}  // namespace varve::tracker
