// SPDX-License-Identifier: Apache-2.0
// Evaluation: one query being evaluated. Series of a vector are given one after another where nothing needs all of
// them, so that an aggregation holds no more than its groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "language/promql/annotations.h"
#include "language/promql/budget.h"
#include "language/promql/evaluate.h"
#include "language/promql/expression.h"
#include "language/promql/invariance.h"
#include "language/promql/series.h"
#include "language/promql/source.h"

namespace varve::language::promql {

// Takes one series of a vector, with a value at least at one step.
using SeriesSink = std::function<Status(Series&& series)>;

class Evaluation {
 public:
  Evaluation(const Query& query, Source& source, const EvaluationOptions& options, Budget& budget)
      : query_(query),
        source_(source),
        options_(options),
        budget_(budget),
        annotations_(query.text),
        invariant_(query.root) {}

  // Of an instant vector.
  Status each(const Expression& expression, const Steps& steps, const SeriesSink& sink);
  Result<std::vector<Series>> all(const Expression& expression, const Steps& steps);
  // Of a scalar: each step has a value.
  Result<Column> scalar(const Expression& expression, const Steps& steps);
  // Of a string.
  static std::string_view string(const Expression& expression);

  Result<Column> column(const Steps& steps) { return Column::make(budget_, steps.count()); }
  Result<Series> series(Labels labels, const Steps& steps);
  // A copy.
  Result<Series> series(const Series& other);

  // So much was done (samples or steps looked at). Error: that of go_on.
  Status spend(std::size_t work);
  // The same where an error cannot be told: the next spend() tells it.
  void note(std::size_t work) { work_ += work; }

  [[nodiscard]] const Query& query() const { return query_; }
  [[nodiscard]] Source& source() { return source_; }
  [[nodiscard]] const EvaluationOptions& options() const { return options_; }
  [[nodiscard]] Budget& budget() { return budget_; }
  [[nodiscard]] Annotations& annotations() { return annotations_; }

 private:
  Status each_once(const Expression& expression, const Steps& steps, const SeriesSink& sink);
  Result<Column> scalar_once(const Expression& expression, const Steps& steps);
  Status call(const Expression& expression, const Call& call, const Steps& steps, const SeriesSink& sink);
  // Is one step enough for all?
  bool is_same_at(const Expression& expression, const Steps& steps) const;

  const Query& query_;
  Source& source_;
  const EvaluationOptions& options_;
  Budget& budget_;
  Annotations annotations_;
  const Invariance invariant_;
  std::size_t work_ = 0;  // since go_on was asked
};

// What is within parentheses.
const Expression& unwrapped(const Expression& expression);

}  // namespace varve::language::promql
