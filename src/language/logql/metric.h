// SPDX-License-Identifier: Apache-2.0
// Metrics of log lines: a query's tree and its steps → series.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "language/logql/source.h"
#include "language/logql/syntax.h"

namespace varve::language::logql {

// Times at which the query has a value: start, start + step, …, not beyond end. An instant: start = end.
struct Steps {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t step_ns = 1;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>((end_ns - start_ns) / step_ns) + 1; }
  [[nodiscard]] std::int64_t at(std::uint32_t step) const { return start_ns + step * step_ns; }
};

inline constexpr std::uint32_t kStepsMax = 11'000;  // behind the first one; as in Loki

struct Point {
  std::uint32_t step = 0;
  double value = 0;
};

struct Series {
  std::vector<std::pair<std::string, std::string>> labels;  // sorted by name
  std::vector<Point> points;                                // ascending, at least one
};

struct MetricValue {
  bool is_scalar = false;
  double scalar = 0;  // of every step
  // Sorted by labels; of an instant's topk by value, downwards.
  std::vector<Series> series;
};

// At most 1 + kStepsMax steps. Errors: those of the source; invalid: a line has an error that no filter looks at.
Result<MetricValue> evaluate(const MetricQuery& query, const Steps& steps, const Source& source);

}  // namespace varve::language::logql
