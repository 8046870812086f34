// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/series_merge.h"

#include <tuple>

#include "base/check.h"

namespace varve::engine::shared {

void SeriesMerge::add_rows(std::span<const std::byte> rows, RowForm form, unsigned column, std::uint64_t rank) {
  for_each_row(rows, form, [&](model::RowView row, std::uint32_t arrival) {
    if (!live_.contains(row.time())) return;
    samples_.push_back({row.time(), rank, arrival, model::to_int(row.group()), static_cast<std::uint16_t>(column),
                        brevity_, row.value(column)});
  });
}

Status SeriesMerge::add_chunk(const chunk::Block& block, std::size_t i, unsigned column, std::uint64_t rank) {
  return add_ranked(block, i, column, [rank](std::size_t) { return rank; });
}

Status SeriesMerge::add_chunk(const chunk::Block& block, std::size_t i, unsigned column,
                              std::span<const std::uint64_t> ranks) {
  check(ranks.size() >= block.rows(i), "each row has a rank");
  return add_ranked(block, i, column, [ranks](std::size_t row) { return ranks[row]; });
}

template <class Rank>
Status SeriesMerge::add_ranked(const chunk::Block& block, std::size_t i, unsigned column, const Rank& rank) {
  VARVE_ASSIGN_OR_RETURN(const chunk::Rows rows, block.times(i, live_, chunk_times_));
  if (rows.count == 0) return {};
  VARVE_RETURN_IF_ERROR(block.column(i, column, rows, chunk_column_));
  const std::uint32_t group = model::to_int(block.group(i));
  for (std::size_t r = 0; r < chunk_times_.size(); ++r) {
    model::Value value;
    value.type = chunk_column_.uniform ? chunk_column_.type : chunk_column_.types[r];
    if (value.type == chunk::kErased) continue;
    if (model::in_text(value.type)) {
      value.text = chunk_column_.texts[r];
    } else {
      value.bits = chunk_column_.bits[r];
    }
    samples_.push_back(
        {chunk_times_[r], rank(rows.first + r), 0, group, static_cast<std::uint16_t>(column), brevity_, value});
  }
  return {};
}

std::span<const SeriesMerge::Sample> SeriesMerge::sorted() {
  std::sort(samples_.begin(), samples_.end(), [](const Sample& a, const Sample& b) {
    return std::tie(a.time, a.rank, a.arrival, a.brevity, a.group, a.column) <
           std::tie(b.time, b.rank, b.arrival, b.brevity, b.group, b.column);
  });
  return samples_;
}

void SeriesMerge::winners(std::vector<model::Timestamp>& times, chunk::Column& column) {
  const auto all = sorted();
  times.clear();
  types_.clear();
  bits_.clear();
  texts_.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + 1 < all.size() && all[i + 1].time == all[i].time) continue;
    times.push_back(all[i].time);
    types_.push_back(all[i].value.type);
    bits_.push_back(all[i].value.bits);
    texts_.push_back(all[i].value.text);
  }
  column = {chunk::Column::Form::typed, 0, {}, types_, bits_, texts_};
}

}  // namespace varve::engine::shared
