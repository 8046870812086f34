// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/settle/slot_sealer.h"

#include <algorithm>

#include "base/check.h"
#include "engine/rocksdb/runs/level_slots.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::rocksdb {
namespace {

using rollup::Kind;
using rollup::Windows;

std::vector<std::int64_t> widths_of(const SealContext& context) {
  std::vector<std::int64_t> widths;
  for (const auto& level : context.options.rollups.levels) {
    if (level.width_ms <= context.source.chunk_width_ms) widths.push_back(level.width_ms);
  }
  return widths;
}

}  // namespace

SlotSealer::SlotSealer(const SealContext& context, const SlotKey& slot, RollupWriter& writer)
    : context_(context),
      slot_(slot),
      writer_(writer),
      of_slot_(context_.runs->slots.at(slot)),
      now_ms_(context_.source.clock.now_ms()),
      widths_(widths_of(context_)),
      adds_(of_slot_.mark.dropped ||
            comes_late(*context_.runs, slot, context_.options.rollups, context_.source.chunk_width_ms)),
      folder_(context_.source, of_slot_, widths_[0]) {
  if (of_slot_.mark.sealed == 0 || of_slot_.mark.dropped) return;
  for (const std::int64_t width : widths_) {
    const auto level_width = level_slot_width_ms(width, context_.source.chunk_width_ms);
    const auto stored = context_.runs->slots.find({slot.tenant, width, model::window_start(slot.start, level_width)});
    if (stored != context_.runs->slots.end()) stored_in_.try_emplace(width, context_.source, stored->second);
  }
}

Status SlotSealer::start() {
  check(!widths_.empty() && slot_.granularity_ms == 0, "raw slots are sealed into windows");
  const Mark& mark = of_slot_.mark;
  const bool all = !mark.dropped && mark.granularities_ms != widths_;
  groups_ = mark.open;
  for (const auto& run : of_slot_.runs) {
    if (all || run->content > mark.sealed) VARVE_RETURN_IF_ERROR(list_groups(*run));
  }
  std::ranges::sort(groups_);
  const auto twice = std::ranges::unique(groups_);
  groups_.erase(twice.begin(), twice.end());
  return {};
}

// Of a damaged block every group that may stand in it: reading them will fail.
Status SlotSealer::list_groups(const Run& run) {
  for (std::size_t i = 0; i < run.first_groups.size(); ++i) {
    const auto block = cached_block(context_.source, run, i);
    if (block) {
      for (std::size_t g = 0; g < (*block)->groups(); ++g) groups_.push_back(model::to_int((*block)->group(g)));
      continue;
    }
    if (block.error().code != Code::corrupt || of_slot_.mark.dropped) return fail(block.error());
    const ReaderLock lock(context_.catalog.mutex);
    const std::size_t end =
        i + 1 < run.first_groups.size() ? run.first_groups[i + 1] : context_.catalog.index.group_count();
    for (std::uint32_t group = run.first_groups[i]; group < end; ++group) {
      if (context_.catalog.index.group_tenant(model::GroupId{group}) == slot_.tenant) groups_.push_back(group);
    }
  }
  return {};
}

Status SlotSealer::add(std::span<const SealedGroup> batch) {
  for (const SealedGroup& group : batch) {
    if (next_ == groups_.size() || gave_up_) return {};
    if (group.group != groups_[next_]) continue;
    ++next_;
    VARVE_RETURN_IF_ERROR(add(group));
  }
  return {};
}

Status SlotSealer::add(const SealedGroup& one) {
  if (!of_slot_.mark.dropped && (!one.ours || context_.set_aside.holds(slot_, one.group, now_ms_))) {
    open_.push_back(one.group);
    return {};
  }
  const Status status = group(one);
  if (status) {
    context_.set_aside.succeeded(slot_, one.group);
    return {};
  }
  // Where samples are added to windows, a group that was added in part cannot be done again.
  if (status.error().code != Code::corrupt || of_slot_.mark.dropped) return status;
  context_.set_aside.failed(slot_, one.group, status.error(), now_ms_);
  open_.push_back(one.group);
  return {};
}

void SlotSealer::finish(Database::Commit& commit) {
  check(next_ == groups_.size() && !gave_up_, "a slot is sealed when all its groups are");
  Mark mark = of_slot_.mark;
  mark.sealed = of_slot_.content();
  mark.open = std::move(open_);
  if (mark.dropped) {
    // The samples are in the windows now, once and for all.
    commit.removed.insert(commit.removed.end(), of_slot_.runs.begin(), of_slot_.runs.end());
  } else {
    mark.granularities_ms = widths_;
  }
  commit.marks.emplace_back(slot_, std::move(mark));
  for (const SlotKey& window : coarse_) commit.marks.emplace_back(window, Mark{kThisCommit, false, {}, {}});
}

Status SlotSealer::group(const SealedGroup& group) {
  const SlotFolder::Out out = [this, &group](model::SeriesId series, bool text, const Windows& finest) {
    return fold(group, series, text, finest);
  };
  const SlotFolder::CounterOf counter_of = [&group](model::SeriesId one) { return group.counter_of(one); };
  if (!group.shared) return folder_.group(group.group, group.series, counter_of, out);
  for (const model::SeriesId one : group.series) {
    VARVE_RETURN_IF_ERROR(folder_.series(one, context_.catalog, counter_of, out));
  }
  return {};
}

Status SlotSealer::fold(const SealedGroup& one, model::SeriesId series, bool text, const Windows& finest) {
  if (finest.empty() && (adds_ || stored_in_.empty())) return {};
  const Kind kind = text ? Kind::text : one.kind_of(series);
  const std::uint32_t group = text ? rollup::text_group(series) : rollup::number_group(series);
  const Windows* finer = &finest;  // of widths_[0]
  parts_.clear();
  const auto& levels = context_.options.rollups.levels;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::int64_t width = levels[level].width_ms;
    if (adds_ && !takes_late(level, finest[0].start)) continue;
    const bool wide = width > context_.source.chunk_width_ms;
    if (wide && !adds_) break;
    if (width != widths_[0]) {
      Windows& coarser = finer == &coarser_ ? windows_ : coarser_;
      coarser.clear();
      rollup::coarsen(*finer, width, coarser, parts_);
      finer = &coarser;
    }
    if (wide || of_slot_.mark.dropped) {
      VARVE_RETURN_IF_ERROR(add_to_stored(width, group, kind, *finer));
    } else {
      VARVE_ASSIGN_OR_RETURN(const Windows* const all, with_emptied(width, group, *finer));
      VARVE_RETURN_IF_ERROR(writer_.add(slot_.tenant, width, group, kind, *all));
    }
  }
  return {};
}

// A number that was replaced by a text or a NaN, or a text by a number, may have been the only one in its window: an
// empty one stands before the stored one then.
Result<const Windows*> SlotSealer::with_emptied(std::int64_t width, std::uint32_t group, const Windows& windows) {
  const auto reader = stored_in_.find(width);
  if (reader == stored_in_.end()) return &windows;
  const model::TimeRange range{slot_.start, slot_.start + context_.source.chunk_width_ms};
  VARVE_RETURN_IF_ERROR(reader->second.read(group, stored_));
  std::erase_if(stored_, [&](const rollup::Window& s) {
    return !range.contains(s.start) || std::ranges::binary_search(windows, s.start, {}, &rollup::Window::start);
  });
  if (stored_.empty()) return &windows;
  for (auto& window : stored_) window = {window.start, window.start, window.start, 0, 0, 0, 0, nullptr};
  complete_ = rollup::merged(windows, stored_, parts_);
  return &complete_;
}

// Are late samples added to the stored window of this granularity, or will it be made of finer windows?
bool SlotSealer::takes_late(std::size_t level, model::Timestamp time) const {
  const std::int64_t chunk_width = context_.source.chunk_width_ms;
  const shared::Lifetimes lifetimes{context_.options.rollups.levels, context_.options.raw_retention_ms, chunk_width};
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
Status SlotSealer::add_to_stored(std::int64_t width, std::uint32_t group, Kind kind, const Windows& windows) {
  const auto level_width = level_slot_width_ms(width, context_.source.chunk_width_ms);
  const auto slot =
      context_.runs->slots.find({slot_.tenant, width, model::window_start(windows[0].start, level_width)});
  stored_.clear();
  if (slot != context_.runs->slots.end()) {
    WindowReader reader(context_.source, slot->second);
    VARVE_RETURN_IF_ERROR(reader.read(group, stored_));
    std::erase_if(stored_, [&](const rollup::Window& s) {
      return std::ranges::none_of(windows, [&](const rollup::Window& w) { return w.start == s.start; });
    });
    for (auto& window : stored_) rollup::own_parts(window, parts_);
  }
  if (width > context_.source.chunk_width_ms) coarse_.insert({slot_.tenant, width, windows[0].start});
  return writer_.add(slot_.tenant, width, group, kind, rollup::merged(stored_, windows, parts_));
}

}  // namespace varve::engine::rocksdb
