// SPDX-License-Identifier: Apache-2.0
// SeriesFolder: folds the samples of one series after the other into windows, numbers and what is none ("texts")
// apart: a series may have both.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "chunk/block.h"
#include "model/time.h"
#include "rollup/fold.h"

namespace varve::engine::shared {

// Reusable, one thread.
class SeriesFolder {
 public:
  // Samples in `except` are left out.
  explicit SeriesFolder(std::int64_t width_ms, model::TimeRange except = {0, 0})
      : width_ms_(width_ms), except_(except) {}

  // The series that are folded from here on have other times than those before. Until the next call, each has the same.
  void start_group() { cut_group_ = false; }

  // All samples of one series, ascending and unique in time. The column's longs become doubles.
  void fold(std::span<const model::Timestamp> times, chunk::DecodedColumn& column);
  void fold(std::span<const model::Timestamp> times, const chunk::Column& column);

  // Windows of what was folded last; what they know of texts lives until the next fold, in part as views of the column.
  [[nodiscard]] const rollup::Windows& numbers() const { return number_windows_; }
  [[nodiscard]] const rollup::Windows& texts() const { return text_windows_; }

 private:
  // All of numbers_.
  void fold_numbers(std::span<const model::Timestamp> times);
  // Values of any types.
  void fold_cells(std::span<const model::Timestamp> times, std::span<const model::ValueType> types,
                  std::span<const std::uint64_t> bits, std::span<const std::string_view> texts);

  const std::int64_t width_ms_;
  const model::TimeRange except_;
  std::vector<rollup::Cut> cuts_;
  bool cut_group_ = false;  // cuts_ are those of the times of the group at hand
  std::vector<model::ValueType> one_type_;
  // Of the series at hand, numbers and texts apart.
  std::vector<model::Timestamp> number_times_, text_times_;
  std::vector<double> numbers_;
  std::vector<std::string_view> texts_;
  std::vector<model::ValueType> text_types_;
  rollup::Windows number_windows_, text_windows_;
  rollup::TextPool text_parts_;
};

}  // namespace varve::engine::shared
