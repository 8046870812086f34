// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/erase/eraser.h"
#include "base/check.h"
#include "engine/cassandra/scan/erasure_rows.h"
#include "engine/shared/cells.h"

#include <algorithm>
#include <set>
#include <utility>

namespace varve::engine::cassandra {
namespace {

using model::TimeRange;
using model::Timestamp;

constexpr std::int64_t kSlotsAtOnce = 64;
constexpr std::size_t kRollupBlocksAtOnce = 64;

// Cells of the columns in the range.
struct Counted {
  std::uint64_t values = 0;
  std::uint64_t markers = 0;
};

Result<Counted> count_cells(const SlotData& data, std::span<const std::uint16_t> columns, TimeRange range) {
  Counted cells;
  shared::Gather gather;
  for (std::size_t first = 0; first < columns.size();) {
    std::size_t end = first + 1;
    while (end < columns.size() && columns[end] / kSeriesPerColumnShard == columns[first] / kSeriesPerColumnShard)
      ++end;
    VARVE_RETURN_IF_ERROR(gather_columns(data, columns.subspan(first, end - first), gather));
    gather.finish();
    for (std::size_t i = 0; i < gather.times().size(); ++i) {
      if (!range.contains(gather.times()[i])) continue;
      for (const chunk::Column& column : gather.columns()) {
        if (shared::has_value(column, i)) {
          ++cells.values;
        } else if (column.types[i] == model::ValueType::stale_marker) {
          ++cells.markers;
        }
      }
    }
    first = end;
  }
  return cells;
}

std::vector<unsigned> shards_with(std::span<const std::uint16_t> columns) {
  std::set<unsigned> shards;
  for (const std::uint16_t column : columns) shards.insert(column / kSeriesPerColumnShard);
  return {shards.begin(), shards.end()};
}

}  // namespace

Status Eraser::erase(const EraseWork& work, TimeRange range, const TimeRanges& active, std::span<const Timestamp> hot,
                     const RollupBlocks& blocks, const std::atomic<bool>* cancelled,
                     storage::EraseReport& report) const {
  check(!work.columns.empty() && std::ranges::is_sorted(work.columns), "columns to be erased ascend");
  const std::int64_t step_ms = kSlotsAtOnce * parts_.reader.slot_ms();
  for (const TimeRange& piece : active) {
    const TimeRange here = both(piece, range);
    for (Timestamp from = here.first; from < here.last;) {
      if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) {
        return fail(Code::cancelled, "the delete was cancelled; a part of it may be done");
      }
      const TimeRange stretch{from, std::min(here.last, model::window_start(from, step_ms) + step_ms)};
      VARVE_RETURN_IF_ERROR(rewrite_slots(work, stretch, hot, blocks.touch, report));
      from = stretch.last;
    }
    if (!here.empty()) VARVE_RETURN_IF_ERROR(rewrite_rollup_blocks(work, here, blocks));
  }
  return {};
}

// Visible to whoever reads from here on. It holds for blocks that were read before it stood, too: their versions are
// smaller than the one that is drawn when it stands.
Status Eraser::write_erasure(const EraseWork& work, TimeRange range, std::vector<Arrival> seen) const {
  Erasure erasure{.range = range, .columns = work.columns, .seen = std::move(seen)};
  VARVE_ASSIGN_OR_RETURN(erasure.number, parts_.versions.draw(0));
  VARVE_RETURN_IF_ERROR(
      parts_.rows.write_now({erasure_write(parts_.tables, work.group.cells, erasure, erasure.number)}));
  VARVE_ASSIGN_OR_RETURN(erasure.blocks, parts_.versions.draw(erasure.number));
  check(erasure.blocks > erasure.number, "numbers ascend");
  return parts_.rows.write_now({erasure_write(parts_.tables, work.group.cells, erasure, erasure.blocks)});
}

Status Eraser::rewrite_slots(const EraseWork& work, TimeRange range, std::span<const Timestamp> hot,
                             const TouchRollupBlock& touch, storage::EraseReport& report) const {
  const std::int64_t slot_ms = parts_.reader.slot_ms();
  SlotsWanted wanted{&work.group, range, shards_with(work.columns), {}};
  for (const Timestamp slot : hot) {
    if (range.overlaps({slot, slot + slot_ms})) wanted.hot.push_back(slot);
  }
  VARVE_ASSIGN_OR_RETURN(const auto lists, parts_.reader.read({&wanted, 1}, {}));
  std::vector<SealWork> again;
  for (const SlotData& data : lists[0]) {
    VARVE_ASSIGN_OR_RETURN(const Counted cells, count_cells(data, work.columns, range));
    if (cells.values + cells.markers == 0) continue;
    report.samples += cells.values;
    report.slots += cells.values != 0 ? 1 : 0;
    again.push_back({work.group, data.slot, true});  // perhaps
  }
  if (again.empty()) return {};
  // Before the samples go, so that no window outlives them in somebody's answer.
  for (const SealWork& slot : again) {
    for (std::size_t level = 0; level < parts_.maker.levels().size(); ++level) {
      VARVE_RETURN_IF_ERROR(touch(work, level, model::window_start(slot.slot, parts_.maker.levels()[level].row_ms)));
    }
  }
  std::vector<Timestamp> slots;
  for (const SealWork& slot : again) slots.push_back(slot.slot);
  VARVE_ASSIGN_OR_RETURN(auto seen, parts_.reader.last_arrivals(work.group, slots, {}));
  VARVE_RETURN_IF_ERROR(write_erasure(work, range, std::move(seen)));
  // Also what is pending: it may be another group's that is, and the delete is not kept for ever.
  VARVE_ASSIGN_OR_RETURN(const auto sealed, parts_.sealer.seal(again));
  for (const SealedSlot& one : sealed) VARVE_RETURN_IF_ERROR(one.status);
  return {};
}

// Rollup blocks that have windows of the columns which lie wholly in the range, as far as what they are made of may be
// gone.
Result<std::vector<Timestamp>> Eraser::rollup_blocks_with(const EraseWork& work, std::size_t level,
                                                          TimeRange range) const {
  const ChunkTable& table = parts_.maker.levels()[level];
  const ChunkTable& finer = level == 0 ? parts_.reader.sealed() : parts_.maker.levels()[level - 1];
  check(level < parts_.maker.levels().size(), "a granularity that there is");
  const std::int64_t width_ms = parts_.maker.width_ms(level);
  const std::int64_t finer_ms = finer.retention_of(work.group.cells.kept);
  if (finer_ms >= rollup::kForEver) return std::vector<Timestamp>();
  const Timestamp gone = shared::kept_from(finer_ms, parts_.clock.now_ms() + kGoneMarginMs);
  range.last = std::min(range.last, model::window_start(gone, table.row_ms) + table.row_ms);
  std::set<Timestamp> found;
  std::vector<RowRead> reads;
  std::vector<unsigned> shards;
  for (const unsigned shard : shards_with(work.columns)) {
    add_reads(reads, table, work.group.cells, shard, range);
    shards.resize(reads.size(), shard);
  }
  const auto inside = [&](const rollup::Window& w) {
    return w.start >= range.first && w.start + width_ms <= range.last;
  };
  VARVE_RETURN_IF_ERROR(parts_.rows.read(reads, {}, [&](std::size_t number, const RowView& view) -> Status {
    VARVE_ASSIGN_OR_RETURN(const ChunkRow row, chunk_row(view));
    VARVE_ASSIGN_OR_RETURN(const auto block, open_windows(row.chunk));
    for (const std::uint16_t column : work.columns) {
      if (block == nullptr || column / kSeriesPerColumnShard != shards[number] || found.contains(row.start)) continue;
      VARVE_ASSIGN_OR_RETURN(const SeriesWindows series, windows_of(*block, column % kSeriesPerColumnShard));
      if (std::ranges::any_of(series.numbers, inside) || std::ranges::any_of(series.texts, inside)) {
        found.insert(row.start);
      }
    }
    return {};
  }));
  return std::vector<Timestamp>(found.begin(), found.end());
}

// Of windows that are pending by now: where samples are gone, those go that the delete covers as a whole.
Status Eraser::rewrite_rollup_blocks(const EraseWork& work, TimeRange range, const RollupBlocks& blocks) const {
  bool is_written = false;
  for (std::size_t level = 0; level < parts_.maker.levels().size(); ++level) {
    VARVE_ASSIGN_OR_RETURN(const auto starts, rollup_blocks_with(work, level, range));
    std::vector<RollupBlockWork> works;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (!std::exchange(is_written, true)) VARVE_RETURN_IF_ERROR(write_erasure(work, range, {}));
      VARVE_ASSIGN_OR_RETURN(works.emplace_back(), blocks.work(level, starts[i]));
      if (works.size() < kRollupBlocksAtOnce && i + 1 < starts.size()) continue;
      VARVE_ASSIGN_OR_RETURN(const auto made, parts_.maker.make(level, works));
      for (const MadeRollupBlock& one : made) VARVE_RETURN_IF_ERROR(one.status);
      works.clear();
    }
  }
  return {};
}

}  // namespace varve::engine::cassandra
