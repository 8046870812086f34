// SPDX-License-Identifier: Apache-2.0
// PackedSeries: memory for the points of very many series, of which most have few points. Series one after the other
// that have the same times share them: 32 bytes a series and 8 a point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "aggregate/points.h"

namespace varve::aggregate {

// The numbers of one series; times ascend and are unique. What is referred to must outlive it.
struct SeriesView {
  const model::Timestamp* times = nullptr;
  const std::uint64_t* bits = nullptr;
  const model::ValueType* types = nullptr;  // of each, or nullptr: all are of `type`
  std::uint32_t size = 0;
  model::ValueType type = model::ValueType::double_;

  [[nodiscard]] std::span<const model::Timestamp> all_times() const { return {times, size}; }
  [[nodiscard]] model::ValueType type_of(std::size_t i) const { return types == nullptr ? type : types[i]; }
  [[nodiscard]] double number(std::size_t i) const { return as_double(type_of(i), bits[i]); }
};

SeriesView view_of(const Points& points);
Points to_points(const SeriesView& series);

class PackedSeries {
 public:
  // A copy, which is there as long as this is.
  SeriesView add(const Points& points);
  // What it holds.
  [[nodiscard]] std::size_t bytes() const { return times_.bytes() + bits_.bytes() + types_.bytes(); }

 private:
  // Many arrays in few allocations.
  template <class T>
  class Arrays {
   public:
    const T* copy(std::span<const T> from);
    [[nodiscard]] std::size_t bytes() const { return taken_ * sizeof(T); }

   private:
    std::vector<std::unique_ptr<T[]>> blocks_;
    std::span<T> left_;
    std::size_t taken_ = 0;
  };

  Arrays<model::Timestamp> times_;
  Arrays<std::uint64_t> bits_;
  Arrays<model::ValueType> types_;
  SeriesView last_;
};

}  // namespace varve::aggregate
