// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/scan/scan_plan.h"

#include <algorithm>

#include "engine/rocksdb/runs/level_slots.h"

namespace varve::engine::rocksdb {
namespace {

using model::TimeRange;
using model::Timestamp;

// Which windows may stand for samples.
class WindowTrust {
 public:
  WindowTrust(const ScanSource& source, const SlotList& slots, std::span<const Place> places, storage::PieceSink& sink)
      : source_(source), slots_(slots), places_(places), sink_(sink) {}

  // Of windows in slots that have those of the widths `has`, ascending. What is wider than a slot is there only from
  // its own sealing on. `stale`: the slots are to be sealed again, as other granularities are configured now; what came
  // meanwhile is not in wide windows before.
  [[nodiscard]] model::TimeRanges trusted(TimeRange range, std::int64_t width, const std::vector<std::int64_t>& has,
                                          bool stale) const {
    model::TimeRanges ranges;
    if (width <= source_.chunk_width_ms) {
      if (std::ranges::binary_search(has, width)) ranges.push_back(range);
      return ranges;
    }
    if (stale) return ranges;
    for (Timestamp start = range.first; start < range.last; start += width) {
      if (is_built(start, width)) ranges.push_back({start, start + width});
    }
    return ranges;
  }

  // A counter's windows say nothing of extremes, and its samples do; but where those are gone the windows at least say
  // that there is something unknown.
  [[nodiscard]] bool taken(TimeRange range, std::int64_t width) const {
    const auto is_gone = [&](const SlotList::Slot& slot) { return slot.mark != nullptr && slot.mark->dropped; };
    const bool counters = std::ranges::any_of(places_, [&](const Place& p) { return source_.counters[p.series] != 0; });
    const bool any_gone = counters && std::ranges::any_of(slots_.in(range), is_gone);
    return std::ranges::all_of(places_, [&](const Place& place) {
      const bool has_extremes = source_.counters[place.series] == 0 || any_gone;
      return sink_.takes_windows(place.series, range, width) &&
             (has_extremes || !sink_.window_fields(place.series).extremes());
    });
  }

 private:
  // Neither it nor one that it is made of lacks anything.
  [[nodiscard]] bool is_built(Timestamp start, std::int64_t width) const {
    const Runs& runs = *source_.view.runs;
    if (!has_coarse(runs, source_.tenant, width, start)) return false;
    for (const rollup::Level& level : source_.rollups->levels) {
      if (level.width_ms <= source_.chunk_width_ms) continue;
      if (level.width_ms > width) break;
      const SlotKey end{source_.tenant, level.width_ms, start + width};
      auto at = runs.coarse_pending().lower_bound({source_.tenant, level.width_ms, start});
      for (; at != runs.coarse_pending().end() && at->first < end; ++at) {
        if (lacks_something(at->second)) return false;
      }
    }
    return true;
  }

  // Is there still a run of the finer granularity that is not in it?
  [[nodiscard]] bool lacks_something(const CoarseWindow& window) const {
    const Runs& runs = *source_.view.runs;
    const TimeRange range{window.slot.start, window.slot.start + window.slot.granularity_ms};
    const auto known = runs.slots.find(window.slot);
    const std::uint64_t sealed = known == runs.slots.end() ? 0 : known->second.mark.sealed;
    bool lacks = false;
    const auto look = [&](const Runs::OfSlot& slot) -> Status {
      lacks = lacks || std::ranges::any_of(slot.runs, [&](const auto& run) {
                return run->first_time < range.last && run->last_time >= range.first && run->content > sealed;
              });
      return {};
    };
    const Status done = for_each_level_slot(runs, source_.tenant, window.finer_ms, source_.chunk_width_ms, range, look);
    return !done || lacks;
  }

  const ScanSource& source_;
  const SlotList& slots_;
  std::span<const Place> places_;
  storage::PieceSink& sink_;
};

}  // namespace

std::vector<Segment> plan_scan(const ScanSource& source, const SlotList& slots, TimeRange range,
                               std::span<const Place> places, storage::PieceSink& sink) {
  if (source.rollups == nullptr || source.rollups->levels.empty() || places.empty()) return {Segment{range}};
  std::vector<Segment> out;
  const auto& levels = source.rollups->levels;
  const WindowTrust windows(source, slots, places, sink);
  static const std::vector<std::int64_t> kNone;
  const std::vector<std::int64_t>* has = &kNone;  // of the slots at hand
  bool stale = false;                             // likewise
  shared::PlanRules rules{levels, source.clock.now_ms(), {}, {}};
  rules.takes = [&](TimeRange part, std::size_t level) { return windows.taken(part, levels[level].width_ms); };
  rules.trusted = [&](TimeRange part, std::size_t level) {
    return windows.trusted(part, levels[level].width_ms, *has, stale);
  };
  const auto& all = slots.all();
  const auto is_open = [&places](const Mark& mark) {
    return !mark.open.empty() && std::ranges::any_of(places, [&](const Place& place) {
      return std::ranges::binary_search(mark.open, place.group);
    });
  };
  // In a slot that nothing was rolled up of yet, samples come beside the wide windows that were made of its neighbours.
  const auto is_beside = [&](const SlotList::Slot& slot) {
    return comes_late(*source.view.runs, {source.tenant, 0, slot.start}, *source.rollups, source.chunk_width_ms);
  };
  const auto usable = [&](const SlotList::Slot& slot) {
    if (slot.mark == nullptr || slot.mark->granularities_ms.empty()) return is_beside(slot);
    return (slot.rolled_up || slot.mark->dropped) && !is_open(*slot.mark);
  };
  const auto granularities = [](const SlotList::Slot& slot) -> const std::vector<std::int64_t>* {
    return slot.mark == nullptr || slot.mark->granularities_ms.empty() ? nullptr : &slot.mark->granularities_ms;
  };
  std::vector<std::int64_t> made_of_samples;
  for (const rollup::Level& level : levels) {
    if (level.width_ms <= source.chunk_width_ms) made_of_samples.push_back(level.width_ms);
  }
  const auto is_stale = [&](const SlotList::Slot& slot) {
    return granularities(slot) != nullptr && !slot.mark->dropped && !slot.mark->has_windows_of(made_of_samples);
  };
  // Where there never was a slot, nothing is missing in the windows: a wide one may reach there. But not far, lest
  // somebody looks for windows in centuries that are empty.
  const std::int64_t widest = std::max(source.chunk_width_ms, source.rollups->levels.back().width_ms);
  Timestamp done = range.first;
  Timestamp open_until = range.first;
  for (std::size_t i = 0; i < all.size();) {
    if (!usable(all[i])) {
      open_until = all[i++].end;
      continue;
    }
    has = granularities(all[i]);
    stale = is_stale(all[i]);
    std::size_t end = i + 1;
    for (; end < all.size() && usable(all[end]) && all[end].start - all[end - 1].end <= widest; ++end) {
      const auto* other = granularities(all[end]);
      if (has != nullptr && other != nullptr && *has != *other) break;
      if (is_stale(all[end]) != stale) break;
      if (has == nullptr) has = other;
    }
    const Timestamp next = end < all.size() ? all[end].start : range.last;
    if (has == nullptr) has = &kNone;
    const TimeRange rolled{std::max({done, open_until, model::window_start(all[i].start, widest)}),
                           std::min({range.last, next, model::round_up(all[end - 1].end, widest)})};
    append({{done, rolled.first}}, out);
    // The segment in front may be made longer, where days follow each other.
    const std::size_t filled_from = out.empty() ? 0 : out.size() - 1;
    shared::plan_windows(rules, rolled, levels.size(), out);
    // What came after the samples were dropped is not in the windows yet: it is added to them.
    const std::size_t filled = out.size();
    for (std::size_t late = i; late < end; ++late) {
      if (all[late].rolled_up) continue;
      const TimeRange slot{all[late].start, all[late].end};
      for (std::size_t f = filled_from; f < filled; ++f) {
        if (!out[f].of_samples()) append({model::both(out[f].range, slot)}, out);
      }
    }
    done = rolled.last;
    i = end;
  }
  append({{done, range.last}}, out);
  return out;
}

}  // namespace varve::engine::rocksdb
