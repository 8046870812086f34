// SPDX-License-Identifier: Apache-2.0
// Evaluates a checked query of PromQL at one time or at several steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "language/promql/expression.h"
#include "language/promql/series.h"
#include "language/promql/source.h"
#include "storage/go_on.h"

namespace varve::language::promql {

struct Query {
  const Expression& root;  // of parse(); its durations are resolved
  std::string_view text;   // what the places in the tree are of
  Steps steps;             // at least one
  bool instant = false;    // one time, not a range of one step: only here an order of values can be asked for
};

struct EvaluationOptions {
  std::int64_t lookback_ms = 300'000;      // for so long a sample is the newest one
  std::int64_t subquery_step_ms = 60'000;  // where a subquery names none; > 0
  std::size_t memory_max = std::size_t{1} << 30;
  std::function<Status(std::size_t bytes)> hold{};  // so many more bytes are held than ever before
  storage::GoOn go_on{};                            // asked now and then
};

struct Answer {
  ValueType type{};  // of the tree's root
  std::string text;  // of a string
  // Owns what is counted by its charges, so that it is destroyed after them.
  std::unique_ptr<Budget> budget;
  Column scalar;
  // Of a vector: sorted by labels; where a query of one time asks for an order, by this one. None without values.
  std::vector<Series> series;
  std::vector<RangeSeries> ranges;  // of a matrix, which only a query of one time can be; sorted by labels
  std::vector<std::string> warnings, infos;
};

// Errors: invalid (cannot be evaluated, in Prometheus' words: there `execution`), limit (memory_max), those of the
// source, of `hold` and of `go_on`. May be called by several threads at once, each with a source of its own.
Result<Answer> evaluate(const Query& query, Source& source, const EvaluationOptions& options);

}  // namespace varve::language::promql
