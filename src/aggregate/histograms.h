// SPDX-License-Identifier: Apache-2.0
// What functions of windows make of histograms: of all values that are counted in those of a window, as if they were
// the samples. Where a value matters (percentile, dev) it is its bin's, model/histogram.h. Bytes that are no histogram,
// and histograms that counted nothing, count for nothing; a window without a value has no point, but with `count`.
#pragma once

#include <optional>

#include "aggregate/percentile.h"
#include "aggregate/points.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"

namespace varve::aggregate {

// One histogram of those in a window. Only of histograms.
struct Merge : Grid {
  std::optional<unsigned> precision;  // at most; nothing: the least among them. At most model::kHistogramPrecisionMax
};

// How content those are who waited for the values: the share of those up to `target`, and half of that of those from
// there up to four times as much; 0..1. Only of histograms.
struct Apdex : Grid {
  double target = 0;  // at least 0
};

// A stage, a percentile, that lets what is no histogram pass unchanged. Not with `first` and `last`.
struct HistogramStage : Stage {};
struct HistogramPercentile : Percentile {};

// `in`: histograms, ascending. `first` and `last` pass them on as they are, and are not for these.
Points apply(const Merge& merge, const Scope& scope, Points in);
Points apply(const Apdex& apdex, const Scope& scope, Points in);
Points apply_to_histograms(const Stage& stage, model::Timestamp query_start, Points in);
Points apply_to_histograms(const Percentile& percentile, model::Timestamp query_start, Points in);

}  // namespace varve::aggregate
