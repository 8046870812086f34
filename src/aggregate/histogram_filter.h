// SPDX-License-Identifier: Apache-2.0
// HistogramFilter: takes the values that satisfy a comparison out of histograms, as far as bins tell: a bin of which
// all values satisfy it goes, one of which none does stays, and of one of which some may (the threshold is in it)
// `discard_partial` decides.
//
// A histogram that loses a bin is known by its bins from there on: `sum` is that of the bins' own values, and where the
// least or the greatest bin is another, `min` or `max` is the end of it. One that loses none stays as it is, and so
// does one of which `min` and `max` say that no value satisfies the comparison. One that has counted nothing, or of
// which nothing is left, is no point any more. Only of histograms.
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

// `in`: histograms; nulls stay. Bytes that are no histogram go.
Points apply(const HistogramFilter& filter, Points in);

// How many values there were of points[i], which is `histogram`, before steps took some out.
inline std::uint64_t original_count(const Points& points, std::size_t i, const model::Histogram& histogram) {
  return points.originals.empty() ? histogram.count() : points.originals[i];
}

}  // namespace varve::aggregate
