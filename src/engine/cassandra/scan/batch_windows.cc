// SPDX-License-Identifier: Apache-2.0
// What a batch scan gives of units.
#include <algorithm>
#include <array>
#include <bit>

#include "engine/cassandra/scan/batch_scan.h"

namespace varve::engine::cassandra {
namespace {

using model::TimeRange;

unsigned in_part(const Member& member, std::size_t column) {
  return member.columns[column] - member.part * kSeriesPerPart;
}

storage::WindowColumns cut(const storage::WindowColumns& columns, TimeRange range) {
  const auto first = std::ranges::lower_bound(columns.starts, range.first);
  const auto last = std::ranges::lower_bound(first, columns.starts.end(), range.last);
  return columns.part(static_cast<std::size_t>(first - columns.starts.begin()), static_cast<std::size_t>(last - first));
}

}  // namespace

Result<bool> BatchScan::says_enough(const Unit& unit, TimeRange range) const {
  if (unit.block == nullptr || samples_are_gone(range)) return true;
  const Member& member = members_[unit.member];
  std::vector<model::Timestamp> starts;
  for (std::size_t c = 0; c < member.columns.size(); ++c) {
    const std::size_t numbers = unit.block->find(numbers_of(in_part(member, c)));
    const bool extremes = context_.sink.window_fields(member.series[c]).extremes();
    if (extremes && numbers != unit.block->groups() &&
        unit.block->columns(numbers) != rollup::columns_of(rollup::Kind::gauge)) {
      return false;
    }
    const std::size_t texts = unit.block->find(texts_of(in_part(member, c)));
    if (texts == unit.block->groups()) continue;
    VARVE_CHECK_OK(unit.block->times(texts, starts));
    if (std::ranges::any_of(starts, [&](model::Timestamp start) { return range.contains(start); })) return false;
  }
  return true;
}

Status BatchScan::give_windows(const Unit& unit, std::size_t level, TimeRange range) {
  if (unit.block == nullptr) return {};
  const Member& member = members_[unit.member];
  std::vector<model::Timestamp> starts;
  std::vector<chunk::DecodedColumn> columns;
  for (std::size_t c = 0; c < member.columns.size(); ++c) {
    const std::size_t at = unit.block->find(numbers_of(in_part(member, c)));
    if (at == unit.block->groups()) continue;
    VARVE_CHECK_OK(shared::check_window_columns(unit.block->columns(at)));
    const storage::WindowFields fields = context_.sink.window_fields(member.series[c]);
    const std::array<bool, rollup::kColumnsMax> wanted{true, fields.first_time, fields.sum, fields.min, fields.max};
    VARVE_CHECK_OK(unit.block->times(at, starts));
    columns.resize(unit.block->columns(at));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (wanted[i]) VARVE_CHECK_OK(unit.block->column(at, i, columns[i]));
    }
    storage::WindowColumns windows;
    VARVE_CHECK_OK(shared::to_window_columns(starts, columns, fields, unknown_, windows));
    windows.series = member.series[c];
    windows.width_ms = context_.granularities[level];
    if (const auto part = cut(windows, range); part.size() != 0) context_.sink.window_columns(part);
  }
  return {};
}

// Of one series in several groups: each has counted other samples.
Status BatchScan::give_merged_windows(std::span<const Unit> units, std::size_t level, TimeRange range) {
  rollup::Windows merged;
  for (const Unit& unit : units) {
    if (unit.block == nullptr) continue;
    VARVE_TRY(const SeriesWindows found, windows_of(*unit.block, in_part(members_[unit.member], 0)));
    merged = rollup::merged(merged, found.numbers);
  }
  std::erase_if(merged, [&](const rollup::Window& w) { return w.count == 0 || !range.contains(w.start); });
  if (merged.empty()) return {};
  std::vector<model::Timestamp> starts;
  std::vector<std::uint64_t> counts, offsets, sums, mins, maxs;
  for (const rollup::Window& w : merged) {
    starts.push_back(w.start);
    counts.push_back(w.count);
    offsets.push_back(static_cast<std::uint64_t>(w.first_time - w.start));
    sums.push_back(std::bit_cast<std::uint64_t>(w.sum));
    mins.push_back(std::bit_cast<std::uint64_t>(w.min));
    maxs.push_back(std::bit_cast<std::uint64_t>(w.max));
  }
  context_.sink.window_columns(
      {members_[0].series[0], context_.granularities[level], starts, counts, offsets, sums, mins, maxs});
  return {};
}

}  // namespace varve::engine::cassandra
