// SPDX-License-Identifier: Apache-2.0
// Selectors: m, m[5m], and subqueries, which give ranges of samples as well.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "language/promql/evaluation.h"
#include "language/promql/expression.h"
#include "language/promql/series.h"

namespace varve::language::promql {

// Of the newest sample at a step: its value, or its time in seconds.
enum class SelectedPart : std::uint8_t { value, time };

Status select_instant(Evaluation& evaluation, const VectorSelector& selector, const Steps& steps, SelectedPart part,
                      const SeriesSink& sink);

// The value of the only series at each step, NaN where there is not one.
Result<Column> scalar_of_vector(Evaluation& evaluation, const Expression& vector, const Steps& steps);

// When a selector looks: `offset` before each step, or before one fixed time.
class LookTimes {
 public:
  LookTimes(const Evaluation& evaluation, const std::optional<AtModifier>& at, std::int64_t offset_ms,
            const Steps& steps);

  [[nodiscard]] std::int64_t at(std::size_t step) const {
    return first_ms_ + static_cast<std::int64_t>(step) * step_ms_;
  }
  [[nodiscard]] std::int64_t first() const { return first_ms_; }
  [[nodiscard]] std::int64_t last() const { return last_ms_; }

 private:
  std::int64_t first_ms_ = 0, last_ms_ = 0;
  std::int64_t step_ms_ = 0;  // 0: fixed
};

using RangeSink = std::function<Status(RangeSeries&& series)>;

// An expression that gives ranges: of each step the samples in (to(step) − width_ms, to(step)].
class RangeOf {
 public:
  RangeOf(Evaluation& evaluation, const Expression& expression, const Steps& steps);

  // All samples that some step needs. Extended ranges have samples around them, too: anchored ones up to the lookback
  // before, smoothed ones also so far behind.
  Status each(const RangeSink& sink) const;

  [[nodiscard]] std::int64_t to(std::size_t step) const { return looks_.at(step); }
  [[nodiscard]] std::int64_t width_ms() const { return width_ms_; }
  [[nodiscard]] const Steps& steps() const { return steps_; }
  [[nodiscard]] RangeExtension extension() const { return extension_; }
  // What is selected from: a MatrixSelector or a Subquery, without parentheses.
  [[nodiscard]] const Expression& expression() const { return expression_; }

 private:
  [[nodiscard]] Status each_selected(const MatrixSelector& node, const RangeSink& sink) const;
  [[nodiscard]] Status each_evaluated(const Subquery& node, const RangeSink& sink) const;

  Evaluation& evaluation_;
  const Expression& expression_;
  const Steps steps_;
  const LookTimes looks_;
  const std::int64_t width_ms_;
  const RangeExtension extension_;
};

}  // namespace varve::language::promql
