// SPDX-License-Identifier: Apache-2.0
// Source: where an evaluation of PromQL finds its series.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "language/promql/expression.h"
#include "language/promql/series.h"
#include "model/value.h"

namespace varve::language::promql {

// The value of a staleness marker: the series ends there. Other NaNs are values.
inline const double kStale = std::bit_cast<double>(model::kStaleMarkerBits);
inline bool is_stale(double value) { return std::bit_cast<std::uint64_t>(value) == model::kStaleMarkerBits; }

// One series, with its samples of a span of time.
struct Selected {
  Labels labels;
  std::vector<std::int64_t> times;  // ms, ascending, each once
  std::vector<double> values;       // as many; some may be markers
};

// Series that all matchers hold for, with their samples from first_ms to last_ms, both of which belong to it.
struct Selection {
  std::span<const Matcher> matchers;
  std::int64_t first_ms = 0;
  std::int64_t last_ms = 0;
};

using SelectedSink = std::function<Status(Selected&& series)>;

class Source {
 public:
  virtual ~Source() = default;

  // Gives series one after another, each set of labels once, in any order; those without samples in the span may be
  // left out. An evaluation holds no more than one at a time, so that a source may read the next one meanwhile. The
  // sink's error ends it and is its own.
  virtual Status select(const Selection& selection, const SelectedSink& sink) = 0;
};

}  // namespace varve::language::promql
