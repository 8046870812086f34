// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/sealed_rows.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/check.h"
#include "engine/cassandra/tables/strata.h"
#include "engine/shared/cells.h"

namespace varve::engine::cassandra {
namespace {

std::uint64_t points_of(std::span<const storage::SeriesStats> series) {
  std::uint64_t points = 0;
  for (const storage::SeriesStats& one : series) points += one.points;
  return points;
}

// Empty where nothing was added; else it is counted.
std::string chunk_of(chunk::BlockBuilder& builder, RowsMade& made) {
  if (builder.empty()) return {};
  const auto bytes = builder.finish();
  ++made.chunks;
  made.bytes += bytes.size();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What is of the shard, as a group of the block; none where there is nothing.
Status add_group(const SlotToSeal& slot, unsigned shard, std::size_t columns_of_group, std::uint32_t number,
                 chunk::BlockBuilder& builder, std::vector<storage::SeriesStats>& series) {
  const std::vector<std::uint16_t> columns = columns_of_shard(shard, columns_of_group);
  shared::Gather gather;
  VARVE_RETURN_IF_ERROR(gather_columns(*slot.data, columns, gather));
  gather.finish();
  for (const chunk::Column& column : gather.columns()) series.push_back(shared::stats_of(gather.times(), column));
  if (gather.times().empty()) return {};
  check(series.size() == columns.size(), "each column has series stats");
  std::vector<chunk::Column> all(gather.columns().begin(), gather.columns().end());
  std::vector<std::int64_t> arrived;
  if (slot.with_arrivals) {
    VARVE_ASSIGN_OR_RETURN(const auto arrivals, arrivals_of(*slot.data, shard, columns_of_group, gather.times()));
    arrived.assign(arrivals.begin(), arrivals.end());
    all.push_back({chunk::Column::Form::longs, 0, arrived, {}, {}, {}});
  }
  builder.add({model::GroupId{number}, gather.times(), all});
  return {};
}

}  // namespace

Result<RowsMade> SealedRows::add_slot(const GroupRef& group, const SlotToSeal& slot) {
  RowsMade made;
  std::vector<RowWrite> rows;
  for (unsigned shard = 0; shard < column_shards_of(group.columns); ++shard) {
    ChunkWrite row{slot.data->slot, shard, {}, {version_, {}}, {}};
    chunk::BlockBuilder builder;
    VARVE_RETURN_IF_ERROR(add_group(slot, shard, group.columns, 0, builder, row.stats.series));
    row.chunk = chunk_of(builder, made);
    made.samples += points_of(row.stats.series);
    add_write(rows, table_, group.cells, row, now_ms_);
  }
  std::ranges::move(rows, std::back_inserter(rows_));
  return made;
}

Result<std::vector<RowsMade>> SealedRows::add_stratum(const GroupRef& group, std::span<const SlotToSeal> slots) {
  check(!slots.empty(), "a stratum has slots");
  std::vector<RowsMade> made(slots.size());
  std::vector<RowWrite> rows;
  for (unsigned shard = 0; shard < column_shards_of(group.columns); ++shard) {
    StratumWrite stratum{slots[0].data->slot, shard, {}, {version_, {}}};
    chunk::BlockBuilder builder;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      auto& series = stratum.stats.slots.emplace_back();
      VARVE_RETURN_IF_ERROR(add_group(slots[i], shard, group.columns, static_cast<std::uint32_t>(i), builder, series));
      if (builder.raw_bytes() > kStratumBytesMax) return std::vector<RowsMade>();
      made[i].samples += points_of(series);
    }
    stratum.chunk = chunk_of(builder, made[0]);
    cassandra::add_stratum(rows, table_, group.cells, stratum, now_ms_);
  }
  std::ranges::move(rows, std::back_inserter(rows_));
  return made;
}

}  // namespace varve::engine::cassandra
