// SPDX-License-Identifier: Apache-2.0
// Percentile: of each window the value that a fraction of the samples does not exceed; exact, at position p (n + 1),
// and between two samples the line between them.
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

// The values of each window, of pieces in any order: nothing has to be merged for a percentile.
class WindowValues {
 public:
  // What is not finite does not count. The number of samples that did.
  std::size_t add(const Windows& windows, const Column& column);
  // Leaves nothing.
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

// `in`: numbers or histograms, ascending. What is not finite does not count.
Points apply(const Percentile& percentile, const Scope& scope, Points in);

}  // namespace varve::aggregate
