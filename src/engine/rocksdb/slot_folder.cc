// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/slot_folder.h"

#include <bit>
#include <cstring>

namespace varve::engine::rocksdb {

using model::ValueType;

SlotFolder::SlotFolder(const ScanSource& source, const Runs::OfSlot& slot, std::int64_t width_ms)
    : width_ms_(width_ms) {
  for (const auto& run : slot.runs) readers_.emplace_back(source, *run);
}

Status SlotFolder::group(std::uint32_t group, std::span<const model::SeriesId> series, const Out& out) {
  gather_.clear();
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
  for (const index::Place& place : places) {
    for (RunReader& reader : readers_) {
      VARVE_TRY(const chunk::Block* block, reader.block(model::to_int(place.group)));
      if (block == nullptr) continue;
      const std::size_t at = block->find(place.group);
      if (at != block->groups()) VARVE_CHECK_OK(merge_.add_chunk(*block, at, place.column, reader.run().key.run));
    }
  }
  if (merge_.empty()) return {};
  chunk::Column column;
  merge_.winners(times_, column);
  return fold(series, times_, column, out);
}

void SlotFolder::add_number(model::Timestamp time, ValueType type, std::uint64_t bits) {
  number_times_.push_back(time);
  numbers_.push_back(type == ValueType::double_ ? std::bit_cast<double>(bits)
                                                : static_cast<double>(static_cast<std::int64_t>(bits)));
}

Status SlotFolder::fold(model::SeriesId series, std::span<const model::Timestamp> times,
                        const chunk::DecodedColumn& column, const Out& out) {
  if (column.uniform && column.type != ValueType::string) {  // nearly always
    numbers_.resize(times.size());
    if (column.type == ValueType::double_) {
      std::memcpy(numbers_.data(), column.bits.data(), times.size() * sizeof(double));
    } else {
      for (std::size_t i = 0; i < times.size(); ++i) {
        numbers_[i] = static_cast<double>(static_cast<std::int64_t>(column.bits[i]));
      }
    }
    windows_.clear();
    rollup::fold(rollup::Numbers{times, numbers_}, width_ms_, windows_);
    return windows_.empty() ? Status{} : out(series, false, windows_);
  }
  number_times_.clear();
  numbers_.clear();
  text_times_.clear();
  texts_.clear();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const ValueType type = column.uniform ? column.type : column.types[i];
    if (type == ValueType::string) {
      text_times_.push_back(times[i]);
      texts_.push_back(column.texts[i]);
    } else {
      add_number(times[i], type, column.bits[i]);
    }
  }
  return emit(series, out);
}

Status SlotFolder::fold(model::SeriesId series, std::span<const model::Timestamp> times, const chunk::Column& column,
                        const Out& out) {
  if (column.form == chunk::Column::Form::longs) {
    numbers_.resize(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) numbers_[i] = static_cast<double>(column.ints[i]);
    windows_.clear();
    rollup::fold(rollup::Numbers{times, numbers_}, width_ms_, windows_);
    return windows_.empty() ? Status{} : out(series, false, windows_);
  }
  number_times_.clear();
  numbers_.clear();
  text_times_.clear();
  texts_.clear();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (column.types[i] == ValueType::string) {
      text_times_.push_back(times[i]);
      texts_.push_back(column.texts[i]);
    } else {
      add_number(times[i], column.types[i], column.bits[i]);
    }
  }
  return emit(series, out);
}

Status SlotFolder::emit(model::SeriesId series, const Out& out) {
  windows_.clear();
  if (!numbers_.empty()) rollup::fold(rollup::Numbers{number_times_, numbers_}, width_ms_, windows_);
  if (!windows_.empty()) VARVE_CHECK_OK(out(series, false, windows_));
  windows_.clear();
  if (!texts_.empty()) rollup::fold(rollup::Texts{text_times_, texts_}, width_ms_, windows_);
  return windows_.empty() ? Status{} : out(series, true, windows_);
}

}  // namespace varve::engine::rocksdb
