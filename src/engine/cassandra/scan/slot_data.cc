// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/slot_data.h"

#include <algorithm>

#include "engine/cassandra/tables/spans.h"
#include "engine/shared/cell_eraser.h"

namespace varve::engine::cassandra {
namespace {

const SlotData::Sealed* find(const std::vector<SlotData::Sealed>& sealed, unsigned part) {
  const auto at = std::ranges::lower_bound(sealed, part, {}, &SlotData::Sealed::part);
  return at == sealed.end() || at->part != part ? nullptr : &*at;
}

// With the rows' arrivals: what is left after a delete may still have to be told from what another group has.
Result<std::shared_ptr<const chunk::Block>> encode(std::span<const model::Timestamp> times,
                                                   std::span<const chunk::Column> columns,
                                                   std::span<const std::uint64_t> arrivals) {
  if (times.empty()) return nullptr;
  const std::vector<std::int64_t> arrived(arrivals.begin(), arrivals.end());
  std::vector<chunk::Column> all(columns.begin(), columns.end());
  all.push_back({chunk::Column::Form::longs, 0, arrived, {}, {}, {}});
  chunk::BlockBuilder builder;
  builder.add({model::GroupId{0}, times, all});
  return chunk::Block::open(builder.finish());
}

// Of rows of a block, and of hot rows laid over it.
Result<std::vector<std::uint64_t>> rank_rows(const chunk::Block* block, unsigned part, std::size_t columns,
                                             std::span<const SlotData::Hot> hot,
                                             std::span<const model::Timestamp> times) {
  std::vector<std::pair<model::Timestamp, std::uint64_t>> rows;
  if (block != nullptr) {
    std::vector<model::Timestamp> block_times;
    std::vector<std::uint64_t> arrived;
    VARVE_CHECK_OK(block->times(0, block_times));
    VARVE_CHECK_OK(block_arrivals(*block, part, columns, arrived));
    for (std::size_t r = 0; r < block_times.size(); ++r) rows.emplace_back(block_times[r], arrived[r]);
  }
  for (const SlotData::Hot& piece : hot) {
    shared::for_each_row(std::as_bytes(std::span(piece.rows)), shared::RowForm::plain,
                         [&](model::RowView row, std::uint32_t) {
                           rows.emplace_back(row.time(), static_cast<std::uint64_t>(piece.arrival.us));
                         });
  }
  const auto time_of = [](const auto& row) { return row.first; };
  std::ranges::stable_sort(rows, {}, time_of);
  std::vector<std::uint64_t> out;
  for (const model::Timestamp time : times) {
    const auto after = std::ranges::upper_bound(rows, time, {}, time_of);
    out.push_back(after == rows.begin() ? 0 : std::prev(after)->second);
  }
  return out;
}

// Where those of the columns that are of the part stand in it.
std::vector<std::uint16_t> places_in(std::span<const std::uint16_t> of_part, std::span<const std::uint16_t> columns) {
  std::vector<std::uint16_t> places;
  for (const std::uint16_t column : columns) {
    if (column >= of_part.front() && column <= of_part.back()) {
      places.push_back(static_cast<std::uint16_t>(column - of_part.front()));
    }
  }
  return places;
}

}  // namespace

const chunk::Block* SlotData::block(unsigned part) const {
  const Sealed* const found = find(sealed, part);
  return found == nullptr ? nullptr : found->block.get();
}

std::size_t SlotData::memory_bytes() const {
  std::size_t bytes = sizeof(SlotData);
  for (const Hot& one : hot) bytes += sizeof(Hot) + one.rows.capacity();
  for (const Sealed& one : sealed) bytes += sizeof(Sealed) + (one.block ? one.block->memory_bytes() : 0);
  return bytes;
}

Status SlotData::erase(std::size_t columns, std::span<const Erasure> erasures) {
  if (erasures.empty()) return {};
  const std::int64_t last_us = erasures.back().at_us;
  const std::int64_t blocks_us = std::ranges::max(erasures, {}, &Erasure::blocks_us).blocks_us;
  for (unsigned part = 0; part < parts_of(columns); ++part) {
    // A block that was read after the last of them is without it.
    const Sealed* const found = find(sealed, part);
    const bool without = found != nullptr && found->read_us > blocks_us;
    const bool came_before = !hot.empty() && hot.front().arrival.us <= last_us;
    if (!without || came_before) VARVE_CHECK_OK(erase_part(part, columns, erasures));
  }
  std::erase_if(hot, [last_us](const Hot& row) { return row.arrival.us <= last_us; });
  return {};
}

// Hot rows lose what was deleted after they arrived. The block loses it, too, but where it was read after a delete:
// then it is without it, but may lack rows that arrived before, which did not stand yet when it was read.
Status SlotData::erase_part(unsigned part, std::size_t columns, std::span<const Erasure> erasures) {
  const std::vector<std::uint16_t> of_part = columns_of_part(part, columns);
  const Sealed* const found = find(sealed, part);
  Sealed state = found == nullptr ? Sealed{part, 0, nullptr} : *found;
  const auto stored = state.block;
  shared::Gather gather;
  shared::CellEraser eraser;
  std::shared_ptr<const chunk::Block> rows;  // of hot rows
  std::size_t next = 0;
  const auto add_hot = [&](std::int64_t until_us) {
    for (; next < hot.size() && hot[next].arrival.us <= until_us; ++next) {
      gather.add_rows(std::as_bytes(std::span(hot[next].rows)), shared::RowForm::plain);
    }
  };
  const auto add_block = [&](const auto& block) {
    return block == nullptr ? Status{} : gather.add_chunk(*block, 0, of_part.front());
  };
  for (const Erasure& erasure : erasures) {
    const auto places = places_in(of_part, erasure.columns);
    const auto erase_gathered = [&] {
      gather.finish();
      eraser.erase_cells(gather.times(), gather.columns(), places, erasure.range);
      return encode(eraser.times(), eraser.columns(), std::vector<std::uint64_t>(eraser.times().size()));
    };
    if (places.empty()) continue;
    gather.clear(of_part);
    VARVE_CHECK_OK(add_block(rows));
    add_hot(erasure.at_us);
    VARVE_TRY(rows, erase_gathered());
    if (state.block == nullptr || state.read_us > erasure.blocks_us) continue;
    gather.clear(of_part);
    VARVE_CHECK_OK(add_block(state.block));
    VARVE_TRY(state.block, erase_gathered());
  }
  gather.clear(of_part);
  VARVE_CHECK_OK(add_block(state.block));
  VARVE_CHECK_OK(add_block(rows));
  add_hot(erasures.back().at_us);
  gather.finish();
  VARVE_TRY(const auto arrivals, rank_rows(stored.get(), part, columns, {hot.data(), next}, gather.times()));
  VARVE_TRY(state.block, encode(gather.times(), gather.columns(), arrivals));
  const auto at = std::ranges::lower_bound(sealed, part, {}, &Sealed::part);
  if (at != sealed.end() && at->part == part) {
    *at = std::move(state);
  } else {
    sealed.insert(at, std::move(state));
  }
  return {};
}

Status check_hot_rows(std::string_view rows, std::size_t columns, model::TimeRange slot) {
  const auto* at = reinterpret_cast<const std::byte*>(rows.data());
  const auto* const end = at + rows.size();
  while (at != end) {
    const std::size_t bytes = model::check_row(at, end);
    if (bytes == 0) return fail(Code::corrupt, "a hot row is malformed");
    const model::RowView row{at};
    if (row.count() != columns || !slot.contains(row.time())) {
      return fail(Code::corrupt, "a hot row of " + std::to_string(row.count()) + " values at " +
                                     std::to_string(row.time()) + " is not of its group and slot");
    }
    at += bytes;
  }
  return {};
}

Result<std::shared_ptr<const chunk::Block>> open_chunk(std::string_view chunk, unsigned part, std::size_t columns) {
  if (chunk.empty()) return nullptr;
  VARVE_TRY(auto block, chunk::Block::open(std::as_bytes(std::span(chunk))));
  const std::size_t wanted = columns_of_part(part, columns).size();
  if (block->groups() != 1 || (block->columns(0) != wanted && block->columns(0) != wanted + 1)) {
    return fail(Code::corrupt, "a sealed row is not of its group: it has not " + std::to_string(wanted) + " series");
  }
  return block;
}

Status gather_columns(const SlotData& data, std::span<const std::uint16_t> columns, shared::Gather& gather) {
  const unsigned part = columns.front() / kSeriesPerPart;
  gather.clear(columns);
  if (const chunk::Block* const block = data.block(part); block != nullptr) {
    VARVE_CHECK_OK(gather.add_chunk(*block, 0, std::size_t{part} * kSeriesPerPart));
  }
  for (const SlotData::Hot& row : data.hot) {
    gather.add_rows(std::as_bytes(std::span(row.rows)), shared::RowForm::plain);
  }
  return {};
}

Result<std::vector<std::uint64_t>> arrivals_of(const SlotData& data, unsigned part, std::size_t columns,
                                               std::span<const model::Timestamp> times) {
  return rank_rows(data.block(part), part, columns, data.hot, times);
}

Status block_arrivals(const chunk::Block& block, unsigned part, std::size_t columns, std::vector<std::uint64_t>& out) {
  const std::size_t own = columns_of_part(part, columns).size();
  out.assign(block.rows(0), 0);
  if (block.columns(0) == own) return {};
  chunk::DecodedColumn column;
  VARVE_CHECK_OK(block.column(0, own, column));
  if (!column.uniform || column.type != model::ValueType::long_) {
    return fail(Code::corrupt, "arrivals of a sealed row are no numbers");
  }
  out.assign(column.bits.begin(), column.bits.end());
  return {};
}

std::vector<std::uint16_t> columns_of_part(unsigned part, std::size_t columns) {
  std::vector<std::uint16_t> list;
  for (std::size_t c = std::size_t{part} * kSeriesPerPart; c < columns && list.size() < kSeriesPerPart; ++c) {
    list.push_back(static_cast<std::uint16_t>(c));
  }
  return list;
}

}  // namespace varve::engine::cassandra
