// SPDX-License-Identifier: Apache-2.0
// absent() and absent_over_time(), which say when there is nothing; timestamp(), which says from when a sample is.
#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "language/promql/families.h"
#include "language/promql/merging.h"
#include "language/promql/selectors.h"

namespace varve::language::promql {
namespace {

// Those that the selector asks for by =, unless it names a label twice.
Labels labels_asked_for(const Expression& expression) {
  const auto* selector = std::get_if<VectorSelector>(&expression.node);
  if (const auto* const matrix = std::get_if<MatrixSelector>(&expression.node)) selector = &matrix->selector;
  Labels out;
  if (selector == nullptr) return out;
  std::set<std::string_view> seen;
  for (const Matcher& matcher : selector->matchers) {
    if (matcher.name == kNameLabel) continue;
    const bool first = matcher.op == MatchOp::equal && seen.insert(matcher.name).second;
    set_label(out, matcher.name, first ? std::string_view(matcher.value) : std::string_view());
  }
  return out;
}

// At which steps does the range have a sample?
void mark_ranges(const RangeOf& range, const RangeSeries& series, Column& there) {
  std::size_t end = 0;
  for (std::size_t step = 0; step < there.size(); ++step) {
    while (end < series.times.size() && series.times[end] <= range.to(step)) ++end;
    if (end > 0 && series.times[end - 1] > range.to(step) - range.width_ms()) there.set(step, 1);
  }
}

}  // namespace

Status call_absent(const CallOf& of) {
  const Expression& argument = of.argument(0);
  VARVE_ASSIGN_OR_RETURN(Column there, of.evaluation.column(of.steps));
  if (of.call.function == FunctionId::absent) {
    VARVE_RETURN_IF_ERROR(of.evaluation.each(argument, of.steps, [&](Series&& one) -> Status {
      one.points.each([&](std::size_t step) { there.set(step, 1); });
      return {};
    }));
  } else {
    const RangeOf range(of.evaluation, argument, of.steps);
    VARVE_RETURN_IF_ERROR(range.each([&](RangeSeries&& one) -> Status {
      VARVE_RETURN_IF_ERROR(of.evaluation.spend(of.steps.count() + one.times.size()));
      mark_ranges(range, one, there);
      return {};
    }));
  }
  VARVE_ASSIGN_OR_RETURN(Series out, of.evaluation.series(labels_asked_for(argument), of.steps));
  for (std::size_t step = 0; step < there.size(); ++step) {
    if (!there.has(step)) out.points.set(step, 1);
  }
  return out.points.empty() ? Status{} : of.sink(std::move(out));
}

Status call_timestamp(const CallOf& of) {
  const Expression& argument = of.argument(0);
  NamelessSink sink(of.evaluation, argument, of.call.keep_metric_names, of.sink);
  if (const auto* const selector = std::get_if<VectorSelector>(&argument.node);
      selector != nullptr && selector->extension == RangeExtension::none) {
    VARVE_RETURN_IF_ERROR(select_instant(of.evaluation, *selector, of.steps, SelectedPart::time,
                                         [&](Series&& one) { return sink.take(std::move(one)); }));
    return sink.finish();
  }
  VARVE_RETURN_IF_ERROR(of.evaluation.each(argument, of.steps, [&](Series&& one) -> Status {
    one.points.each([&](std::size_t step) { one.points.value(step) = static_cast<double>(of.steps.at(step)) / 1000; });
    return sink.take(std::move(one));
  }));
  return sink.finish();
}

}  // namespace varve::language::promql
