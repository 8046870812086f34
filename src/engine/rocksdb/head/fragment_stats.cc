// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/head/fragment_stats.h"

#include <algorithm>

namespace varve::engine::rocksdb {

using model::ValueType;
using storage::SeriesStats;

namespace {

// Of all values of such a row; 0: they may differ, or there are none.
constexpr std::uint8_t types_of(model::RowKind kind) {
  switch (kind) {
    case model::RowKind::long_: return SeriesStats::bit_of(ValueType::long_);
    case model::RowKind::decimal: return SeriesStats::bit_of(ValueType::double_);
    case model::RowKind::text: return SeriesStats::bit_of(ValueType::string);
    case model::RowKind::complex: return SeriesStats::bit_of(ValueType::complex);
    case model::RowKind::histogram: return SeriesStats::bit_of(ValueType::histogram);
    case model::RowKind::stale_marker:
    case model::RowKind::typed: break;
  }
  return 0;
}

std::optional<SeriesStats> known_stats(const Head::Fragment& fragment) {
  using Fragment = Head::Fragment;
  constexpr unsigned kToRead = Fragment::bit_of(model::RowKind::typed) | Fragment::bit_of(model::RowKind::stale_marker);
  if (!fragment.ascends || (fragment.kinds & kToRead) != 0 || fragment.last_ms == Fragment::kFarMs) return std::nullopt;
  SeriesStats out{fragment.first_time(), fragment.last_time(), fragment.rows, 0};
  for (unsigned kind = 0; kind <= model::kRowKindLast; ++kind) {
    const auto one = static_cast<model::RowKind>(kind);
    if ((fragment.kinds & Head::Fragment::bit_of(one)) != 0) out.types |= types_of(one);
  }
  return out;
}

}  // namespace

void list_fragments(const Head& head, std::uint32_t group, std::vector<HeadFragment>& out) {
  for (const auto* at = head.fragments(model::GroupId{group}); at != nullptr; at = at->next) {
    HeadFragment& fragment = out.emplace_back(HeadFragment{.group = group, .known = known_stats(*at)});
    if (!fragment.known) head.pieces(*at, fragment.rows);
  }
}

void FragmentStats::count(const HeadFragment& fragment, std::span<const std::uint16_t> columns) {
  types_.assign(columns.size(), 0);
  all_ = fragment.known.value_or(SeriesStats());
  if (fragment.known) return;
  times_.clear();
  written_.clear();
  for (const auto& rows : fragment.rows) read(rows, columns);
  if (!written_.empty()) take_markers_away();
  if (!std::ranges::is_sorted(times_)) std::ranges::sort(times_);
  const auto again = std::ranges::unique(times_);
  times_.erase(again.begin(), again.end());
  if (times_.empty()) return;
  all_.first_ms = times_.front();
  all_.last_ms = times_.back();
  all_.points = times_.size();
}

// A time has a value if the row that was written last has one.
void FragmentStats::take_markers_away() {
  std::ranges::stable_sort(written_, {}, &Written::time);
  times_.clear();
  for (std::size_t i = 0; i < written_.size(); ++i) {
    const bool is_last = i + 1 == written_.size() || written_[i + 1].time != written_[i].time;
    if (is_last && !written_[i].is_marker) times_.push_back(written_[i].time);
  }
}

void FragmentStats::read(std::span<const std::byte> rows, std::span<const std::uint16_t> columns) {
  const std::byte* const end = rows.data() + rows.size();
  for (const std::byte* at = rows.data(); at != end;) {
    const model::RowView row{at};
    at += row.bytes() + Head::kArrivalBytes;
    const bool is_marker = row.kind() == model::RowKind::stale_marker;
    if (is_marker && written_.empty()) {
      for (const model::Timestamp time : times_) written_.push_back({time, false});
    }
    if (is_marker || !written_.empty()) written_.push_back({row.time(), is_marker});
    times_.push_back(row.time());
    if (row.kind() != model::RowKind::typed) {
      all_.types |= types_of(row.kind());
      continue;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) types_[i] |= SeriesStats::bit_of(row.value(columns[i]).type);
  }
}

}  // namespace varve::engine::rocksdb
