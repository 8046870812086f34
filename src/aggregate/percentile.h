// SPDX-License-Identifier: Apache-2.0
// Percentile: for each window the value at position p (n + 1) of the sorted samples, interpolated linearly; exact.
#pragma once

#include <map>
#include <vector>

#include "aggregate/cells.h"
#include "aggregate/points.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"
#include "aggregate/windows.h"

namespace varve::aggregate {

struct Percentile : Grid {
  double fraction = 0;  // 0..1
};

// The values of each window; pieces may come in any order, nothing has to be merged.
class WindowValues {
 public:
  // Ignores values that are not finite. Returns the number of samples used.
  std::size_t add(const Windows& windows, const Column& column);
  // Empties the object.
  Points take(const Percentile& percentile, const Windows& windows);
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Window {
    model::Timestamp first = 0;
    std::vector<double> values;
  };
  std::map<std::int64_t, Window> windows_;
  std::size_t bytes_ = 0;
};

// `in`: numbers or histograms, ascending. Values that are not finite are ignored.
Points apply(const Percentile& percentile, const Scope& scope, Points in);

}  // namespace varve::aggregate
