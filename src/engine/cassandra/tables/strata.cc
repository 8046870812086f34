// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/strata.h"

#include <algorithm>

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

// Slots from the first that may be one row.
std::size_t run_length(const ChunkTable& table, std::span<const ChunkWrite> slots) {
  const Timestamp day = model::window_start(slots[0].start, table.stratum_ms);
  std::size_t count = 1, bytes = slots[0].chunk.size();
  for (; count < slots.size(); ++count) {
    const ChunkWrite& next = slots[count];
    check(next.column_shard == slots[0].column_shard && next.stats.version == slots[0].stats.version,
          "sealed together, of one column shard");
    bytes += next.chunk.size();
    if (next.start != slots[count - 1].start + table.row_ms || next.start >= day + table.stratum_ms) break;
    if (bytes > kStratumBytesMax) break;
  }
  return count;
}

void add_stratum(std::vector<RowWrite>& rows, const ChunkTable& table, const GroupCells& group,
                 std::span<const ChunkWrite> slots, std::int64_t now_ms) {
  StratumStats stats{slots[0].stats.version, {}};
  std::string chunks;
  for (const ChunkWrite& slot : slots) {
    stats.slots.push_back({slot.chunk.size(), slot.stats.series});
    chunks += slot.chunk;
  }
  const Timestamp key = key_of(table, {slots[0].start, static_cast<std::int64_t>(slots.size())});
  add_row(rows, table, group, slots[0].column_shard, key,
          {std::move(chunks), encode_stratum(stats, slots[0].start, table.row_ms)}, stats.version, now_ms);
}

}  // namespace

void add_sealed(std::vector<RowWrite>& rows, const ChunkTable& table, const GroupCells& group,
                std::span<const ChunkWrite> slots, std::int64_t now_ms) {
  const bool may = table.makes_strata(group);
  while (!slots.empty()) {
    const std::size_t count = may ? run_length(table, slots) : 1;
    if (count >= kStratumSlotsMin) {
      add_stratum(rows, table, group, slots.first(count), now_ms);
    } else {
      for (const ChunkWrite& slot : slots.first(count)) add_write(rows, table, group, slot, now_ms);
    }
    slots = slots.subspan(count);
  }
}

Status for_each_slot(const ChunkTable& table, const RowView& row, const ChunkFields& fields, TimeRange range,
                     const std::function<Status(const SealedSlotRow&)>& each) {
  check(fields.stats, "stats say what a row has");
  VARVE_ASSIGN_OR_RETURN(const ChunkRow found, chunk_row(row, fields));
  const auto is_wanted = [&](Timestamp slot) { return range.overlaps({slot, slot + table.row_ms}); };
  if (found.start == model::window_start(found.start, table.row_ms)) {
    if (!is_wanted(found.start)) return {};
    VARVE_ASSIGN_OR_RETURN(ColumnShardStats stats, decode_stats(found.stats, found.start));
    return each({found.start, found.chunk, std::move(stats)});
  }
  VARVE_ASSIGN_OR_RETURN(const SlotRun run, run_of(table, found.start));
  VARVE_ASSIGN_OR_RETURN(StratumStats strata, decode_stratum(found.stats, run.first, table.row_ms));
  std::size_t bytes = 0;
  for (const StratumStats::Slot& slot : strata.slots) bytes += std::min(slot.chunk_bytes, found.chunk.size() + 1);
  if (static_cast<std::int64_t>(strata.slots.size()) != run.count || (fields.chunk && bytes != found.chunk.size())) {
    return fail(Code::corrupt, "a sealed row has not the slots that its key names");
  }
  Timestamp slot = run.first;
  std::string_view chunks = found.chunk;
  for (StratumStats::Slot& one : strata.slots) {
    SealedSlotRow part{slot, {}, {strata.version, std::move(one.series)}};
    if (fields.chunk) {
      part.chunk = chunks.substr(0, one.chunk_bytes);
      chunks.remove_prefix(one.chunk_bytes);
    }
    if (is_wanted(slot)) VARVE_RETURN_IF_ERROR(each(part));
    slot += table.row_ms;
  }
  return {};
}

}  // namespace varve::engine::cassandra
