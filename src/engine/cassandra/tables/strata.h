// SPDX-License-Identifier: Apache-2.0
// Strata: rows of the table of sealed rows that have several successive slots of one day (24 slots), sealed together,
// and so cost Cassandra what one costs. A slot may stand in several rows: the one with the greatest version counts, as
// of two writes of one row. So what comes late is a row of its slot alone beside the stratum.
//
// All rows of a day expire together: otherwise a stratum would say again what a later row of one of its slots had
// changed.
//
// The row's key is a time between the starts of slots, behind all slots of its day (docs/formats/cluster.md): one range
// of keys has all that is said of a slot, and a stratum comes last.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/cassandra/tables/data_rows.h"

namespace varve::engine::cassandra {

inline constexpr std::size_t kStratumSlotsMin = 6;                     // fewer are rows of their own
inline constexpr std::size_t kStratumBytesMax = std::size_t{1} << 20;  // of chunks; more are rows of their own

// Writes what was sealed together of one column shard, slots ascending, of one version: strata where they are worth it.
void add_sealed(std::vector<RowWrite>& rows, const ChunkTable& table, const GroupCells& group,
                std::span<const ChunkWrite> slots, std::int64_t now_ms);

// What a row says of a slot. Views are valid as long as the row.
struct SealedSlotRow {
  model::Timestamp slot = 0;
  std::string_view chunk;  // empty also where it was not asked for
  ColumnShardStats stats;
};
// Calls `each` with every slot of the row that the range overlaps. Fields: with the stats. Errors: corrupt, those of
// `each`.
Status for_each_slot(const ChunkTable& table, const RowView& row, const ChunkFields& fields, model::TimeRange range,
                     const std::function<Status(const SealedSlotRow&)>& each);

}  // namespace varve::engine::cassandra
