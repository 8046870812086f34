// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/scan/scan_stretches.h"

#include <algorithm>

#include "engine/rocksdb/runs/late.h"
#include "engine/rocksdb/runs/level_slots.h"

namespace varve::engine::rocksdb {
namespace {

using model::TimeRange;
using model::Timestamp;

Timestamp round_up(Timestamp t, std::int64_t width) {
  const Timestamp start = model::window_start(t, width);
  return start == t ? t : start + width;
}

// Fills a range that is rolled up with stretches, coarsest first.
class Chooser {
 public:
  Chooser(const ScanSource& source, const SlotList& slots, std::span<const Place> places, storage::PieceSink& sink,
          std::vector<Stretch>& out)
      : source_(source), slots_(slots), places_(places), sink_(sink), out_(out) {}

  // Uses the first `levels` granularities. `has`: widths made of every raw slot in the range.
  void fill(TimeRange range, std::size_t levels, const std::vector<std::int64_t>& has) {
    if (range.empty()) return;
    while (levels > 0) {
      const rollup::Level& level = source_.rollups->levels[--levels];
      const std::int64_t width = level.width_ms;
      if (width <= source_.chunk_width_ms && !std::ranges::binary_search(has, width)) continue;
      // Windows whose time is over may be gone at any moment; the samples may not.
      const Timestamp kept_from = level.retention_ms < rollup::kForEver ? now_ms_ - level.retention_ms : range.first;
      const TimeRange inner{round_up(std::max(range.first, kept_from), width), model::window_start(range.last, width)};
      if (inner.first >= inner.last || !taken(inner, width)) continue;
      if (width <= source_.chunk_width_ms) {
        fill({range.first, inner.first}, levels, has);
        out_.push_back({inner, width});
        fill({inner.last, range.last}, levels, has);
        return;
      }
      return fill_coarse(range, inner, width, levels, has);
    }
    out_.push_back({range, 0});
  }

 private:
  // Windows wider than a slot are there only from their own sealing on.
  void fill_coarse(TimeRange range, TimeRange inner, std::int64_t width, std::size_t levels,
                   const std::vector<std::int64_t>& has) {
    Timestamp done = range.first;
    for (Timestamp start = inner.first; start < inner.last; start += width) {
      if (!is_built(start, width)) continue;
      fill({done, start}, levels, has);
      if (!out_.empty() && out_.back().granularity_ms == width && out_.back().range.last == start) {
        out_.back().range.last = start + width;
      } else {
        out_.push_back({{start, start + width}, width});
      }
      done = start + width;
    }
    fill({done, range.last}, levels, has);
  }

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

  // A counter's windows say nothing of extremes, and its samples do; but where those are gone the windows at least say
  // that there is something unknown.
  [[nodiscard]] bool taken(TimeRange range, std::int64_t width) const {
    const auto is_gone = [&](const SlotList::Slot& slot) {
      return slot.mark != nullptr && slot.mark->dropped && slots_.overlaps(slot, range);
    };
    const bool counters = std::ranges::any_of(places_, [&](const Place& p) { return source_.counters[p.series] != 0; });
    const bool any_gone = counters && std::ranges::any_of(slots_.all(), is_gone);
    return std::ranges::all_of(places_, [&](const Place& place) {
      const bool has_extremes = source_.counters[place.series] == 0 || any_gone;
      return sink_.takes_windows(place.series, range, width) &&
             (has_extremes || !sink_.window_fields(place.series).extremes());
    });
  }

  const ScanSource& source_;
  const SlotList& slots_;
  std::span<const Place> places_;
  storage::PieceSink& sink_;
  std::vector<Stretch>& out_;
  const std::int64_t now_ms_ = source_.clock.now_ms();
};

// Neighbours that are both read as samples are read as one.
void join_samples(std::vector<Stretch>& stretches) {
  std::size_t kept = 0;
  for (const Stretch& stretch : stretches) {
    Stretch* const before = kept > 0 ? &stretches[kept - 1] : nullptr;
    const bool joins = before != nullptr && before->granularity_ms == 0 && stretch.granularity_ms == 0 &&
                       before->range.last == stretch.range.first;
    if (joins) {
      before->range.last = stretch.range.last;
    } else {
      stretches[kept++] = stretch;
    }
  }
  stretches.resize(kept);
}

}  // namespace

std::vector<Stretch> stretches_of(const ScanSource& source, const SlotList& slots, TimeRange range,
                                  std::span<const Place> places, storage::PieceSink& sink) {
  if (source.rollups == nullptr || source.rollups->levels.empty() || places.empty()) return {{range, 0}};
  std::vector<Stretch> out;
  Chooser chooser(source, slots, places, sink, out);
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
  // Where there never was a slot, nothing is missing in the windows: a wide one may reach there. But not far, lest
  // somebody looks for windows in centuries that are empty.
  const std::int64_t widest = std::max(source.chunk_width_ms, source.rollups->levels.back().width_ms);
  const auto end_of = [&](const SlotList::Slot& slot) { return slot.start + source.chunk_width_ms; };
  Timestamp done = range.first;
  Timestamp open_until = range.first;
  for (std::size_t i = 0; i < all.size();) {
    if (!usable(all[i])) {
      open_until = end_of(all[i++]);
      continue;
    }
    static const std::vector<std::int64_t> kNone;
    const auto* has = granularities(all[i]);
    std::size_t end = i + 1;
    for (; end < all.size() && usable(all[end]) && all[end].start - end_of(all[end - 1]) <= widest; ++end) {
      const auto* other = granularities(all[end]);
      if (has != nullptr && other != nullptr && *has != *other) break;
      if (has == nullptr) has = other;
    }
    const Timestamp next = end < all.size() ? all[end].start : range.last;
    const TimeRange rolled{std::max({done, open_until, model::window_start(all[i].start, widest)}),
                           std::min({range.last, next, round_up(end_of(all[end - 1]), widest)})};
    if (done < rolled.first) out.push_back({{done, rolled.first}, 0});
    // The stretch in front may be made longer, where days follow each other.
    const std::size_t filled_from = out.empty() ? 0 : out.size() - 1;
    chooser.fill(rolled, source.rollups->levels.size(), has == nullptr ? kNone : *has);
    // What came after the samples were dropped is not in the windows yet: it is added to them.
    const std::size_t filled = out.size();
    for (std::size_t late = i; late < end; ++late) {
      if (all[late].rolled_up) continue;
      const TimeRange slot{all[late].start, all[late].start + source.chunk_width_ms};
      for (std::size_t f = filled_from; f < filled; ++f) {
        const TimeRange both{std::max(out[f].range.first, slot.first), std::min(out[f].range.last, slot.last)};
        if (out[f].granularity_ms != 0 && !both.empty()) out.push_back({both, 0});
      }
    }
    done = rolled.last;
    i = end;
  }
  if (done < range.last) out.push_back({{done, range.last}, 0});
  join_samples(out);
  return out;
}

}  // namespace varve::engine::rocksdb
