// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/slot_data.h"

#include <algorithm>

#include "base/check.h"
#include "engine/cassandra/tables/spans.h"
#include "engine/shared/cell_eraser.h"

namespace varve::engine::cassandra {
namespace {

const SlotData::Sealed* find(const std::vector<SlotData::Sealed>& sealed, unsigned shard) {
  const auto at = std::ranges::lower_bound(sealed, shard, {}, &SlotData::Sealed::shard);
  return at == sealed.end() || at->shard != shard ? nullptr : &*at;
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
Result<std::vector<std::uint64_t>> rank_rows(const SlotData::Sealed* chunk, std::size_t columns,
                                             std::span<const SlotData::Hot> hot,
                                             std::span<const model::Timestamp> times) {
  std::vector<std::pair<model::Timestamp, std::uint64_t>> rows;
  if (chunk != nullptr) {
    std::vector<model::Timestamp> block_times;
    std::vector<std::uint64_t> arrived;
    VARVE_RETURN_IF_ERROR(chunk->block->times(chunk->at, block_times));
    VARVE_RETURN_IF_ERROR(chunk_arrivals(*chunk, columns, arrived));
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

// Where those of the columns that are of the shard stand in it.
std::vector<std::uint16_t> places_in(std::span<const std::uint16_t> of_shard, std::span<const std::uint16_t> columns) {
  std::vector<std::uint16_t> places;
  for (const std::uint16_t column : columns) {
    if (column >= of_shard.front() && column <= of_shard.back()) {
      places.push_back(static_cast<std::uint16_t>(column - of_shard.front()));
    }
  }
  return places;
}

using BlockPointer = std::shared_ptr<const chunk::Block>;

// What was gathered, finished here, as a block without what those erasures take away that concern it.
template <class Concerns>
Result<BlockPointer> without(shared::Gather& gather, std::span<const std::uint16_t> of_shard,
                             std::span<const Erasure> erasures, Concerns&& concerns) {
  gather.finish();
  shared::CellEraser eraser;
  const auto encode_rest = [](std::span<const model::Timestamp> times, std::span<const chunk::Column> columns) {
    return encode(times, columns, std::vector<std::uint64_t>(times.size()));
  };
  VARVE_ASSIGN_OR_RETURN(BlockPointer block, encode_rest(gather.times(), gather.columns()));
  for (const Erasure& erasure : erasures) {
    const auto places = places_in(of_shard, erasure.columns);
    if (block == nullptr || places.empty() || !concerns(erasure)) continue;
    gather.clear(of_shard);
    VARVE_RETURN_IF_ERROR(gather.add_chunk(*block, 0, of_shard.front()));
    gather.finish();
    eraser.erase_cells(gather.times(), gather.columns(), places, erasure.range);
    VARVE_ASSIGN_OR_RETURN(block, encode_rest(eraser.times(), eraser.columns()));
  }
  return block;
}

// Hot rows without what was deleted: a block for each run of rows that the same deletes have seen.
Result<std::vector<BlockPointer>> erase_rows(std::span<const SlotData::Hot> rows,
                                             std::span<const std::uint16_t> of_shard,
                                             std::span<const Erasure> erasures) {
  const auto same = [&](const SlotData::Hot& a, const SlotData::Hot& b) {
    return std::ranges::all_of(erasures,
                               [&](const Erasure& one) { return one.covers(a.arrival) == one.covers(b.arrival); });
  };
  std::vector<BlockPointer> blocks;
  shared::Gather gather;
  for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
    gather.clear(of_shard);
    for (; end < rows.size() && same(rows[first], rows[end]); ++end) {
      gather.add_rows(std::as_bytes(std::span(rows[end].rows)), shared::RowForm::plain);
    }
    const auto has_seen = [&](const Erasure& erasure) { return erasure.covers(rows[first].arrival); };
    VARVE_ASSIGN_OR_RETURN(auto block, without(gather, of_shard, erasures, has_seen));
    if (block != nullptr) blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace

const SlotData::Sealed* SlotData::chunk(unsigned shard) const {
  const Sealed* const found = find(sealed, shard);
  return found == nullptr || found->block == nullptr ? nullptr : found;
}

std::size_t SlotData::memory_bytes() const {
  std::size_t bytes = sizeof(SlotData);
  for (const Hot& one : hot) bytes += sizeof(Hot) + one.rows.capacity();
  for (const Sealed& one : sealed) {
    bytes += sizeof(Sealed) + (one.block ? one.block->memory_bytes() / one.block->groups() : 0);
  }
  return bytes;
}

std::int64_t SlotData::version() const {
  std::int64_t greatest = 0;
  for (const Sealed& one : sealed) greatest = std::max(greatest, one.version);
  return greatest;
}

std::int64_t greatest_version(std::span<const std::vector<SlotData>> lists) {
  std::int64_t greatest = 0;
  for (const auto& slots : lists) {
    for (const SlotData& data : slots) greatest = std::max(greatest, data.version());
  }
  return greatest;
}

bool Erasure::covers(const Arrival& arrival) const {
  if (by_time) return arrival.us <= number;
  const auto last = std::ranges::lower_bound(seen, arrival.source, {}, &Arrival::source);
  return last != seen.end() && last->source == arrival.source && arrival.us <= last->us;
}

Status SlotData::erase(std::size_t columns, std::span<const Erasure> erasures) {
  if (erasures.empty()) return {};
  const auto is_covered = [&](const Hot& row) {
    return std::ranges::any_of(erasures, [&](const Erasure& erasure) { return erasure.covers(row.arrival); });
  };
  std::size_t count = hot.size();
  while (count > 0 && !is_covered(hot[count - 1])) --count;
  const std::span<const Hot> covered(hot.data(), count);
  const std::int64_t last = std::ranges::max(erasures, {}, &Erasure::blocks).blocks;
  for (unsigned shard = 0; shard < column_shards_of(columns); ++shard) {
    const Sealed* const found = find(sealed, shard);
    const bool without = found != nullptr && found->version > last;  // it was made after the last of them
    if (!without || !covered.empty()) VARVE_RETURN_IF_ERROR(erase_shard(shard, columns, erasures, covered));
  }
  hot.erase(hot.begin(), hot.begin() + static_cast<std::ptrdiff_t>(count));
  return {};
}

// The block loses what was deleted unless it was made later; it may then lack rows that the delete had seen, of which
// the rest is laid over it.
Status SlotData::erase_shard(unsigned shard, std::size_t columns, std::span<const Erasure> erasures,
                             std::span<const Hot> covered) {
  const std::vector<std::uint16_t> of_shard = columns_of_shard(shard, columns);
  const Sealed* const found = find(sealed, shard);
  Sealed state = found == nullptr ? Sealed{shard, 0, nullptr} : *found;
  const Sealed stored = state;
  const auto concerns = [&](const Erasure& erasure) {
    return stored.block != nullptr && state.version <= erasure.blocks && !places_in(of_shard, erasure.columns).empty();
  };
  shared::Gather gather;
  if (std::ranges::any_of(erasures, concerns)) {
    gather.clear(of_shard);
    VARVE_RETURN_IF_ERROR(gather.add_chunk(*stored.block, stored.at, of_shard.front()));
    VARVE_ASSIGN_OR_RETURN(state.block, without(gather, of_shard, erasures, concerns));
    state.at = 0;
  }
  VARVE_ASSIGN_OR_RETURN(const auto rows, erase_rows(covered, of_shard, erasures));
  gather.clear(of_shard);
  if (state.block != nullptr) VARVE_RETURN_IF_ERROR(gather.add_chunk(*state.block, state.at, of_shard.front()));
  for (const auto& block : rows) VARVE_RETURN_IF_ERROR(gather.add_chunk(*block, 0, of_shard.front()));
  gather.finish();
  const Sealed* const before = stored.block == nullptr ? nullptr : &stored;
  VARVE_ASSIGN_OR_RETURN(const auto arrived, rank_rows(before, columns, covered, gather.times()));
  VARVE_ASSIGN_OR_RETURN(state.block, encode(gather.times(), gather.columns(), arrived));
  state.at = 0;
  const auto at = std::ranges::lower_bound(sealed, shard, {}, &Sealed::shard);
  if (at != sealed.end() && at->shard == shard) {
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

Result<std::shared_ptr<const chunk::Block>> open_chunk(std::string_view chunk, unsigned shard, std::size_t columns) {
  if (chunk.empty()) return nullptr;
  VARVE_ASSIGN_OR_RETURN(auto block, chunk::Block::open(std::as_bytes(std::span(chunk))));
  const std::size_t wanted = columns_of_shard(shard, columns).size();
  for (std::size_t at = 0; at < block->groups(); ++at) {
    if (block->columns(at) == wanted || block->columns(at) == wanted + 1) continue;
    return fail(Code::corrupt, "a sealed row is not of its group: it has not " + std::to_string(wanted) + " series");
  }
  return block;
}

Status gather_columns(const SlotData& data, std::span<const std::uint16_t> columns, shared::Gather& gather,
                      model::TimeRange range) {
  check(!columns.empty() && std::ranges::is_sorted(columns) &&
            columns.front() / kSeriesPerColumnShard == columns.back() / kSeriesPerColumnShard,
        "columns ascend, of one part");
  const unsigned shard = columns.front() / kSeriesPerColumnShard;
  gather.clear(columns, range);
  if (const SlotData::Sealed* const chunk = data.chunk(shard); chunk != nullptr) {
    VARVE_RETURN_IF_ERROR(gather.add_chunk(*chunk->block, chunk->at, std::size_t{shard} * kSeriesPerColumnShard));
  }
  for (const SlotData::Hot& row : data.hot) {
    gather.add_rows(std::as_bytes(std::span(row.rows)), shared::RowForm::plain);
  }
  return {};
}

Result<std::vector<std::uint64_t>> arrivals_of(const SlotData& data, unsigned shard, std::size_t columns,
                                               std::span<const model::Timestamp> times) {
  return rank_rows(data.chunk(shard), columns, data.hot, times);
}

Status chunk_arrivals(const SlotData::Sealed& chunk, std::size_t columns, std::vector<std::uint64_t>& out) {
  const std::size_t own = columns_of_shard(chunk.shard, columns).size();
  out.assign(chunk.block->rows(chunk.at), 0);
  if (chunk.block->columns(chunk.at) == own) return {};
  chunk::DecodedColumn column;
  VARVE_RETURN_IF_ERROR(chunk.block->column(chunk.at, own, column));
  if (!column.uniform || column.type != model::ValueType::long_) {
    return fail(Code::corrupt, "arrivals of a sealed row are not numbers");
  }
  out.assign(column.bits.begin(), column.bits.end());
  return {};
}

std::vector<std::uint16_t> columns_of_shard(unsigned shard, std::size_t columns) {
  std::vector<std::uint16_t> list;
  for (std::size_t c = std::size_t{shard} * kSeriesPerColumnShard; c < columns && list.size() < kSeriesPerColumnShard;
       ++c) {
    list.push_back(static_cast<std::uint16_t>(c));
  }
  return list;
}

}  // namespace varve::engine::cassandra
