// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/head/fragment_stats.h"

#include <algorithm>

namespace varve::engine::rocksdb {

using model::ValueType;
using storage::SeriesStats;

void list_fragments(const Head& head, std::uint32_t group, std::vector<HeadFragment>& out) {
  for (const auto* at = head.fragments(model::GroupId{group}); at != nullptr; at = at->next) {
    head.pieces(*at, out.emplace_back(HeadFragment{group, {}}).rows);
  }
}

void FragmentStats::count(const HeadFragment& fragment, std::span<const std::uint16_t> columns) {
  times_.clear();
  uniform_ = 0;
  types_.assign(columns.size(), 0);
  for (const auto& rows : fragment.rows) read(rows, columns);
  if (!std::ranges::is_sorted(times_)) std::ranges::sort(times_);
  const auto again = std::ranges::unique(times_);
  times_.erase(again.begin(), again.end());
}

void FragmentStats::read(std::span<const std::byte> rows, std::span<const std::uint16_t> columns) {
  const std::byte* const end = rows.data() + rows.size();
  for (const std::byte* at = rows.data(); at != end;) {
    const model::RowView row{at};
    at += row.bytes() + Head::kArrivalBytes;
    times_.push_back(row.time());
    switch (row.kind()) {
      case model::RowKind::long_: uniform_ |= SeriesStats::bit_of(ValueType::long_); break;
      case model::RowKind::decimal: uniform_ |= SeriesStats::bit_of(ValueType::double_); break;
      case model::RowKind::text: uniform_ |= SeriesStats::bit_of(ValueType::string); break;
      case model::RowKind::complex: uniform_ |= SeriesStats::bit_of(ValueType::complex); break;
      case model::RowKind::histogram: uniform_ |= SeriesStats::bit_of(ValueType::histogram); break;
      case model::RowKind::typed:
        for (std::size_t i = 0; i < columns.size(); ++i) types_[i] |= SeriesStats::bit_of(row.value(columns[i]).type);
    }
  }
}

}  // namespace varve::engine::rocksdb
