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

inline constexpr std::size_t kStratumSlotsMin = 6;                       // fewer are rows of their own
inline constexpr std::size_t kStratumBytesMax = std::size_t{512} << 10;  // before entropy coding; more are, too

// How many of the slots (ascending), from the first, may be one stratum; 1 where none is made.
std::size_t stratum_length(const ChunkTable& table, const GroupCells& group, std::span<const model::Timestamp> slots);

// A stratum: slots from `first`, as many as there are stats of. `chunk` is a block with a group for each slot that has
// samples, numbered from the first slot, which is 0.
struct StratumWrite {
  model::Timestamp first = 0;
  unsigned column_shard = 0;
  std::string chunk;
  StratumStats stats;  // its version is the row's write timestamp
};
void add_stratum(std::vector<RowWrite>& rows, const ChunkTable& table, const GroupCells& group,
                 const StratumWrite& stratum, std::int64_t now_ms);

// Which slots the row with this key has. Error: corrupt.
Result<model::TimeRange> slots_of(const ChunkTable& table, model::Timestamp key);

// What a row says of a slot. Views are valid as long as the row.
struct SealedSlotRow {
  model::Timestamp slot = 0;
  std::string_view chunk;   // of the whole row; empty also where it was not asked for
  std::uint32_t group = 0;  // the slot's, in the chunk
  ColumnShardStats stats;
};
// Calls `each` with every slot of the row that the range overlaps. Fields: with the stats. Errors: corrupt, those of
// `each`.
Status for_each_slot(const ChunkTable& table, const RowView& row, const ChunkFields& fields, model::TimeRange range,
                     const std::function<Status(const SealedSlotRow&)>& each);

}  // namespace varve::engine::cassandra
