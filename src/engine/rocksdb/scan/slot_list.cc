// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/scan/slot_list.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "engine/rocksdb/runs/strata.h"

namespace varve::engine::rocksdb {

SlotList::SlotList(const ScanSource& source, model::TimeRange range) {
  const std::vector<model::Timestamp> hot =
      hot_slots(source.view, model::window_start(range.first, source.chunk_width_ms), range.last);
  for_each_raw_slot(*source.view.runs, source.tenant, range, source.chunk_width_ms,
                    [&](const SlotKey& key, const Runs::OfSlot& of_slot) {
                      const model::TimeRange whole = key.raw_range(source.chunk_width_ms);
                      Slot slot{whole.first, whole.last, {}, &of_slot.mark, false};
                      for (const auto& run : of_slot.runs) {
                        if (run->first_time < range.last && run->last_time >= range.first) {
                          slot.runs.push_back(run.get());
                        }
                      }
                      add(source, slot, of_slot, hot);
                    });
  std::vector<Slot> fresh;
  for (const model::Timestamp start : hot) {
    const model::Timestamp end = start + source.chunk_width_ms;
    if (in({start, end}).empty()) fresh.push_back({start, end, {}, nullptr, false});
  }
  slots_.insert(slots_.end(), std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
  std::ranges::sort(slots_, {}, &Slot::start);
  cut_expired(source);
  std::erase_if(slots_, [&](const Slot& slot) { return slot.start >= range.last || slot.end <= range.first; });
  for (const Slot& slot : slots_) {
    const std::int64_t length = std::min(slot.end, range.last) - std::max(slot.start, range.first);
    stretches_ += static_cast<std::size_t>(1 + (length - 1) / source.chunk_width_ms);
  }
}

// Of a stratum, only stretches to which something came late are not rolled up.
void SlotList::add(const ScanSource& source, const Slot& slot, const Runs::OfSlot& of_slot,
                   std::span<const model::Timestamp> hot) {
  const std::int64_t width = source.chunk_width_ms;
  std::set<model::Timestamp> open;  // starts of stretches of chunk width
  for (auto at = std::ranges::lower_bound(hot, slot.start); at != hot.end() && *at < slot.end; ++at) open.insert(*at);
  for (const auto& run : of_slot.runs) {
    if (run->content <= of_slot.mark.sealed) continue;
    for (auto at = model::window_start(run->first_time, width); at <= run->last_time; at += width) open.insert(at);
  }
  model::Timestamp done = slot.start;
  const auto add_until = [&](model::Timestamp end, bool rolled_up) {
    if (done == end) return;
    if (done > slot.start && slots_.back().rolled_up == rolled_up) {
      slots_.back().end = end;
    } else {
      slots_.push_back({done, end, slot.runs, slot.mark, rolled_up});
    }
    done = end;
  };
  for (const model::Timestamp start : open) {
    add_until(start, true);
    add_until(start + width, false);
  }
  add_until(slot.end, true);
}

// A stratum is dropped as a whole, and slots stay as long as some series of their tenant are kept. What retention would
// have dropped as a slot of these series alone is read no more, if its windows stand for it.
void SlotList::cut_expired(const ScanSource& source) {
  if (source.raw_retention_ms >= rollup::kForEver) return;
  const model::Timestamp kept_from =
      model::window_start(source.clock.now_ms() - source.raw_retention_ms, source.chunk_width_ms);
  const Runs& runs = *source.view.runs;
  const auto home = runs.slots.find(runs.home_of({source.tenant, 0, kept_from}));
  const Mark* const of_stratum = home == runs.slots.end() || !home->first.is_stratum() ? nullptr : &home->second.mark;
  const auto is_over = [&](const Slot& slot) {
    if (slot.mark == nullptr || slot.mark->dropped || !slot.rolled_up || slot.start >= kept_from) return false;
    const bool in_windows = slot.mark->open.empty() && !slot.mark->granularities_ms.empty();
    const bool stays_for_others = source.classes != nullptr && in_windows;
    return slot.mark == of_stratum || stays_for_others;
  };
  const auto cut = std::ranges::find_if(slots_, [&](const Slot& s) { return is_over(s) && s.end > kept_from; });
  if (cut != slots_.end()) {
    Slot kept = *cut;
    kept.start = cut->end = kept_from;
    slots_.insert(std::next(cut), std::move(kept));
  }
  const Mark* before = nullptr;  // as it stands, of which gone_.back() is
  for (Slot& slot : slots_) {
    if (!is_over(slot)) continue;
    if (slot.mark != before) {
      before = slot.mark;
      gone_.push_back(*before);
      gone_.back().dropped = true;
    }
    slot.runs.clear();
    slot.mark = &gone_.back();
  }
}

std::span<const SlotList::Slot> SlotList::in(model::TimeRange range) const {
  const auto first = std::ranges::upper_bound(slots_, range.first, {}, &Slot::end);
  const auto last = std::ranges::lower_bound(first, slots_.end(), range.last, {}, &Slot::start);
  return {first, last};
}

}  // namespace varve::engine::rocksdb
