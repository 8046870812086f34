// SPDX-License-Identifier: Apache-2.0
// Data rows: sealed blocks and windows as rows of their tables, and back (docs/internals/schema.md). Hot ones:
// hot_rows.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cassandra/tables/blobs.h"
#include "engine/cassandra/tables/group_retentions.h"
#include "engine/cassandra/tables/row_store.h"
#include "engine/cassandra/tables/spans.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::cassandra {

// Whose partitions.
struct GroupCells {
  std::string tenant;
  std::string group;        // its hash
  std::uint32_t ttl_s = 0;  // of its samples; 0: none
  GroupRetentions::Number kept = GroupRetentions::kGeneral;
  bool operator==(const GroupCells&) const = default;
};

// Rows are stored for so much longer than they are shown, or windows are made of them: clocks of nodes and replicas may
// differ by that. In that time nothing new is written for a slot or rollup block that has no row: it may have had one.
inline constexpr std::int64_t kGoneMarginMs = 86'400'000;

// Strata (strata.h) are made where samples are stored for so many days of 24 slots (a day longer than raw.retention):
// some go a day later.
inline constexpr std::int64_t kStratumDaysMin = 8;

// A table of chunks and what its rows stand for: sealed samples (a row a slot), or windows (a row a rollup block).
struct ChunkTable {
  const Table* table = nullptr;
  std::int64_t row_ms = 0;        // slot or rollup block
  std::int64_t bucket_ms = 0;     // partition
  std::int64_t retention_ms = 0;  // how long they are stored, from the end of what a row stands for
  bool has_added = false;
  std::int64_t stratum_ms = 0;  // slots within this time may share rows (strata.h); 0: each has its own
  std::vector<std::int64_t> other_retentions_ms = {};  // by number of GroupRetentions, from 1 on
  [[nodiscard]] std::int64_t retention_of(GroupRetentions::Number kept) const {
    return kept == GroupRetentions::kGeneral ? retention_ms : other_retentions_ms[kept - std::size_t{1}];
  }
  // Do slots of this group share rows? Where samples are kept for long enough that a day is little.
  [[nodiscard]] bool makes_strata(const GroupCells& group) const;
  // When the time of a row with this key has ended, from which it expires.
  [[nodiscard]] model::Timestamp end_of(model::Timestamp start, const GroupCells& group) const {
    return makes_strata(group) ? model::window_start(start, stratum_ms) + stratum_ms : start + row_ms;
  }
  // Is a row of such a group that begins there kept?
  [[nodiscard]] shared::Kept kept(GroupRetentions::Number group, model::Timestamp start, std::int64_t now_ms) const {
    return shared::is_kept(start + row_ms, retention_of(group), now_ms, kGoneMarginMs);
  }
};
ChunkTable sealed_table(const Tables& tables, const SchemaOptions& schema, std::int64_t slot_ms);
// Of windows, finest first. They are stored as long as wider ones may be made of them, as samples are.
std::vector<ChunkTable> level_tables(const Tables& tables, const SchemaOptions& schema, std::int64_t slot_ms);

struct ChunkWrite {
  model::Timestamp start = 0;
  unsigned column_shard = 0;
  std::string chunk;       // empty: there is nothing there, or no more
  ColumnShardStats stats;  // its version is the row's write timestamp
  std::vector<Arrival> added;
};
// A row as all of them are made. None where its time, or that of the group's samples, is over at now_ms.
void add_row(std::vector<RowWrite>& rows, const ChunkTable& table, const GroupCells& group, unsigned column_shard,
             model::Timestamp start, std::vector<std::string> values, std::int64_t version, std::int64_t now_ms);
// None where its time, or that of the group's samples, is over at now_ms.
void add_write(std::vector<RowWrite>& rows, const ChunkTable& table, const GroupCells& group, const ChunkWrite& row,
               std::int64_t now_ms);

// One read for each partition bucket that the range touches; rows that overlap it (and perhaps others). What is wanted
// of them beside the chunk:
struct ChunkFields {
  bool chunk = true, stats = false, added = false;
};
void add_reads(std::vector<RowRead>& reads, const ChunkTable& table, const GroupCells& group, unsigned column_shard,
               model::TimeRange range, const ChunkFields& fields = {});
struct ChunkRow {
  model::Timestamp start = 0;
  std::string_view chunk, stats, added;  // those that were asked for
};
Result<ChunkRow> chunk_row(const RowView& row, const ChunkFields& fields = {});

// What is left at now_ms of a retention that counts from `end`; 0: for ever; nullopt: it is over.
std::optional<std::uint32_t> ttl_left_s(model::Timestamp end, std::int64_t retention_ms, std::int64_t now_ms);

}  // namespace varve::engine::cassandra
