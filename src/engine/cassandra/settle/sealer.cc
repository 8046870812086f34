// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/sealer.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "engine/cassandra/scan/column_stats.h"
#include "engine/cassandra/tables/strata.h"

namespace varve::engine::cassandra {

using model::Timestamp;

namespace {

std::uint64_t points_of(std::span<const storage::SeriesStats> series) {
  std::uint64_t points = 0;
  for (const storage::SeriesStats& one : series) points += one.points;
  return points;
}

// Empty where nothing was added; else it is counted.
std::string chunk_of(chunk::BlockBuilder& builder, SealedSlot& sealed) {
  if (builder.empty()) return {};
  const auto bytes = builder.finish();
  ++sealed.chunks;
  sealed.bytes += bytes.size();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<Sealer::Reading> Sealer::read(std::span<const SealWork> works) const {
  std::vector<SlotsWanted> wanted;
  for (const SealWork& work : works) {
    SlotsWanted& one = wanted.emplace_back();
    one.group = &work.group;
    one.range = {work.slot, work.slot + reader_.slot_ms()};
    for (unsigned shard = 0; shard < column_shards_of(work.group.columns); ++shard) one.shards.push_back(shard);
    one.hot = {work.slot};
  }
  Reading reading;
  const auto read_all = [&]() -> Result<std::int64_t> {
    VARVE_ASSIGN_OR_RETURN(reading.slots, reader_.read(wanted, {}));
    std::int64_t greatest = 0;
    for (const auto& slots : reading.slots) {
      for (const SlotData& data : slots) greatest = std::max(greatest, data.version());
    }
    return greatest;
  };
  VARVE_ASSIGN_OR_RETURN(reading.version, read_versioned(versions_, read_all));
  return reading;
}

Result<std::vector<SealedSlot>> Sealer::seal(std::span<const SealWork> works) const {
  auto reading = read(works);
  if (!reading && reading.error().code == Code::corrupt && works.size() > 1) {
    // One of them: each by itself.
    std::vector<SealedSlot> list;
    for (const SealWork& work : works) {
      VARVE_ASSIGN_OR_RETURN(auto one, seal({&work, 1}));
      list.push_back(std::move(one[0]));
    }
    return list;
  }
  std::vector<SealedSlot> list(works.size());
  if (!reading) {
    if (reading.error().code != Code::corrupt) return fail(reading.error());
    list[0].status = fail(reading.error());
    return list;
  }
  check(reading->slots.size() == works.size(), "each slot was read");
  // Who finds a sealed row trusts that it is whole.
  std::vector<const SlotData*> data(works.size());
  for (std::size_t w = 0; w < works.size(); ++w) {
    if (reading->slots[w].empty()) continue;
    const SlotData& found = reading->slots[w][0];
    check(reading->version > found.version(), "a slot is written over what it was made of");
    if (shared::may_make(reader_.sealed().kept(found.slot, clock_.now_ms()), found.stored_shards > 0)) data[w] = &found;
  }
  std::vector<RowWrite> rows;
  for (std::size_t first = 0, count = 0; first < works.size(); first += count) {
    count = run_length(works, data, first);
    const auto run = works.subspan(first, count);
    const auto of_run = std::span(data).subspan(first, count);
    const auto sealed = std::span(list).subspan(first, count);
    if (count > 1 && encode_stratum(run, of_run, reading->version, rows, sealed)) continue;
    for (std::size_t i = 0; i < count; ++i) {
      if (of_run[i] != nullptr) sealed[i].status = encode(run[i], *of_run[i], reading->version, rows, sealed[i]);
    }
  }
  VARVE_RETURN_IF_ERROR(rows_.write_now(std::move(rows)));
  return list;
}

// How many, from the first, may share rows.
std::size_t Sealer::run_length(std::span<const SealWork> works, std::span<const SlotData* const> data,
                               std::size_t first) const {
  std::vector<Timestamp> slots;
  for (std::size_t w = first; w < works.size() && data[w] != nullptr; ++w) {
    if (works[w].group.cells != works[first].group.cells) break;
    slots.push_back(works[w].slot);
  }
  return slots.empty() ? 1 : stratum_length(reader_.sealed(), works[first].group.cells, slots);
}

// What is of the shard, as a group of the block; none where there is nothing.
Status Sealer::add_slot(const SealWork& work, const SlotData& data, unsigned shard, std::uint32_t number,
                        chunk::BlockBuilder& builder, std::vector<storage::SeriesStats>& series) const {
  const std::vector<std::uint16_t> columns = columns_of_shard(shard, work.group.columns);
  shared::Gather gather;
  VARVE_RETURN_IF_ERROR(gather_columns(data, columns, gather));
  gather.finish();
  for (const chunk::Column& column : gather.columns()) series.push_back(stats_of(gather.times(), column));
  if (gather.times().empty()) return {};
  check(series.size() == columns.size(), "each column has series stats");
  std::vector<chunk::Column> all(gather.columns().begin(), gather.columns().end());
  std::vector<std::int64_t> arrived;
  if (work.shared) {
    VARVE_ASSIGN_OR_RETURN(const auto arrivals, arrivals_of(data, shard, work.group.columns, gather.times()));
    arrived.assign(arrivals.begin(), arrivals.end());
    all.push_back({chunk::Column::Form::longs, 0, arrived, {}, {}, {}});
  }
  builder.add({model::GroupId{number}, gather.times(), all});
  return {};
}

Status Sealer::encode(const SealWork& work, const SlotData& data, std::int64_t version, std::vector<RowWrite>& rows,
                      SealedSlot& sealed) const {
  std::vector<RowWrite> made;
  for (unsigned shard = 0; shard < column_shards_of(work.group.columns); ++shard) {
    ChunkWrite row{work.slot, shard, {}, {version, {}}, {}};
    chunk::BlockBuilder builder;
    VARVE_RETURN_IF_ERROR(add_slot(work, data, shard, 0, builder, row.stats.series));
    row.chunk = chunk_of(builder, sealed);
    sealed.samples += points_of(row.stats.series);
    add_write(made, reader_.sealed(), work.group.cells, row, clock_.now_ms());
  }
  std::ranges::move(made, std::back_inserter(rows));
  return {};
}

// Of a run of slots. False: it is too large, or one of them is damaged.
bool Sealer::encode_stratum(std::span<const SealWork> works, std::span<const SlotData* const> data,
                            std::int64_t version, std::vector<RowWrite>& rows, std::span<SealedSlot> sealed) const {
  const GroupRef& group = works[0].group;
  std::vector<RowWrite> made;
  std::vector<SealedSlot> done(works.size());
  for (unsigned shard = 0; shard < column_shards_of(group.columns); ++shard) {
    StratumWrite stratum{works[0].slot, shard, {}, {version, {}}};
    chunk::BlockBuilder builder;
    for (std::size_t i = 0; i < works.size(); ++i) {
      auto& series = stratum.stats.slots.emplace_back();
      if (!add_slot(works[i], *data[i], shard, static_cast<std::uint32_t>(i), builder, series)) return false;
      if (builder.raw_bytes() > kStratumBytesMax) return false;
      done[i].samples += points_of(series);
    }
    stratum.chunk = chunk_of(builder, done[0]);
    add_stratum(made, reader_.sealed(), group.cells, stratum, clock_.now_ms());
  }
  std::ranges::move(made, std::back_inserter(rows));
  std::ranges::move(done, sealed.begin());
  return true;
}

}  // namespace varve::engine::cassandra
