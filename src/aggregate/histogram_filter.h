// SPDX-License-Identifier: Apache-2.0
// HistogramFilter: removes the values that satisfy a comparison from histograms, bin by bin: a bin whose values all
// satisfy it is removed, a bin with none is kept, and for a bin that contains the threshold `discard_partial` decides.
//
// A histogram that loses a bin is described by its remaining bins: `sum` is computed from their values, and if the
// lowest or highest bin was removed, `min` or `max` is the end of the new one. A histogram that loses none stays as it
// is, and so does one whose `min` and `max` show that no value satisfies the comparison. A histogram with nothing left
// is dropped. Histograms only.
#pragma once

#include <cstdint>

#include "aggregate/filter.h"
#include "aggregate/points.h"
#include "model/histogram.h"

namespace varve::aggregate {

struct HistogramFilter {
  Filter::Compare compare = Filter::Compare::equal;
  double threshold = 0;  // finite
  bool discard_partial = false;
};

// `in`: histograms; nulls stay. Bytes that are not a histogram are dropped.
Points apply(const HistogramFilter& filter, Points in);

// The number of values of points[i], which is `histogram`, before steps removed some.
inline std::uint64_t original_count(const Points& points, std::size_t i, const model::Histogram& histogram) {
  return points.originals.empty() ? histogram.count() : points.originals[i];
}

}  // namespace varve::aggregate
