// SPDX-License-Identifier: Apache-2.0
#include "aggregate/percentile.h"

#include <cmath>
#include <utility>

#include "aggregate/histograms.h"
#include "aggregate/reducer.h"

namespace varve::aggregate {

std::size_t WindowValues::add(const Windows& windows, const Column& column) {
  std::size_t added = 0;
  for (std::size_t i = 0; i < column.times.size();) {
    const std::int64_t window = windows.index(column.times[i]);
    const model::Timestamp end = windows.start(window + 1);
    const auto [at, is_new] = windows_.try_emplace(window);
    Window& into = at->second;
    const std::size_t before = into.values.size();
    const std::size_t capacity = into.values.capacity();
    for (; i < column.times.size() && column.times[i] < end; ++i) {
      const double value = as_double(column.type, column.bits[i]);
      if (!std::isfinite(value)) continue;
      if (into.values.empty() || column.times[i] < into.first) into.first = column.times[i];
      into.values.push_back(value);
    }
    added += into.values.size() - before;
    bytes_ += (into.values.capacity() - capacity) * sizeof(double) + (is_new ? sizeof(*at) + 64 : 0);
  }
  return added;
}

Points WindowValues::take(const Percentile& percentile, const Windows& windows) {
  Points out;
  for (auto& [number, window] : windows_) {
    if (window.values.empty()) continue;
    const double position = percentile.fraction * static_cast<double>(window.values.size() + 1);
    out.push(stamp_of(percentile, windows, number, window.first), model::ValueType::double_,
             std::bit_cast<std::uint64_t>(at_position(window.values, position)));
  }
  windows_.clear();
  bytes_ = 0;
  return out;
}

Points apply(const Percentile& percentile, const Scope& scope, Points in) {
  if (in.type == model::ValueType::histogram) return apply_to_histograms(percentile, scope.start, std::move(in));
  in = as_doubles(without_nulls(std::move(in)));
  const Windows windows = windows_of(percentile, scope.start);
  WindowValues values;
  values.add(windows, {model::ValueType::double_, in.times, in.bits});
  return values.take(percentile, windows);
}

}  // namespace varve::aggregate
