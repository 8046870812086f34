// SPDX-License-Identifier: Apache-2.0
// What comes late is added to windows whose samples are gone, or that are made of other samples, too.
#include <algorithm>

#include "engine/rocksdb/runs/level_slots.h"
#include "engine/rocksdb/settle/slot_sealer.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::rocksdb {

using rollup::Window;

// Are late samples added to the stored window of this granularity, or will it be made of finer windows?
bool SlotSealer::takes_late(std::size_t level, model::Timestamp time) const {
  const std::int64_t chunk_width = context_.source.chunk_width_ms;
  const shared::Lifetimes lifetimes{kept_.levels, kept_.raw_ms, chunk_width};
  const auto kept = [&](std::size_t which) {
    const std::int64_t width = level_slot_width_ms(lifetimes.levels[which].width_ms, chunk_width);
    return shared::is_kept(model::window_start(time, width) + width, lifetimes.stored_ms(which), now_ms_);
  };
  const std::int64_t width = lifetimes.levels[level].width_ms;
  if (width <= chunk_width) return shared::takes_late(kept(level), shared::Kept::kept, false);
  const SlotKey window{slot_.tenant, width, model::window_start(time, width)};
  const bool is_due =
      !has_coarse(*context_.runs, slot_.tenant, width, time) || context_.runs->coarse_pending().contains(window);
  return shared::takes_late(kept(level), kept(level - 1), is_due);
}

// Each granularity is added to, and not made of the finer one, which may be gone.
Status SlotSealer::add_late(const RollupGroup& of, std::span<const Window> finest) {
  const std::int64_t chunk_width = context_.source.chunk_width_ms;
  const auto& levels = context_.options.rollups.levels;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const bool wide = levels[level].width_ms > chunk_width;
    if (!wide && !of_slot_.mark.dropped) continue;
    // Windows that are stored together, or not at all.
    const std::int64_t together =
        wide ? levels[level].width_ms : level_slot_width_ms(levels[level].width_ms, chunk_width);
    for (auto rest = finest; !rest.empty();) {
      const model::Timestamp end = model::window_start(rest[0].start, together) + together;
      const auto next = std::ranges::lower_bound(rest, end, {}, &Window::start);
      const auto now = rest.first(static_cast<std::size_t>(next - rest.begin()));
      if (takes_late(level, rest[0].start)) VARVE_RETURN_IF_ERROR(add_to_stored(levels[level].width_ms, of, now));
      rest = rest.subspan(now.size());
    }
  }
  return {};
}

// Stretch by stretch of the width of a chunk: the shorter the late part, the more is known of a counter's whole.
Status SlotSealer::add_to_stored(std::int64_t width, const RollupGroup& of, std::span<const Window> finest) {
  const std::int64_t chunk_width = context_.source.chunk_width_ms;
  const auto level_width = level_slot_width_ms(width, chunk_width);
  const auto slot = context_.runs->slots.find({slot_.tenant, width, model::window_start(finest[0].start, level_width)});
  stored_.clear();
  if (slot != context_.runs->slots.end()) {
    WindowReader reader(context_.source, slot->second);
    VARVE_RETURN_IF_ERROR(reader.read(of.group, stored_));
    std::erase_if(stored_, [&](const Window& s) {
      return std::ranges::none_of(finest,
                                  [&](const Window& w) { return model::window_start(w.start, width) == s.start; });
    });
    for (auto& window : stored_) rollup::own_parts(window, parts_);
  }
  while (!finest.empty()) {
    const model::Timestamp end = model::window_start(finest[0].start, chunk_width) + chunk_width;
    const auto next = std::ranges::lower_bound(finest, end, {}, &Window::start);
    part_.assign(finest.begin(), next);
    coarser_.clear();
    rollup::coarsen(part_, width, coarser_, parts_);
    stored_ = rollup::merged(stored_, coarser_, parts_);
    finest = finest.subspan(static_cast<std::size_t>(next - finest.begin()));
  }
  if (width > chunk_width) coarse_.insert({slot_.tenant, width, stored_[0].start});
  return writer_.add(slot_.tenant, width, of.group, of.kind, stored_);
}

}  // namespace varve::engine::rocksdb
