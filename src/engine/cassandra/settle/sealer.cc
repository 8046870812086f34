// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/sealer.h"

#include "engine/cassandra/scan/column_life.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::cassandra {

Result<Sealer::Reading> Sealer::read(std::span<const SealWork> works) const {
  std::vector<SlotsWanted> wanted;
  for (const SealWork& work : works) {
    SlotsWanted& one = wanted.emplace_back();
    one.group = &work.group;
    one.range = {work.slot, work.slot + reader_.slot_ms()};
    for (unsigned part = 0; part < parts_of(work.group.columns); ++part) one.parts.push_back(part);
    one.hot = {work.slot};
  }
  Reading reading;
  const auto read_all = [&]() -> Result<std::int64_t> {
    VARVE_TRY(reading.slots, reader_.read(wanted, {}));
    std::int64_t greatest = 0;
    for (const auto& slots : reading.slots) {
      for (const SlotData& data : slots) greatest = std::max(greatest, data.version());
    }
    return greatest;
  };
  VARVE_TRY(reading.version, read_versioned(versions_, read_all));
  return reading;
}

Result<std::vector<SealedSlot>> Sealer::seal(std::span<const SealWork> works) const {
  auto reading = read(works);
  if (!reading && reading.error().code == Code::corrupt && works.size() > 1) {
    // One of them: each by itself.
    std::vector<SealedSlot> list;
    for (const SealWork& work : works) {
      VARVE_TRY(auto one, seal({&work, 1}));
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
  std::vector<RowWrite> rows;
  for (std::size_t w = 0; w < works.size(); ++w) {
    if (reading->slots[w].empty() || may_be_gone(reading->slots[w][0])) continue;
    list[w].status = encode(works[w], reading->slots[w][0], reading->version, rows, list[w]);
  }
  VARVE_CHECK_OK(rows_.write_now(std::move(rows)));
  return list;
}

// Its time ends, and it is not there: who finds it trusts that it is whole.
bool Sealer::may_be_gone(const SlotData& data) const {
  return data.stored_parts == 0 &&
         shared::is_over(data.slot + reader_.slot_ms(), reader_.sealed().retention_ms, clock_.now_ms() + kGoneMarginMs);
}

Status Sealer::encode(const SealWork& work, const SlotData& data, std::int64_t version, std::vector<RowWrite>& rows,
                      SealedSlot& sealed) const {
  shared::Gather gather;
  chunk::BlockBuilder builder;
  std::vector<RowWrite> made;
  for (unsigned part = 0; part < parts_of(work.group.columns); ++part) {
    const std::vector<std::uint16_t> columns = columns_of_part(part, work.group.columns);
    VARVE_CHECK_OK(gather_columns(data, columns, gather));
    gather.finish();
    ChunkWrite row{work.slot, part, {}, {version, {}}, {}};
    for (const chunk::Column& column : gather.columns()) {
      row.lives.series.push_back(life_of(gather.times(), column));
      sealed.samples += row.lives.series.back().points;
    }
    if (!gather.times().empty()) {
      std::vector<chunk::Column> all(gather.columns().begin(), gather.columns().end());
      std::vector<std::int64_t> arrived;
      if (work.shared) {
        VARVE_TRY(const auto arrivals, arrivals_of(data, part, work.group.columns, gather.times()));
        arrived.assign(arrivals.begin(), arrivals.end());
        all.push_back({chunk::Column::Form::longs, 0, arrived, {}, {}, {}});
      }
      builder.add({model::GroupId{0}, gather.times(), all});
      const auto bytes = builder.finish();
      row.chunk.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      ++sealed.chunks;
      sealed.bytes += bytes.size();
    }
    add_write(made, reader_.sealed(), work.group.cells, row, clock_.now_ms());
  }
  rows.insert(rows.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  return {};
}

}  // namespace varve::engine::cassandra
