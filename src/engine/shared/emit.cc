// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/emit.h"

#include <algorithm>

#include "base/check.h"
#include "model/row.h"

namespace varve::engine::shared {

using model::ValueType;

Emitter::Cut Emitter::cut(std::span<const model::Timestamp> times) const {
  if (times.front() >= range_.first && times.back() < range_.last) return {0, times.size()};
  const auto first = std::lower_bound(times.begin(), times.end(), range_.first);
  const auto last = std::lower_bound(first, times.end(), range_.last);
  return {static_cast<std::size_t>(first - times.begin()), static_cast<std::size_t>(last - first)};
}

Status Emitter::split(std::size_t series, std::span<const model::Timestamp> times, std::span<const ValueType> types,
                      std::span<const std::uint64_t> bits, std::span<const std::string_view> texts) {
  unsigned seen = 0;
  for (const ValueType type : types) seen |= 1U << static_cast<unsigned>(type);
  constexpr auto kMarker = static_cast<unsigned>(ValueType::stale_marker);
  static_assert(kMarker == model::kValueTypeLast + 1, "markers come behind the values");
  for (unsigned number = 1; number <= kMarker; ++number) {
    if ((seen >> number & 1) == 0 || (number == kMarker && !sink_.takes_markers())) continue;
    const auto type = static_cast<ValueType>(number);
    split_times_.clear();
    split_bits_.clear();
    split_texts_.clear();
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (types[i] != type) continue;
      split_times_.push_back(times[i]);
      if (model::in_text(type)) {
        split_texts_.push_back(texts[i]);
      } else if (model::is_number(type)) {
        split_bits_.push_back(bits[i]);
      }
    }
    VARVE_RETURN_IF_ERROR(sink_.piece({series, type, split_times_, split_bits_, split_texts_}));
  }
  return {};
}

Status Emitter::emit(std::size_t series, std::span<const model::Timestamp> times, const chunk::Column& column) {
  const auto [first, count] = cut(times);
  if (count == 0) return {};
  const auto in_range = times.subspan(first, count);
  if (column.form == chunk::Column::Form::typed) {
    return split(series, in_range, column.types.subspan(first, count), column.bits.subspan(first, count),
                 column.texts.empty() ? column.texts : column.texts.subspan(first, count));
  }
  const auto ints = column.ints.subspan(first, count);
  bits_.resize(count);
  if (column.form == chunk::Column::Form::longs) {
    for (std::size_t i = 0; i < count; ++i) bits_[i] = static_cast<std::uint64_t>(ints[i]);
    return sink_.piece({series, ValueType::long_, in_range, bits_, {}});
  }
  const double scale = model::kPowerOfTen[column.decimals];
  for (std::size_t i = 0; i < count; ++i) bits_[i] = std::bit_cast<std::uint64_t>(static_cast<double>(ints[i]) / scale);
  return sink_.piece({series, ValueType::double_, in_range, bits_, {}});
}

Status Emitter::emit(std::size_t series, std::span<const model::Timestamp> times, const chunk::DecodedColumn& column) {
  const auto [first, count] = cut(times);
  if (count == 0) return {};
  const auto in_range = times.subspan(first, count);
  const std::span<const std::uint64_t> bits(column.bits);
  const std::span<const std::string_view> texts(column.texts);
  if (!column.uniform) {
    return split(series, in_range, std::span(column.types).subspan(first, count),
                 bits.empty() ? bits : bits.subspan(first, count), texts.empty() ? texts : texts.subspan(first, count));
  }
  if (model::in_text(column.type)) {
    return sink_.piece({series, column.type, in_range, {}, texts.subspan(first, count)});
  }
  return sink_.piece({series, column.type, in_range, bits.subspan(first, count), {}});
}

Status Emitter::emit(std::size_t series, SeriesMerge& merge) {
  if (merge.empty()) return {};
  chunk::Column column;
  merge.winners(times_, column);
  return emit(series, times_, column);
}

bool Emitter::start_chunk(const chunk::Block& block, std::size_t at) {
  const model::Timestamp first = block.first_time(at), last = block.last_time(at);
  if (first >= range_.last || last < range_.first) return false;
  covered_ = first >= range_.first && last < range_.last;
  block_ = &block;
  at_ = at;
  has_times_ = false;
  return true;
}

Status Emitter::chunk_column(std::size_t series, std::size_t column) {
  check(block_ != nullptr, "a column of a chunk that was started");
  if (covered_) {
    const chunk::Stats stats = block_->stats(at_, column);
    const storage::ChunkStats offered{
        series,    stats.type, block_->first_time(at_), block_->last_time(at_), stats.count, stats.min,
        stats.max, stats.sum};
    if (stats.numeric && stats.uniform && sink_.takes_stats(offered)) {
      sink_.stats(offered);
      return {};
    }
  }
  if (!has_times_) {
    VARVE_ASSIGN_OR_RETURN(rows_, block_->times(at_, range_, times_));
    has_times_ = true;
  }
  if (rows_.count == 0) return {};
  VARVE_RETURN_IF_ERROR(block_->column(at_, column, rows_, column_));
  return emit(series, times_, column_);
}

void HistogramEmitter::add(const WindowHistograms& window) {
  if (window.histograms == 0) return;
  times_.push_back(window.first);
  counts_.push_back(window.histograms);
  merged_.push_back(window.merged);
}

Status HistogramEmitter::give(std::size_t series, std::int64_t width_ms, storage::PieceSink& sink) {
  if (times_.empty()) return {};
  const Status status = sink.histogram_columns({series, width_ms, times_, counts_, merged_});
  times_.clear();
  counts_.clear();
  merged_.clear();
  return status;
}

storage::WindowColumns windows_in(const storage::WindowColumns& columns, model::TimeRange range) {
  const auto first = std::ranges::lower_bound(columns.starts, range.first);
  const auto last = std::ranges::lower_bound(first, columns.starts.end(), range.last);
  return columns.part(static_cast<std::size_t>(first - columns.starts.begin()), static_cast<std::size_t>(last - first));
}

}  // namespace varve::engine::shared
