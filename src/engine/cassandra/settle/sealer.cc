// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/sealer.h"

#include "base/check.h"
#include "engine/cassandra/scan/column_stats.h"
#include "engine/cassandra/tables/strata.h"

namespace varve::engine::cassandra {

namespace {

// Slots of one group, ascending, in one day: they may share rows.
bool go_together(const SealWork& before, const SealWork& next, std::int64_t stratum_ms) {
  return before.group.cells == next.group.cells && before.slot < next.slot &&
         model::window_start(before.slot, stratum_ms) == model::window_start(next.slot, stratum_ms);
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
  std::vector<SlotRows> encoded(works.size());
  for (std::size_t w = 0; w < works.size(); ++w) {
    if (reading->slots[w].empty()) continue;
    // Who finds a sealed row trusts that it is whole.
    const SlotData& data = reading->slots[w][0];
    if (!shared::may_make(reader_.sealed().kept(data.slot, clock_.now_ms()), data.stored_shards > 0)) continue;
    auto made = encode(works[w], data, reading->version, list[w]);
    if (made) {
      encoded[w] = std::move(*made);
    } else {
      list[w].status = fail(made.error());
    }
  }
  VARVE_RETURN_IF_ERROR(write(works, std::move(encoded)));
  return list;
}

Status Sealer::write(std::span<const SealWork> works, std::vector<SlotRows> encoded) const {
  const ChunkTable& table = reader_.sealed();
  std::vector<RowWrite> rows;
  for (std::size_t first = 0, end = 0; first < works.size(); first = end) {
    for (end = first + 1; end < works.size() && go_together(works[end - 1], works[end], table.stratum_ms);) ++end;
    for (unsigned shard = 0; shard < column_shards_of(works[first].group.columns); ++shard) {
      std::vector<ChunkWrite> of_shard;
      for (SlotRows& slot : std::span(encoded).subspan(first, end - first)) {
        if (!slot.empty()) of_shard.push_back(std::move(slot[shard]));
      }
      add_sealed(rows, table, works[first].group.cells, of_shard, clock_.now_ms());
    }
  }
  return rows_.write_now(std::move(rows));
}

Result<Sealer::SlotRows> Sealer::encode(const SealWork& work, const SlotData& data, std::int64_t version,
                                        SealedSlot& sealed) const {
  check(version > data.version(), "a slot is written over what it was made of");
  shared::Gather gather;
  chunk::BlockBuilder builder;
  SlotRows made;
  for (unsigned shard = 0; shard < column_shards_of(work.group.columns); ++shard) {
    const std::vector<std::uint16_t> columns = columns_of_shard(shard, work.group.columns);
    VARVE_RETURN_IF_ERROR(gather_columns(data, columns, gather));
    gather.finish();
    ChunkWrite row{work.slot, shard, {}, {version, {}}, {}};
    for (const chunk::Column& column : gather.columns()) {
      row.stats.series.push_back(stats_of(gather.times(), column));
      sealed.samples += row.stats.series.back().points;
    }
    if (!gather.times().empty()) {
      check(row.stats.series.size() == columns.size(), "each column has series stats");
      std::vector<chunk::Column> all(gather.columns().begin(), gather.columns().end());
      std::vector<std::int64_t> arrived;
      if (work.shared) {
        VARVE_ASSIGN_OR_RETURN(const auto arrivals, arrivals_of(data, shard, work.group.columns, gather.times()));
        arrived.assign(arrivals.begin(), arrivals.end());
        all.push_back({chunk::Column::Form::longs, 0, arrived, {}, {}, {}});
      }
      builder.add({model::GroupId{0}, gather.times(), all});
      const auto bytes = builder.finish();
      row.chunk.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      ++sealed.chunks;
      sealed.bytes += bytes.size();
    }
    made.push_back(std::move(row));
  }
  return made;
}

}  // namespace varve::engine::cassandra
