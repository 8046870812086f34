// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/settle/slot_sealer.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/sort_unique.h"
#include "engine/rocksdb/runs/level_slots.h"

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

// As much of the slot as lies in one level slot of each granularity.
std::int64_t part_width_of(const SlotKey& slot, std::span<const std::int64_t> widths, std::int64_t chunk_width_ms) {
  std::int64_t part = slot.raw_width_ms(chunk_width_ms);
  for (const std::int64_t width : widths) part = std::gcd(part, level_slot_width_ms(width, chunk_width_ms));
  return part;
}

}  // namespace

SlotSealer::SlotSealer(const SealContext& context, const SlotKey& slot, RollupWriter& writer)
    : context_(context),
      slot_(slot),
      writer_(writer),
      of_slot_(context_.runs->slots.at(slot)),
      kept_(context_.catalog.kept(slot.tenant)),
      now_ms_(context_.source.clock.now_ms()),
      widths_(widths_of(context_)),
      part_width_ms_(part_width_of(slot, widths_, context_.source.chunk_width_ms)),
      adds_(of_slot_.mark.dropped ||
            comes_late(*context_.runs, slot, context_.options.rollups, context_.source.chunk_width_ms)),
      folder_(context_.source, of_slot_, widths_[0]) {
  if (of_slot_.mark.sealed == 0 || of_slot_.mark.dropped) return;
  const model::TimeRange range = slot.raw_range(context_.source.chunk_width_ms);
  for (const std::int64_t width : widths_) {
    const auto level_width = level_slot_width_ms(width, context_.source.chunk_width_ms);
    for (auto start = model::window_start(range.first, level_width); start < range.last; start += level_width) {
      const auto stored = context_.runs->slots.find({slot.tenant, width, start});
      if (stored == context_.runs->slots.end()) continue;
      stored_in_.try_emplace(std::pair(width, start), context_.source, stored->second);
    }
  }
}

Status SlotSealer::start() {
  check(!widths_.empty() && slot_.is_raw(), "raw slots are sealed into windows");
  const Mark& mark = of_slot_.mark;
  const bool all = !mark.dropped && !mark.has_windows_of(widths_);
  groups_ = mark.open;
  const std::int64_t chunk_width = context_.source.chunk_width_ms;
  const model::TimeRange whole = slot_.raw_range(chunk_width);
  folded_ = {whole.last, whole.first};
  if (all || !mark.open.empty()) folded_ = whole;
  for (const auto& run : of_slot_.runs) {
    if (!all && run->content <= mark.sealed) continue;
    VARVE_RETURN_IF_ERROR(list_groups(*run));
    folded_.first = std::min(folded_.first, model::window_start(run->first_time, chunk_width));
    folded_.last = std::max(folded_.last, model::window_start(run->last_time, chunk_width) + chunk_width);
  }
  sort_unique(groups_);
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
      const model::GroupId id{group};
      const bool is_left = !context_.catalog.index.group_series(id).empty();
      if (is_left && context_.catalog.index.group_tenant(id) == slot_.tenant) groups_.push_back(group);
    }
  }
  return {};
}

std::size_t SlotSealer::windows_of_series() const {
  std::int64_t windows = 0;
  for (const std::int64_t width : widths_) windows += slot_.raw_width_ms(context_.source.chunk_width_ms) / width;
  return static_cast<std::size_t>(windows);
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
  if (!of_slot_.mark.dropped && (!one.ours || context_.set_aside.holds(slot_, one.group))) {
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
  context_.set_aside.failed(slot_, one.group, status.error());
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
    // Windows that are not configured any more still say what it held, unless something came.
    if (!of_slot_.is_sealed() || !of_slot_.mark.open.empty()) mark.granularities_ms.clear();
    mark.granularities_ms.insert(mark.granularities_ms.end(), widths_.begin(), widths_.end());
    sort_unique(mark.granularities_ms);
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
  const RollupGroup group{text ? rollup::text_group(series) : rollup::number_group(series),
                          text ? Kind::text : one.kind_of(series)};
  parts_.clear();
  if (adds_) VARVE_RETURN_IF_ERROR(add_late(group, finest));
  if (of_slot_.mark.dropped) return {};
  const bool is_all =
      finest.empty() || (folded_.contains(finest.front().start) && folded_.contains(finest.back().start));
  const auto end_of = [this](model::Timestamp start) {
    return std::min(model::window_start(start, part_width_ms_) + part_width_ms_, folded_.last);
  };
  if (end_of(folded_.first) == folded_.last && is_all) return fold_part(group, finest, folded_);
  auto at = std::ranges::lower_bound(finest, folded_.first, {}, &rollup::Window::start);
  for (auto start = folded_.first; start < folded_.last; start = end_of(start)) {
    const auto end = end_of(start);
    const auto next = std::find_if(at, finest.end(), [&](const rollup::Window& w) { return w.start >= end; });
    part_.assign(at, next);
    at = next;
    parts_.clear();
    VARVE_RETURN_IF_ERROR(fold_part(group, part_, {start, end}));
  }
  return {};
}

// Of a stretch that no level slot ends in: all granularities that fit into a chunk.
Status SlotSealer::fold_part(const RollupGroup& of, const Windows& finest, model::TimeRange part) {
  if (finest.empty() && stored_in_.empty()) return {};
  const Windows* finer = &finest;  // of widths_[0]
  for (std::size_t level = 0; level < widths_.size(); ++level) {
    if (adds_ && !takes_late(level, finest[0].start)) continue;
    const std::int64_t width = widths_[level];
    if (level > 0) {
      Windows& coarser = finer == &coarser_ ? windows_ : coarser_;
      coarser.clear();
      rollup::coarsen(*finer, width, coarser, parts_);
      finer = &coarser;
    }
    VARVE_ASSIGN_OR_RETURN(const Windows* const all, with_emptied(width, of.group, *finer, part));
    VARVE_RETURN_IF_ERROR(writer_.add(slot_.tenant, width, of.group, of.kind, *all));
  }
  return {};
}

// A number that was replaced by a text or a NaN, or a text by a number, may have been the only one in its window: an
// empty one stands before the stored one then.
Result<const Windows*> SlotSealer::with_emptied(std::int64_t width, std::uint32_t group, const Windows& windows,
                                                model::TimeRange part) {
  const auto level_width = level_slot_width_ms(width, context_.source.chunk_width_ms);
  const auto reader = stored_in_.find({width, model::window_start(part.first, level_width)});
  if (reader == stored_in_.end()) return &windows;
  VARVE_RETURN_IF_ERROR(reader->second.read(group, stored_));
  std::erase_if(stored_, [&](const rollup::Window& s) {
    return !part.contains(s.start) || std::ranges::binary_search(windows, s.start, {}, &rollup::Window::start);
  });
  if (stored_.empty()) return &windows;
  for (auto& window : stored_) window = {window.start, window.start, window.start, 0, 0, 0, 0, nullptr};
  complete_ = rollup::merged(windows, stored_, parts_);
  return &complete_;
}

}  // namespace varve::engine::rocksdb
