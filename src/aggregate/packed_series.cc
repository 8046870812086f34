// SPDX-License-Identifier: Apache-2.0
#include "aggregate/packed_series.h"

#include <algorithm>

namespace varve::aggregate {

SeriesView view_of(const Points& points) {
  return {points.times.data(), points.bits.data(), points.types.empty() ? nullptr : points.types.data(),
          static_cast<std::uint32_t>(points.size()), points.type};
}

Points to_points(const SeriesView& series) {
  Points out;
  out.type = series.type;
  out.times.assign(series.times, series.times + series.size);
  out.bits.assign(series.bits, series.bits + series.size);
  if (series.types != nullptr) out.types.assign(series.types, series.types + series.size);
  return out;
}

// Blocks become larger with what there is, so that few series take little.
template <class T>
const T* PackedSeries::Arrays<T>::copy(std::span<const T> from) {
  constexpr std::size_t kLeast = 64;
  constexpr std::size_t kMost = 32'768;
  if (left_.size() < from.size()) {
    const std::size_t size = std::max(from.size(), std::clamp(taken_, kLeast, kMost));
    blocks_.push_back(std::make_unique_for_overwrite<T[]>(size));
    left_ = {blocks_.back().get(), size};
    taken_ += size;
  }
  std::ranges::copy(from, left_.begin());
  const T* const out = left_.data();
  left_ = left_.subspan(from.size());
  return out;
}

SeriesView PackedSeries::add(const Points& points) {
  SeriesView out = view_of(points);
  const bool same_times = std::ranges::equal(last_.all_times(), out.all_times());
  out.times = same_times ? last_.times : times_.copy(out.all_times());
  out.bits = bits_.copy({out.bits, out.size});
  if (out.types != nullptr) out.types = types_.copy({out.types, out.size});
  last_ = out;
  return out;
}

}  // namespace varve::aggregate
