// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/data_rows.h"

#include <algorithm>

#include "base/check.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::cassandra {
namespace {

std::vector<std::string> names_of(const ChunkFields& fields) {
  std::vector<std::string> names;
  if (fields.chunk) names.emplace_back("chunk");
  if (fields.stats) names.emplace_back("lives");
  if (fields.added) names.emplace_back("added");
  return names;
}

Status check_cells_of(const RowView& row, std::size_t wanted) {
  if (row.cells.size() == wanted) return {};
  return fail(Code::corrupt, "a row of " + std::to_string(row.cells.size()) + " cells, not " + std::to_string(wanted));
}

std::vector<std::int64_t> rollup_blocks_of(const SchemaOptions& schema, std::int64_t slot_ms) {
  std::vector<std::int64_t> widths;
  for (const rollup::Level& level : schema.rollups) widths.push_back(level.width_ms);
  return rollup_blocks_ms(widths, slot_ms);
}

// A rollup block is made when it has ended: until then there must be what it is made of.
std::int64_t stored_ms(std::int64_t wanted_ms, const std::vector<std::int64_t>& blocks, std::size_t made) {
  if (wanted_ms >= rollup::kForEver) return rollup::kForEver;
  return std::max(wanted_ms, made < blocks.size() ? blocks[made] : 0) + kGoneMarginMs;
}

template <class StoredFor>
void set_retentions(ChunkTable& table, const SchemaOptions& schema, const StoredFor& stored_for) {
  const GroupRetentions retentions(classes_of(schema));
  for (const rollup::Retention& kept : retentions.all()) table.other_retentions_ms.push_back(stored_for(kept));
  table.retention_ms = table.other_retentions_ms[GroupRetentions::kGeneral];
  table.other_retentions_ms.erase(table.other_retentions_ms.begin());
}

}  // namespace

ChunkTable sealed_table(const Tables& tables, const SchemaOptions& schema, std::int64_t slot_ms) {
  const auto blocks = rollup_blocks_of(schema, slot_ms);
  ChunkTable table{&tables.sealed, slot_ms, bucket_ms(slot_ms), 0, false, stratum_ms(slot_ms)};
  set_retentions(table, schema, [&](const rollup::Retention& kept) { return stored_ms(kept.raw_ms, blocks, 0); });
  return table;
}

std::vector<ChunkTable> level_tables(const Tables& tables, const SchemaOptions& schema, std::int64_t slot_ms) {
  const auto blocks = rollup_blocks_of(schema, slot_ms);
  std::vector<ChunkTable> list;
  for (std::size_t level = 0; level < schema.rollups.size(); ++level) {
    ChunkTable& table =
        list.emplace_back(&tables.levels[level], blocks[level], rollup_bucket_ms(blocks[level]), 0, true);
    set_retentions(table, schema, [&](const rollup::Retention& kept) {
      return stored_ms(shared::stored_for_ms(kept.levels, level, kept.raw_ms, slot_ms), blocks, level + 1);
    });
  }
  return list;
}

bool ChunkTable::makes_strata(const GroupCells& group) const {
  return stratum_ms > 0 && shared::shorter_ms(retention_of(group.kept), group.ttl_s) >= kStratumDaysMin * stratum_ms;
}

void add_row(std::vector<RowWrite>& rows, const ChunkTable& table, const GroupCells& group, unsigned column_shard,
             model::Timestamp start, std::vector<std::string> values, std::int64_t version, std::int64_t now_ms) {
  const std::int64_t kept_ms = shared::shorter_ms(table.retention_of(group.kept), group.ttl_s);
  const auto ttl = ttl_left_s(table.end_of(start, group), kept_ms, now_ms);
  if (!ttl) return;
  check(table.bucket_ms % table.row_ms == 0, "partitions hold whole rows");
  RowWrite& out = rows.emplace_back();
  out.table = table.table;
  out.partition = {group.tenant, group.group, smallint_cell(static_cast<std::int16_t>(column_shard)),
                   timestamp_cell(model::window_start(start, table.bucket_ms))};
  out.clustering = {timestamp_cell(start)};
  out.values = std::move(values);
  out.timestamp_us = version;
  out.ttl_s = *ttl;
}

void add_write(std::vector<RowWrite>& rows, const ChunkTable& table, const GroupCells& group, const ChunkWrite& row,
               std::int64_t now_ms) {
  std::vector<std::string> values = {row.chunk, encode_stats(row.stats, row.start)};
  if (table.has_added) values.push_back(encode_arrivals(row.added));
  add_row(rows, table, group, row.column_shard, row.start, std::move(values), row.stats.version, now_ms);
}

void add_reads(std::vector<RowRead>& reads, const ChunkTable& table, const GroupCells& group, unsigned column_shard,
               model::TimeRange range, const ChunkFields& fields) {
  if (range.empty()) return;
  const model::Timestamp first = model::window_start(range.first, table.row_ms);
  // To the end of the day, where the strata are.
  if (table.stratum_ms > 0) range.last = model::window_start(range.last - 1, table.stratum_ms) + table.stratum_ms;
  for (auto bucket = model::window_start(first, table.bucket_ms); bucket < range.last; bucket += table.bucket_ms) {
    RowRead& read = reads.emplace_back();
    read.table = table.table;
    read.partition = {group.tenant, group.group, smallint_cell(static_cast<std::int16_t>(column_shard)),
                      timestamp_cell(bucket)};
    if (bucket < first) read.from = timestamp_cell(first);
    if (range.last < bucket + table.bucket_ms) read.until = timestamp_cell(range.last);
    read.values = names_of(fields);
  }
}

Result<ChunkRow> chunk_row(const RowView& row, const ChunkFields& fields) {
  VARVE_RETURN_IF_ERROR(check_cells_of(row, 1 + names_of(fields).size()));
  ChunkRow out;
  VARVE_ASSIGN_OR_RETURN(out.start, timestamp_of(row.cells[0]));
  std::size_t next = 1;
  if (fields.chunk) out.chunk = row.cells[next++];
  if (fields.stats) out.stats = row.cells[next++];
  if (fields.added) out.added = row.cells[next++];
  return out;
}

std::optional<std::uint32_t> ttl_left_s(model::Timestamp end, std::int64_t retention_ms, std::int64_t now_ms) {
  if (retention_ms >= rollup::kForEver) return 0;
  const std::int64_t left_ms = end + retention_ms - now_ms;
  if (left_ms <= 0) return std::nullopt;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>((left_ms + 999) / 1000, 1, UINT32_MAX));
}

}  // namespace varve::engine::cassandra
