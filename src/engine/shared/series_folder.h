// SPDX-License-Identifier: Apache-2.0
// SeriesFolder: folds the samples of series, one after the other, into windows. Numbers and all other types ("texts")
// get separate windows; a series may have both.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "chunk/block.h"
#include "model/time.h"
#include "rollup/counters.h"
#include "rollup/fold.h"

namespace varve::engine::shared {

// Reusable, for one thread.
class SeriesFolder {
 public:
  // Leaves out samples in `except`.
  explicit SeriesFolder(std::int64_t width_ms, model::TimeRange except = {0, 0})
      : width_ms_(width_ms), except_(except) {}

  // Starts a group of series that share all their times.
  void start_group() { cut_group_ = false; }

  // Folds all samples of one series; times ascend and are unique. Converts longs in a decoded column to doubles in
  // place. `counter`: how it is declared, if it is a counter; then its windows of numbers say how it grew.
  void fold(std::span<const model::Timestamp> times, chunk::DecodedColumn& column,
            const counter::Declaration* counter = nullptr);
  void fold(std::span<const model::Timestamp> times, const chunk::Column& column,
            const counter::Declaration* counter = nullptr);

  // The windows of the last fold. Their parts are valid until the next fold, and in part are views of the column.
  [[nodiscard]] const rollup::Windows& numbers() const { return number_windows_; }
  [[nodiscard]] const rollup::Windows& texts() const { return text_windows_; }

 private:
  void start(const counter::Declaration* counter);
  // Folds all of numbers_; of a counter with the exact_ ones.
  void fold_numbers(std::span<const model::Timestamp> times);
  // Folds values of any type.
  void fold_cells(std::span<const model::Timestamp> times, std::span<const model::ValueType> types,
                  std::span<const std::uint64_t> bits, std::span<const std::string_view> texts);

  const std::int64_t width_ms_;
  const model::TimeRange except_;
  const counter::Declaration* counter_ = nullptr;  // of the current series
  std::vector<rollup::Cut> cuts_;
  bool cut_group_ = false;  // cuts_ are of the times of the current group
  std::vector<model::ValueType> one_type_;
  // The samples of the current series, numbers and texts separately.
  std::vector<model::Timestamp> number_times_, text_times_;
  std::vector<double> numbers_;
  std::vector<std::uint64_t> exact_;  // of a counter: the same as the bits of longs, or of doubles
  bool whole_ = true;                 // exact_ are longs
  std::vector<std::string_view> texts_;
  std::vector<model::ValueType> text_types_;
  rollup::Windows number_windows_, text_windows_;
  rollup::PartPool parts_;
};

}  // namespace varve::engine::shared
