// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/settle/slot_folder.h"

#include <bit>
#include <cstring>

#include "chunk/decimals.h"

namespace varve::engine::rocksdb {

using model::ValueType;

SlotFolder::SlotFolder(const ScanSource& source, const Runs::OfSlot& slot, std::int64_t width_ms,
                       model::TimeRange except)
    : width_ms_(width_ms), except_(except) {
  for (const auto& run : slot.runs) readers_.emplace_back(source, *run);
}

Status SlotFolder::group(std::uint32_t group, std::span<const model::SeriesId> series, const Out& out) {
  gather_.clear();
  cut_group_ = false;
  VARVE_TRY(const FoundChunks found, find_chunks(readers_, group, gather_));
  if (found.count == 0) return {};
  if (found.count == 1) {
    VARVE_CHECK_OK(found.block->times(found.at, times_));
    for (std::size_t c = 0; c < series.size(); ++c) {
      VARVE_CHECK_OK(found.block->column(found.at, c, column_));
      VARVE_CHECK_OK(fold(series[c], times_, column_, out));
    }
    return {};
  }
  gather_.finish();
  for (std::size_t c = 0; c < series.size(); ++c) {
    VARVE_CHECK_OK(fold(series[c], gather_.times(), gather_.columns()[c], out));
  }
  return {};
}

Status SlotFolder::series(model::SeriesId series, std::span<const index::Place> places, const Out& out) {
  if (!merged_.insert(model::to_int(series)).second) return {};
  merge_.clear();
  cut_group_ = false;
  for (const index::Place& place : places) {
    VARVE_CHECK_OK(add_column(readers_, model::to_int(place.group), place.column, merge_));
  }
  if (merge_.empty()) return {};
  chunk::Column column;
  merge_.winners(times_, column);
  return fold(series, times_, column, out);
}

Status SlotFolder::fold_only_numbers(model::SeriesId series, std::span<const model::Timestamp> times, const Out& out) {
  VARVE_CHECK_OK(fold_numbers(series, times, out));
  windows_.clear();
  return out(series, true, windows_);
}

Status SlotFolder::fold_numbers(model::SeriesId series, std::span<const model::Timestamp> times, const Out& out) {
  if (!except_.empty() && times.data() != number_times_.data()) {
    number_times_.clear();
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (except_.contains(times[i])) continue;
      numbers_[number_times_.size()] = numbers_[i];
      number_times_.push_back(times[i]);
    }
    numbers_.resize(number_times_.size());
    times = number_times_;
  }
  // Series of a group mostly share all its times.
  const bool of_group = times.data() != number_times_.data();
  if (!of_group || !cut_group_) rollup::cut(times, width_ms_, cuts_);
  cut_group_ = of_group;
  windows_.clear();
  rollup::fold(rollup::Numbers{times, numbers_}, cuts_, windows_);
  return out(series, false, windows_);
}

Status SlotFolder::fold_cells(model::SeriesId series, std::span<const model::Timestamp> times,
                              std::span<const ValueType> types, std::span<const std::uint64_t> bits,
                              std::span<const std::string_view> texts, const Out& out) {
  number_times_.clear();
  numbers_.clear();
  text_times_.clear();
  texts_.clear();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (types[i] == chunk::kErased || except_.contains(times[i])) continue;
    if (types[i] == ValueType::string) {
      text_times_.push_back(times[i]);
      texts_.push_back(texts[i]);
    } else {
      number_times_.push_back(times[i]);
      numbers_.push_back(types[i] == ValueType::double_ ? std::bit_cast<double>(bits[i])
                                                        : static_cast<double>(static_cast<std::int64_t>(bits[i])));
    }
  }
  VARVE_CHECK_OK(fold_numbers(series, number_times_, out));
  windows_.clear();
  rollup::fold(rollup::Texts{text_times_, texts_}, width_ms_, windows_);
  return out(series, true, windows_);
}

Status SlotFolder::fold(model::SeriesId series, std::span<const model::Timestamp> times, chunk::DecodedColumn& column,
                        const Out& out) {
  if (!column.uniform || column.type == ValueType::string) {
    if (column.uniform) one_type_.assign(times.size(), column.type);
    return fold_cells(series, times, column.uniform ? one_type_ : column.types, column.bits, column.texts, out);
  }
  if (column.type == ValueType::long_) chunk::to_doubles(column.bits, 0);
  numbers_.resize(times.size());
  std::memcpy(numbers_.data(), column.bits.data(), times.size() * sizeof(double));
  return fold_only_numbers(series, times, out);
}

Status SlotFolder::fold(model::SeriesId series, std::span<const model::Timestamp> times, const chunk::Column& column,
                        const Out& out) {
  if (column.form != chunk::Column::Form::longs) {
    return fold_cells(series, times, column.types, column.bits, column.texts, out);
  }
  numbers_.assign(column.ints.begin(), column.ints.end());
  return fold_only_numbers(series, times, out);
}

}  // namespace varve::engine::rocksdb
