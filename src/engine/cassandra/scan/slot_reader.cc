// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/slot_reader.h"

#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {
namespace {

constexpr ChunkFields kFields{.chunk = true, .lives = true, .added = false};

// What is being read of one group.
class Reading {
 public:
  Reading(const SlotsWanted& wanted, std::int64_t slot_ms) : wanted_(wanted), slot_ms_(slot_ms) {}

  Status add_sealed(unsigned part, const RowView& view) {
    VARVE_TRY(const ChunkRow row, chunk_row(view, kFields));
    VARVE_TRY(const PartLives lives, decode_lives(row.lives, row.start));
    VARVE_TRY(auto block, open_chunk(row.chunk, part, wanted_.group->columns));
    slot(row.start).sealed.push_back({part, lives.read_us, std::move(block)});
    return {};
  }
  Status add_hot(model::Timestamp start, const RowView& view) {
    VARVE_TRY(const HotRow row, hot_row(view));
    VARVE_CHECK_OK(check_hot_rows(row.value, wanted_.group->columns, {start, start + slot_ms_}));
    slot(start).hot.push_back({row.arrival, std::string(row.value)});
    return {};
  }
  Status add_erasure(const RowView& view) {
    VARVE_TRY(Erasure erasure, erasure_row(view));
    erasures_.push_back(std::move(erasure));
    return {};
  }
  Result<std::vector<SlotData>> finish() {
    std::vector<SlotData> list;
    for (auto& [start, data] : slots_) {
      std::ranges::sort(data.sealed, {}, &SlotData::Sealed::part);
      std::vector<Erasure> here;
      std::ranges::copy_if(erasures_, std::back_inserter(here),
                           [&](const Erasure& erasure) { return erasure.range.overlaps({start, start + slot_ms_}); });
      VARVE_CHECK_OK(data.erase(wanted_.group->columns, here));
      list.push_back(std::move(data));
    }
    return list;
  }

 private:
  SlotData& slot(model::Timestamp start) {
    SlotData& data = slots_[start];
    data.slot = start;
    return data;
  }
  const SlotsWanted& wanted_;
  const std::int64_t slot_ms_;
  std::map<model::Timestamp, SlotData> slots_;
  std::vector<Erasure> erasures_;
};

// What a read was made for.
struct Purpose {
  enum class Kind { sealed, hot, erasures } kind = Kind::sealed;
  std::size_t wanted = 0;
  unsigned part = 0;
  model::Timestamp slot = 0;
};

}  // namespace

GroupRef group_ref(const Directory& directory, model::GroupId group) {
  const GroupName name = directory.name(group);
  return directory.read([&](const index::SeriesIndex& index) {
    return GroupRef{{std::string(index.tenant_name(name.tenant)), blob_of(name.hash)},
                    index.group_series(group).size()};
  });
}

Result<std::vector<std::vector<SlotData>>> SlotReader::read(std::span<const SlotsWanted> wanted,
                                                            const RowStore::ReadLimits& limits) const {
  std::vector<RowRead> reads;
  std::vector<Purpose> purposes;
  std::vector<Reading> readings;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    const SlotsWanted& one = wanted[w];
    readings.emplace_back(one, slot_ms_);
    reads.push_back(erasure_read(tables_, one.group->cells));
    purposes.push_back({Purpose::Kind::erasures, w, 0, 0});
    for (const unsigned part : one.parts) {
      add_reads(reads, sealed_, one.group->cells, part, one.range, kFields);
      purposes.resize(reads.size(), {Purpose::Kind::sealed, w, part, 0});
    }
    for (const model::Timestamp slot : one.hot) {
      reads.push_back(hot_read(tables_, one.group->cells, slot));
      purposes.push_back({Purpose::Kind::hot, w, 0, slot});
    }
  }
  VARVE_CHECK_OK(rows_.read(reads, limits, [&](std::size_t number, const RowView& view) -> Status {
    const Purpose& purpose = purposes[number];
    Reading& reading = readings[purpose.wanted];
    switch (purpose.kind) {
      case Purpose::Kind::sealed: return reading.add_sealed(purpose.part, view);
      case Purpose::Kind::hot: return reading.add_hot(purpose.slot, view);
      case Purpose::Kind::erasures: break;
    }
    return reading.add_erasure(view);
  }));
  std::vector<std::vector<SlotData>> lists;
  for (Reading& reading : readings) {
    VARVE_TRY(lists.emplace_back(), reading.finish());
  }
  return lists;
}

RowWrite erasure_write(const Tables& tables, const GroupCells& group, const Erasure& erasure, std::int64_t now_us) {
  std::string columns;
  for (const std::uint16_t column : erasure.columns) {
    columns += static_cast<char>(column & 0xff);
    columns += static_cast<char>(column >> 8);
  }
  RowWrite row{&tables.erasures, {group.tenant, group.group}, {bigint_cell(erasure.at_us)}, {}, now_us, 0};
  row.values = {timestamp_cell(erasure.range.first), timestamp_cell(erasure.range.last), std::move(columns),
                bigint_cell(erasure.blocks_us)};
  return row;
}

RowRead erasure_read(const Tables& tables, const GroupCells& group) {
  return {&tables.erasures, {group.tenant, group.group}, {}, {}, {"first", "last", "columns", "blocks"}};
}

Result<Erasure> erasure_row(const RowView& row) {
  if (row.cells.size() != 5 || row.cells[3].size() % 2 != 0) return fail(Code::corrupt, "a delete is malformed");
  Erasure erasure;
  VARVE_TRY(erasure.at_us, bigint_of(row.cells[0]));
  VARVE_TRY(erasure.range.first, timestamp_of(row.cells[1]));
  VARVE_TRY(erasure.range.last, timestamp_of(row.cells[2]));
  VARVE_TRY(erasure.blocks_us, bigint_of(row.cells[4]));
  const auto* const bytes = reinterpret_cast<const std::byte*>(row.cells[3].data());
  for (std::size_t i = 0; i < row.cells[3].size(); i += 2) {
    erasure.columns.push_back(load_le<std::uint16_t>(bytes + i));
  }
  return erasure;
}

}  // namespace varve::engine::cassandra
