// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/strata.h"

#include "base/check.h"

namespace varve::engine::cassandra {
namespace {

using model::TimeRange;
using model::Timestamp;

// Which slots of a day: `count` of them, 2 at least.
struct SlotRun {
  Timestamp first = 0;
  std::int64_t count = 0;
};

// Longer runs have greater keys, also than those that they replace.
Timestamp key_of(const ChunkTable& table, const SlotRun& run) {
  const Timestamp day = model::window_start(run.first, table.stratum_ms);
  const std::int64_t place = (run.first - day) / table.row_ms;
  const std::int64_t code = (run.count - 1) * kSlotsPerStratum + place;
  check(run.count >= 2 && place + run.count <= kSlotsPerStratum && code < table.row_ms, "slots of one day");
  return day + table.stratum_ms - table.row_ms + code;
}

Result<SlotRun> run_of(const ChunkTable& table, Timestamp key) {
  const Timestamp day = model::window_start(key, table.stratum_ms);
  const std::int64_t code = key - (day + table.stratum_ms - table.row_ms);
  const SlotRun run{day + code % kSlotsPerStratum * table.row_ms, code / kSlotsPerStratum + 1};
  if (code < kSlotsPerStratum || run.first + run.count * table.row_ms > day + table.stratum_ms) {
    return fail(Code::corrupt, "a sealed row is of no slots: " + std::to_string(key));
  }
  return run;
}

}  // namespace

std::size_t stratum_length(const ChunkTable& table, const GroupCells& group, std::span<const Timestamp> slots) {
  if (slots.size() < kStratumSlotsMin || !table.makes_strata(group)) return 1;
  const Timestamp day_end = model::window_start(slots[0], table.stratum_ms) + table.stratum_ms;
  std::size_t count = 1;
  while (count < slots.size() && slots[count] == slots[count - 1] + table.row_ms && slots[count] < day_end) ++count;
  return count >= kStratumSlotsMin ? count : 1;
}

void add_stratum(std::vector<RowWrite>& rows, const ChunkTable& table, const GroupCells& group,
                 const StratumWrite& stratum, std::int64_t now_ms) {
  const Timestamp key = key_of(table, {stratum.first, static_cast<std::int64_t>(stratum.stats.slots.size())});
  add_row(rows, table, group, stratum.column_shard, key,
          {stratum.chunk, encode_stratum(stratum.stats, stratum.first, table.row_ms)}, stratum.stats.version, now_ms);
}

Result<TimeRange> slots_of(const ChunkTable& table, Timestamp key) {
  if (key == model::window_start(key, table.row_ms)) return TimeRange{key, key + table.row_ms};
  VARVE_ASSIGN_OR_RETURN(const SlotRun run, run_of(table, key));
  return TimeRange{run.first, run.first + run.count * table.row_ms};
}

Status for_each_slot(const ChunkTable& table, const RowView& row, const ChunkFields& fields, TimeRange range,
                     const std::function<Status(const SealedSlotRow&)>& each) {
  check(fields.stats, "stats say what a row has");
  VARVE_ASSIGN_OR_RETURN(const ChunkRow found, chunk_row(row, fields));
  const auto is_wanted = [&](Timestamp slot) { return range.overlaps({slot, slot + table.row_ms}); };
  if (found.start == model::window_start(found.start, table.row_ms)) {
    if (!is_wanted(found.start)) return {};
    VARVE_ASSIGN_OR_RETURN(ColumnShardStats stats, decode_stats(found.stats, found.start));
    return each({found.start, found.chunk, 0, std::move(stats)});
  }
  VARVE_ASSIGN_OR_RETURN(const SlotRun run, run_of(table, found.start));
  VARVE_ASSIGN_OR_RETURN(StratumStats strata, decode_stratum(found.stats, run.first, table.row_ms));
  if (static_cast<std::int64_t>(strata.slots.size()) != run.count) {
    return fail(Code::corrupt, "a sealed row has not the slots that its key names");
  }
  SealedSlotRow part{run.first, found.chunk, 0, {strata.version, {}}};
  for (auto& series : strata.slots) {
    part.stats.series = std::move(series);
    if (is_wanted(part.slot)) VARVE_RETURN_IF_ERROR(each(part));
    part.slot += table.row_ms;
    ++part.group;
  }
  return {};
}

}  // namespace varve::engine::cassandra
