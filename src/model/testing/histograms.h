// SPDX-License-Identifier: Apache-2.0
// Histograms for tests, made of the values that they are to count.
#pragma once

#include <algorithm>
#include <vector>

#include "model/histogram.h"

namespace varve::model::testing {

inline Histogram histogram_of(const std::vector<double>& values, unsigned precision = kHistogramPrecision) {
  Histogram out;
  out.precision = precision;
  for (const double v : values) {
    out.min = out.bins.empty() ? v : std::min(out.min, v);
    out.max = out.bins.empty() ? v : std::max(out.max, v);
    out.sum += v;
    out.bins.push_back({bin_of(v, precision), 1});
  }
  normalize(out);
  if (!values.empty()) out.mean = out.sum / static_cast<double>(values.size());
  return out;
}

}  // namespace varve::model::testing
