// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/series_folder.h"

#include <bit>
#include <cstring>
#include <iterator>

#include "base/check.h"
#include "chunk/decimals.h"
#include "engine/shared/cells.h"
#include "model/row.h"

namespace varve::engine::shared {

using model::ValueType;

void SeriesFolder::start(const counter::Declaration* counter) {
  text_windows_.clear();
  parts_.clear();
  exact_.clear();
  counter_ = counter;
}

void SeriesFolder::fold_numbers(std::span<const model::Timestamp> times) {
  if (counter_ != nullptr && !whole_) {
    exact_.resize(numbers_.size());
    std::memcpy(exact_.data(), numbers_.data(), numbers_.size() * sizeof(double));
  }
  if (!except_.empty() && times.data() != number_times_.data()) {
    number_times_.clear();
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (except_.contains(times[i])) continue;
      numbers_[number_times_.size()] = numbers_[i];
      if (counter_ != nullptr) exact_[number_times_.size()] = exact_[i];
      number_times_.push_back(times[i]);
    }
    numbers_.resize(number_times_.size());
    if (counter_ != nullptr) exact_.resize(number_times_.size());
    times = number_times_;
  }
  // Series of a group mostly share all its times.
  const bool of_group = times.data() != number_times_.data();
  if (!of_group || !cut_group_) rollup::cut(times, width_ms_, cuts_);
  cut_group_ = of_group;
  number_windows_.clear();
  rollup::fold(rollup::Numbers{times, numbers_}, cuts_, number_windows_);
  if (counter_ != nullptr) rollup::add_counters({times, exact_, whole_}, *counter_, cuts_, number_windows_, parts_);
}

void SeriesFolder::fold_cells(std::span<const model::Timestamp> times, std::span<const ValueType> types,
                              std::span<const std::uint64_t> bits, std::span<const std::string_view> texts) {
  number_times_.clear();
  numbers_.clear();
  text_times_.clear();
  texts_.clear();
  text_types_.clear();
  whole_ = true;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!has_value(types[i]) || except_.contains(times[i])) continue;
    if (model::in_text(types[i])) {
      text_times_.push_back(times[i]);
      texts_.push_back(texts[i]);
      text_types_.push_back(types[i]);
    } else {
      number_times_.push_back(times[i]);
      whole_ = whole_ && types[i] == ValueType::long_;
      if (counter_ != nullptr) exact_.push_back(bits[i]);
      numbers_.push_back(types[i] == ValueType::double_ ? std::bit_cast<double>(bits[i])
                                                        : static_cast<double>(static_cast<std::int64_t>(bits[i])));
    }
  }
  fold_numbers(number_times_);
  rollup::fold(rollup::Texts{text_times_, texts_, text_types_}, width_ms_, text_windows_, parts_);
}

void SeriesFolder::fold(std::span<const model::Timestamp> times, chunk::DecodedColumn& column,
                        const counter::Declaration* counter) {
  start(counter);
  if (!column.uniform || model::in_text(column.type)) {
    if (column.uniform) one_type_.assign(times.size(), column.type);
    return fold_cells(times, column.uniform ? one_type_ : column.types, column.bits, column.texts);
  }
  whole_ = column.type == ValueType::long_;
  if (counter_ != nullptr && whole_) exact_.assign(column.bits.begin(), column.bits.begin() + std::ssize(times));
  if (whole_) chunk::to_doubles(column.bits, 0);
  check(column.bits.size() >= times.size(), "each row has a number");
  numbers_.resize(times.size());
  std::memcpy(numbers_.data(), column.bits.data(), times.size() * sizeof(double));
  fold_numbers(times);
}

void SeriesFolder::fold(std::span<const model::Timestamp> times, const chunk::Column& column,
                        const counter::Declaration* counter) {
  start(counter);
  if (column.form == chunk::Column::Form::typed) return fold_cells(times, column.types, column.bits, column.texts);
  check(column.ints.size() == times.size(), "each row has a number");
  numbers_.assign(column.ints.begin(), column.ints.end());
  whole_ = column.form == chunk::Column::Form::longs;
  if (counter_ != nullptr && whole_) {
    exact_.resize(column.ints.size());
    std::memcpy(exact_.data(), column.ints.data(), column.ints.size() * sizeof(std::int64_t));
  }
  if (column.form == chunk::Column::Form::decimals) {
    for (double& v : numbers_) v /= model::kPowerOfTen[column.decimals];
  }
  fold_numbers(times);
}

}  // namespace varve::engine::shared
