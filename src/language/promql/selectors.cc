// SPDX-License-Identifier: Apache-2.0
#include "language/promql/selectors.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"

namespace varve::language::promql {
namespace {

constexpr std::int64_t kLookTimeMax = std::int64_t{1} << 62;  // what is added to a time still fits

std::int64_t at_time_ms(const Evaluation& evaluation, const AtModifier& at) {
  switch (at.kind) {
    case AtModifier::Kind::start: return evaluation.query().steps.start_ms;
    case AtModifier::Kind::end: return evaluation.query().steps.end_ms;
    case AtModifier::Kind::time: break;
  }
  return std::clamp(at.time_ms, -kLookTimeMax, kLookTimeMax);
}

// The newest sample at each step, unless it is a marker or older than the lookback.
void newest_at_steps(const Selected& from, const LookTimes& looks, std::int64_t lookback_ms, SelectedPart part,
                     Column& out) {
  const std::size_t size = from.times.size();
  std::size_t end = 0;  // behind the newest sample
  for (std::size_t step = 0; step < out.size(); ++step) {
    const std::int64_t look_ms = looks.at(step);
    while (end < size && from.times[end] <= look_ms) ++end;
    if (end == 0 || from.times[end - 1] <= look_ms - lookback_ms || is_stale(from.values[end - 1])) continue;
    out.set(step, part == SelectedPart::value ? from.values[end - 1] : static_cast<double>(from.times[end - 1]) / 1000);
  }
}

void drop_markers(Selected& from) {
  if (std::ranges::none_of(from.values, is_stale)) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    if (is_stale(from.values[i])) continue;
    from.times[kept] = from.times[i];
    from.values[kept++] = from.values[i];
  }
  from.times.resize(kept);
  from.values.resize(kept);
}

// Between the samples around each step (m smoothed); behind the last one it stays, before the first one there is none.
void smoothed_at_steps(const Selected& from, const LookTimes& looks, std::int64_t lookback_ms, Column& out) {
  std::size_t behind = 0;  // the first sample at or behind the step
  for (std::size_t step = 0; step < out.size(); ++step) {
    const std::int64_t look_ms = looks.at(step);
    while (behind < from.times.size() && from.times[behind] < look_ms) ++behind;
    const bool has_next = behind < from.times.size() && from.times[behind] <= look_ms + lookback_ms;
    if (has_next && from.times[behind] == look_ms) {
      out.set(step, from.values[behind]);
      continue;
    }
    if (behind == 0 || from.times[behind - 1] <= look_ms - lookback_ms) continue;
    const std::int64_t before_ms = from.times[behind - 1];
    const double before = from.values[behind - 1];
    const double share =
        has_next ? static_cast<double>(look_ms - before_ms) / static_cast<double>(from.times[behind] - before_ms) : 0;
    out.set(step, has_next ? before + (from.values[behind] - before) * share : before);
  }
}

std::int64_t width_of(const Expression& expression) {
  if (const auto* const matrix = std::get_if<MatrixSelector>(&expression.node)) return matrix->range.ms;
  return std::get<Subquery>(expression.node).range.ms;
}

RangeExtension extension_of(const Expression& expression) {
  const auto* const matrix = std::get_if<MatrixSelector>(&expression.node);
  return matrix == nullptr ? RangeExtension::none : matrix->selector.extension;
}

LookTimes looks_of(const Evaluation& evaluation, const Expression& expression, const Steps& steps) {
  if (const auto* const matrix = std::get_if<MatrixSelector>(&expression.node)) {
    return {evaluation, matrix->selector.at, matrix->selector.offset.ms, steps};
  }
  const auto& subquery = std::get<Subquery>(expression.node);
  return {evaluation, subquery.at, subquery.offset.ms, steps};
}

}  // namespace

LookTimes::LookTimes(const Evaluation& evaluation, const std::optional<AtModifier>& at, std::int64_t offset_ms,
                     const Steps& steps)
    : first_ms_((at ? at_time_ms(evaluation, *at) : steps.start_ms) - offset_ms),
      last_ms_(at ? first_ms_ : steps.at(steps.count() - 1) - offset_ms),
      step_ms_(at ? 0 : steps.step_ms) {}

Status select_instant(Evaluation& evaluation, const VectorSelector& selector, const Steps& steps, SelectedPart part,
                      const SeriesSink& sink) {
  const LookTimes looks(evaluation, selector.at, selector.offset.ms, steps);
  const std::int64_t lookback_ms = evaluation.options().lookback_ms;
  const bool smoothed = selector.extension == RangeExtension::smoothed;
  const Selection selection{selector.matchers, looks.first() - lookback_ms + 1,
                            looks.last() + (smoothed ? lookback_ms : 0)};
  return evaluation.source().select(selection, [&](Selected&& from) -> Status {
    VARVE_RETURN_IF_ERROR(evaluation.spend(steps.count() + from.times.size()));
    VARVE_ASSIGN_OR_RETURN(Series out, evaluation.series(std::move(from.labels), steps));
    if (smoothed) {
      drop_markers(from);
      smoothed_at_steps(from, looks, lookback_ms, out.points);
    } else {
      newest_at_steps(from, looks, lookback_ms, part, out.points);
    }
    return out.points.empty() ? Status{} : sink(std::move(out));
  });
}

Result<Column> scalar_of_vector(Evaluation& evaluation, const Expression& vector, const Steps& steps) {
  VARVE_ASSIGN_OR_RETURN(Column out, evaluation.column(steps));
  VARVE_ASSIGN_OR_RETURN(Column several, evaluation.column(steps));
  VARVE_RETURN_IF_ERROR(evaluation.each(vector, steps, [&](Series&& one) -> Status {
    one.points.each([&](std::size_t step) {
      if (out.has(step)) several.set(step, 0);
      out.set(step, one.points[step]);
    });
    return {};
  }));
  for (std::size_t step = 0; step < out.size(); ++step) {
    if (!out.has(step) || several.has(step)) out.set(step, std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

RangeOf::RangeOf(Evaluation& evaluation, const Expression& expression, const Steps& steps)
    : evaluation_(evaluation),
      expression_(unwrapped(expression)),
      steps_(steps),
      looks_(looks_of(evaluation, expression_, steps)),
      width_ms_(width_of(expression_)),
      extension_(extension_of(expression_)) {}

Status RangeOf::each(const RangeSink& sink) const {
  if (const auto* const matrix = std::get_if<MatrixSelector>(&expression_.node)) return each_selected(*matrix, sink);
  return each_evaluated(std::get<Subquery>(expression_.node), sink);
}

Status RangeOf::each_selected(const MatrixSelector& node, const RangeSink& sink) const {
  const std::int64_t around_ms = evaluation_.options().lookback_ms;
  const Selection selection{node.selector.matchers,
                            looks_.first() - width_ms_ + 1 - (extension_ != RangeExtension::none ? around_ms : 0),
                            looks_.last() + (extension_ == RangeExtension::smoothed ? around_ms : 0)};
  return evaluation_.source().select(selection, [&](Selected&& from) -> Status {
    VARVE_RETURN_IF_ERROR(evaluation_.spend(from.times.size()));
    drop_markers(from);
    if (from.times.empty()) return {};
    return sink({std::move(from.labels), std::move(from.times), std::move(from.values)});
  });
}

// Its steps are multiples of its step, whatever the steps of the query are.
Status RangeOf::each_evaluated(const Subquery& node, const RangeSink& sink) const {
  const std::int64_t step_ms = node.step ? node.step->ms : evaluation_.options().subquery_step_ms;
  check(step_ms > 0, "a subquery has a step");
  const std::int64_t from_ms = looks_.first() - width_ms_;  // exclusive
  std::int64_t start_ms = from_ms / step_ms * step_ms;
  if (start_ms <= from_ms) start_ms += step_ms;
  const Steps inner{start_ms, looks_.last(), step_ms};
  if (inner.count() == 0) return {};
  RangeSeries out;
  return evaluation_.each(*node.inner, inner, [&](Series&& one) -> Status {
    VARVE_RETURN_IF_ERROR(evaluation_.spend(inner.count()));
    out.labels = std::move(one.labels);
    out.times.clear();
    out.values.clear();
    one.points.each([&](std::size_t step) {
      out.times.push_back(inner.at(step));
      out.values.push_back(one.points[step]);
    });
    return sink(std::move(out));
  });
}

}  // namespace varve::language::promql
