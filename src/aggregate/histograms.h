// SPDX-License-Identifier: Apache-2.0
// Window functions over histograms: computed from all values that the histograms of a window counted, as if these were
// samples. Where single values matter (percentile, dev), the bin's value is used (model/histogram.h). Bytes that are
// not a histogram, and empty histograms, are ignored; a window without a value has no point, except for `count`.
#pragma once

#include <optional>

#include "aggregate/percentile.h"
#include "aggregate/points.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"

namespace varve::aggregate {

// Merges the histograms of a window into one. Histograms only.
struct Merge : Grid {
  std::optional<unsigned> precision;  // at most; nothing: the least among them. At most model::kHistogramPrecisionMax
};

// Apdex score, 0..1: the share of values up to `target`, plus half the share of those above it and up to four times
// `target`. Histograms only.
struct Apdex : Grid {
  double target = 0;  // at least 0
};

// A stage or percentile for histograms only: other values pass unchanged. Not with `first` and `last`.
struct HistogramStage : Stage {};
struct HistogramPercentile : Percentile {};

// `in`: histograms, ascending. Not for `first` and `last`, which pass histograms on unchanged.
Result<Points> apply(const Merge& merge, const Scope& scope, Points in);
Result<Points> apply(const Apdex& apdex, const Scope& scope, Points in);
Result<Points> apply_to_histograms(const Stage& stage, const Scope& scope, Points in);
Result<Points> apply_to_histograms(const Percentile& percentile, const Scope& scope, Points in);

}  // namespace varve::aggregate
