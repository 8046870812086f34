// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/emit.h"

#include <algorithm>

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
  for (unsigned number = 1; number <= model::kValueTypeLast; ++number) {
    if ((seen >> number & 1) == 0) continue;
    const auto type = static_cast<ValueType>(number);
    split_times_.clear();
    split_bits_.clear();
    split_texts_.clear();
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (types[i] != type) continue;
      split_times_.push_back(times[i]);
      if (model::in_text(type)) {
        split_texts_.push_back(texts[i]);
      } else {
        split_bits_.push_back(bits[i]);
      }
    }
    VARVE_CHECK_OK(sink_.piece({series, type, split_times_, split_bits_, split_texts_}));
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

}  // namespace varve::engine::shared
