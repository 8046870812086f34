// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/erase/eraser.h"
#include "engine/cassandra/scan/erasure_rows.h"

#include <algorithm>
#include <set>

namespace varve::engine::cassandra {
namespace {

using model::TimeRange;
using model::Timestamp;

constexpr std::int64_t kSlotsAtOnce = 64;

// Cells of the columns that have a value in the range.
Result<std::uint64_t> count_cells(const SlotData& data, std::span<const std::uint16_t> columns, TimeRange range) {
  std::uint64_t cells = 0;
  shared::Gather gather;
  for (std::size_t first = 0; first < columns.size();) {
    std::size_t end = first + 1;
    while (end < columns.size() && columns[end] / kSeriesPerPart == columns[first] / kSeriesPerPart) ++end;
    VARVE_CHECK_OK(gather_columns(data, columns.subspan(first, end - first), gather));
    gather.finish();
    for (std::size_t i = 0; i < gather.times().size(); ++i) {
      if (!range.contains(gather.times()[i])) continue;
      cells += static_cast<std::uint64_t>(std::ranges::count_if(gather.columns(), [i](const chunk::Column& column) {
        return column.form != chunk::Column::Form::typed || column.types[i] != chunk::kErased;
      }));
    }
    first = end;
  }
  return cells;
}

std::vector<unsigned> parts_with(std::span<const std::uint16_t> columns) {
  std::set<unsigned> parts;
  for (const std::uint16_t column : columns) parts.insert(column / kSeriesPerPart);
  return {parts.begin(), parts.end()};
}

}  // namespace

Status Eraser::erase(const EraseWork& work, TimeRange range, const TimeRanges& active, std::span<const Timestamp> hot,
                     const TouchUnit& touch, const std::atomic<bool>* cancelled, storage::EraseReport& report) const {
  const std::int64_t step_ms = kSlotsAtOnce * parts_.reader.slot_ms();
  for (const TimeRange& part : active) {
    const TimeRange here = both(part, range);
    for (Timestamp from = here.first; from < here.last;) {
      if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) {
        return fail(Code::cancelled, "the delete was cancelled; a part of it may be done");
      }
      const TimeRange stretch{from, std::min(here.last, model::window_start(from, step_ms) + step_ms)};
      VARVE_CHECK_OK(rewrite_slots(work, stretch, hot, touch, report));
      from = stretch.last;
    }
    for (std::size_t level = 0; level < parts_.maker.levels().size(); ++level) {
      VARVE_CHECK_OK(rewrite_units(work, level, here));
    }
  }
  return {};
}

// Visible to whoever reads from here on. It holds for blocks that were read before it stood, too.
Status Eraser::write_erasure(const EraseWork& work, TimeRange range) const {
  const auto draw = [&] { return parts_.stamps.draw(parts_.clock.now_ms() * 1000); };
  Erasure erasure{draw(), std::numeric_limits<std::int64_t>::max(), range, work.columns};
  VARVE_CHECK_OK(parts_.rows.write_now({erasure_write(parts_.tables, work.group.cells, erasure, erasure.at_us)}));
  erasure.blocks_us = draw();
  return parts_.rows.write_now({erasure_write(parts_.tables, work.group.cells, erasure, erasure.blocks_us)});
}

Status Eraser::rewrite_slots(const EraseWork& work, TimeRange range, std::span<const Timestamp> hot,
                             const TouchUnit& touch, storage::EraseReport& report) const {
  const std::int64_t slot_ms = parts_.reader.slot_ms();
  SlotsWanted wanted{&work.group, range, parts_with(work.columns), {}};
  for (const Timestamp slot : hot) {
    if (range.overlaps({slot, slot + slot_ms})) wanted.hot.push_back(slot);
  }
  VARVE_TRY(const auto lists, parts_.reader.read({&wanted, 1}, {}));
  std::vector<SealWork> again;
  for (const SlotData& data : lists[0]) {
    VARVE_TRY(const std::uint64_t cells, count_cells(data, work.columns, range));
    if (cells == 0) continue;
    report.samples += cells;
    ++report.slots;
    again.push_back({work.group, data.slot, true});  // perhaps
  }
  if (again.empty()) return {};
  // Before the samples go, so that no window outlives them in somebody's answer.
  for (const SealWork& slot : again) {
    for (std::size_t level = 0; level < parts_.maker.levels().size(); ++level) {
      VARVE_CHECK_OK(touch(work, level, model::window_start(slot.slot, parts_.maker.levels()[level].row_ms)));
    }
  }
  VARVE_CHECK_OK(write_erasure(work, range));
  // Also what is pending: it may be another group's that is, and the delete is not kept for ever.
  VARVE_TRY(const auto sealed, parts_.sealer.seal(again));
  for (const SealedSlot& one : sealed) VARVE_CHECK_OK(one.status);
  return {};
}

// Windows whose samples are gone are kept when a unit is made again: those that lie in the range go here.
Status Eraser::rewrite_units(const EraseWork& work, std::size_t level, TimeRange range) const {
  constexpr ChunkFields kFields{.chunk = true, .lives = true, .added = true};
  const ChunkTable& table = parts_.maker.levels()[level];
  const std::int64_t width_ms = parts_.maker.width_ms(level);
  const std::int64_t read_us = parts_.stamps.draw(parts_.clock.now_ms() * 1000);
  std::vector<RowWrite> rows;
  for (const unsigned part : parts_with(work.columns)) {
    std::vector<RowRead> reads;
    add_reads(reads, table, work.group.cells, part, range, kFields);
    VARVE_CHECK_OK(parts_.rows.read(reads, {}, [&](std::size_t, const RowView& view) -> Status {
      VARVE_TRY(const ChunkRow stored, chunk_row(view, kFields));
      VARVE_TRY(const auto block, open_windows(stored.chunk));
      if (block == nullptr) return {};
      ChunkWrite row{stored.start, part, {}, {}, {}};
      VARVE_TRY(row.lives, decode_lives(stored.lives, stored.start));
      VARVE_TRY(row.added, decode_arrivals(stored.added));
      std::vector<SeriesWindows> series(row.lives.series.size());
      std::uint64_t gone = 0;
      for (unsigned c = 0; c < series.size(); ++c) {
        VARVE_TRY(series[c], windows_of(*block, c));
        if (!std::ranges::binary_search(work.columns, part * kSeriesPerPart + c)) continue;
        std::uint64_t points = 0;
        const auto goes = [&](const rollup::Window& w) {
          const bool inside = w.start >= range.first && w.start + width_ms <= range.last;
          points += inside ? w.count : 0;
          return inside;
        };
        gone += std::erase_if(series[c].numbers, goes) + std::erase_if(series[c].texts, goes);
        storage::SeriesLife& life = row.lives.series[c];
        life.points -= std::min(life.points, points);
        if (series[c].empty()) life = {};
      }
      if (gone == 0) return {};
      row.chunk = WindowEncoder().encode(series);
      row.lives.read_us = read_us;
      add_write(rows, table, work.group.cells, row, parts_.clock.now_ms());
      return {};
    }));
  }
  return rows.empty() ? Status{} : parts_.rows.write_now(std::move(rows));
}

}  // namespace varve::engine::cassandra
