// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/erase/edge_windows.h"

#include <algorithm>
#include <deque>

#include "engine/rocksdb/runs/level_slots.h"
#include "engine/rocksdb/runs/strata.h"
#include "engine/rocksdb/scan/window_reader.h"
#include "engine/shared/declared_counter.h"
#include "engine/shared/stored_for.h"
#include "rollup/columns.h"

namespace varve::engine::rocksdb {

using rollup::Kind;
using rollup::Window;
using rollup::Windows;

Status EdgeWindows::find(const std::set<model::Timestamp>& touched) {
  std::int64_t finer = 0;
  for (const auto& level : context_.options.rollups.levels) {
    list_edges(level.width_ms, finer, touched);
    finer = level.width_ms;
  }
  for (const auto& [slot, edges] : of_slots_) VARVE_RETURN_IF_ERROR(fold_slot(slot, edges));
  for (Edge& edge : edges_) combine(edge);
  for (const auto& [edge, finer_ms] : of_finer_) VARVE_RETURN_IF_ERROR(make_of_finer(edges_[edge], finer_ms));
  return {};
}

void EdgeWindows::list_edges(std::int64_t width, std::int64_t finer_ms, const std::set<model::Timestamp>& touched) {
  const auto& slots = context_.runs->slots;
  const auto tenant = context_.erasure.tenant();
  const auto range = context_.erasure.range();
  const std::int64_t chunk_width = context_.source.chunk_width_ms;
  const std::set<model::Timestamp> starts = {model::window_start(range.first, width),
                                             model::window_start(range.last - 1, width)};
  for (const model::Timestamp start : starts) {
    if (context_.erasure.covers(start, width) || !context_.batch.contains(start)) continue;
    const model::Timestamp first_slot = model::window_start(start, chunk_width);
    const bool wide = width > chunk_width;
    const model::Timestamp end = wide ? start + width : first_slot + chunk_width;
    if (wide) {
      const auto mark = slots.find({tenant, width, start});
      if (mark == slots.end() || mark->second.mark.sealed == 0) continue;  // not made yet
    }
    const auto some = touched.lower_bound(first_slot);
    const bool erased = some != touched.end() && *some < end;
    const bool dropped = any_dropped(*context_.runs, tenant, {first_slot, end}, chunk_width);
    const shared::Remake remake = shared::remake(dropped, wide, erased);
    if (remake == shared::Remake::nothing) continue;
    if (remake == shared::Remake::of_finer) {
      of_finer_.emplace_back(edges_.size(), finer_ms);
    } else {
      const auto list = [&](const SlotKey& slot, const Runs::OfSlot& of_slot) {
        // What came after a wide window was made stands beside it, and will be added.
        const Mark& mark = of_slot.mark;
        if (wide ? mark.sealed > 0 : !mark.granularities_ms.empty()) of_slots_[slot].push_back(edges_.size());
      };
      for_each_raw_slot(*context_.runs, tenant, {first_slot, end}, chunk_width, list);
    }
    edges_.push_back({width, start, remake == shared::Remake::of_samples, {}, {}});
  }
}

Status EdgeWindows::fold_slot(const SlotKey& slot, const std::vector<std::size_t>& edges) {
  const model::TimeRange time = slot.raw_range(context_.source.chunk_width_ms);
  if (context_.erasure.covers(time.first, time.last - time.first)) return {};
  const auto before = context_.before(context_.runs->slots.at(slot));
  SlotFolder folder(context_.source, before, context_.options.rollups.levels[0].width_ms, context_.erasure.range());
  const SlotFolder::Out out = [&](model::SeriesId series, bool text, const Windows& finest) -> Status {
    if (!context_.erasure.has_series(model::to_int(series))) return {};
    const std::uint32_t group = text ? rollup::text_group(series) : rollup::number_group(series);
    for (const std::size_t e : edges) {
      Edge& edge = edges_[e];
      coarser_.clear();
      rollup::PartPool texts;
      rollup::coarsen(finest, edge.width_ms, coarser_, texts);
      for (const Window& window : coarser_) {
        if (window.start == edge.start) edge.windows.emplace_back(group, keep(window));
      }
    }
    return {};
  };
  for (const std::uint32_t group : context_.erasure.groups()) {
    VARVE_RETURN_IF_ERROR(context_.pause());
    VARVE_RETURN_IF_ERROR(fold_group(folder, group, out));
  }
  return {};
}

Status EdgeWindows::fold_group(SlotFolder& folder, std::uint32_t group, const SlotFolder::Out& out) {
  std::span<const model::SeriesId> series;
  bool shared = false;
  std::map<model::SeriesId, counter::Declaration> declared;
  {
    const ReaderLock lock(context_.catalog.mutex);
    series = context_.catalog.index.group_series(model::GroupId{group});
    shared = context_.catalog.shared_groups.contains(group);
    for (const model::SeriesId one : series) {
      auto found =
          shared::declared_counter(context_.options.rollups, context_.catalog.index, context_.erasure.tenant(), one);
      if (found) declared.emplace(one, std::move(*found));
    }
  }
  const SlotFolder::CounterOf counter_of = [&](model::SeriesId one) {
    const auto found = declared.find(one);
    return found == declared.end() ? nullptr : &found->second;
  };
  if (!shared) return folder.group(group, series, counter_of, out);
  for (const std::uint16_t column : context_.erasure.columns(group)) {
    VARVE_RETURN_IF_ERROR(folder.series(series[column], context_.catalog, counter_of, out));
  }
  return {};
}

// What several slots gave to one window.
void EdgeWindows::combine(Edge& edge) {
  std::ranges::stable_sort(edge.windows, {}, [](const auto& entry) { return entry.first; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edge.windows.size(); ++i) {
    if (kept > 0 && edge.windows[kept - 1].first == edge.windows[i].first) {
      rollup::combine(edge.windows[kept - 1].second, edge.windows[i].second, parts_);
    } else {
      edge.windows[kept++] = edge.windows[i];
    }
  }
  edge.windows.resize(kept);
}

Status EdgeWindows::make_of_finer(Edge& edge, std::int64_t finer_ms) {
  const auto tenant = context_.erasure.tenant();
  const std::int64_t chunk_width = context_.source.chunk_width_ms;
  const model::TimeRange range{edge.start, edge.start + edge.width_ms};
  std::deque<WindowReader> stored_in;  // at most one
  std::deque<WindowReader> finer_in;
  const auto open = [&](std::deque<WindowReader>& readers, std::int64_t width, model::TimeRange of) {
    return for_each_level_slot(*context_.runs, tenant, width, chunk_width, of, [&](const Runs::OfSlot& slot) {
      readers.emplace_back(context_.source, slot);
      return Status{};
    });
  };
  VARVE_RETURN_IF_ERROR(open(stored_in, edge.width_ms, {edge.start, edge.start + 1}));
  VARVE_RETURN_IF_ERROR(open(finer_in, finer_ms, range));
  Windows windows;
  const auto one = [&](std::uint32_t group) -> Status {
    std::uint64_t count = 0;
    for (WindowReader& reader : stored_in) {
      VARVE_RETURN_IF_ERROR(reader.read(group, windows));
      for (const Window& window : windows) count += window.start == edge.start ? window.count : 0;
    }
    if (count == 0) return {};
    std::uint64_t finer_count = 0;
    Windows left;
    for (WindowReader& reader : finer_in) {
      VARVE_RETURN_IF_ERROR(reader.read(group, windows));
      for (const Window& window : windows) {
        if (!range.contains(window.start)) continue;
        finer_count += window.count;
        if (context_.erasure.covers(window.start, finer_ms)) continue;
        if (!goes(finer_ms, window.start, group)) {
          left.push_back(window);
        } else if (const Window* fresh = made(*edge_of(finer_ms, window.start), group)) {
          left.push_back(*fresh);
        }
      }
    }
    if (!shared::says_no_less(finer_count, count)) return {};
    edge.made.push_back(group);
    coarser_.clear();
    rollup::PartPool texts;
    rollup::coarsen(left, edge.width_ms, coarser_, texts);
    for (const Window& window : coarser_) edge.windows.emplace_back(group, keep(window));
    return {};
  };
  for (const std::uint32_t series : context_.erasure.series()) {
    VARVE_RETURN_IF_ERROR(context_.pause());
    VARVE_RETURN_IF_ERROR(one(rollup::number_group(model::SeriesId{series})));
    VARVE_RETURN_IF_ERROR(one(rollup::text_group(model::SeriesId{series})));
  }
  return {};
}

const EdgeWindows::Edge* EdgeWindows::edge_of(std::int64_t width, model::Timestamp start) const {
  const auto found =
      std::ranges::find_if(edges_, [&](const Edge& edge) { return edge.width_ms == width && edge.start == start; });
  return found == edges_.end() ? nullptr : &*found;
}

const Window* EdgeWindows::made(const Edge& edge, std::uint32_t group) const {
  const auto found = std::ranges::lower_bound(edge.windows, group, {}, [](const auto& entry) { return entry.first; });
  return found == edge.windows.end() || found->first != group ? nullptr : &found->second;
}

bool EdgeWindows::goes(std::int64_t width, model::Timestamp start, std::uint32_t group) const {
  const Edge* const edge = edge_of(width, start);
  return edge != nullptr && (edge->from_samples || std::ranges::binary_search(edge->made, group));
}

Window EdgeWindows::keep(const Window& window) {
  Window out = window;
  rollup::own_parts(out, parts_);
  return out;
}

Status EdgeWindows::write(RollupWriter& writer) const {
  for (const Edge& edge : edges_) {
    for (const auto& [group, window] : edge.windows) {
      Kind kind = Kind::text;
      if ((group & 1) == 0) {
        const ReaderLock lock(context_.catalog.mutex);
        kind = context_.options.rollups.kind_of(context_.catalog.index.metric(model::SeriesId{group / 2}));
      }
      VARVE_RETURN_IF_ERROR(writer.add(context_.erasure.tenant(), edge.width_ms, group, kind, {&window, 1}));
    }
  }
  return {};
}

}  // namespace varve::engine::rocksdb
