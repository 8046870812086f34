// SPDX-License-Identifier: Apache-2.0
#include "language/kairosdb/to_request.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "query/expression.h"
#include "query/running.h"

namespace varve::language::kairosdb {

namespace {

namespace ast = protocol::kairosdb;
using ast::Aggregator;

// As one of those that have windows, with its grid.
template <class Windowed>
Windowed with_grid(const Aggregator& from) {
  Windowed out;
  out.sampling = {from.sampling_value, from.sampling_unit};
  out.align_sampling = from.align_sampling;
  out.stamp = from.align_start_time ? aggregate::Stamp::window_start
              : from.align_end_time ? aggregate::Stamp::window_end
                                    : aggregate::Stamp::sample;
  out.zone = from.zone;
  return out;
}

// `name`: of a function of windows.
template <class AnyStage>
AnyStage stage_of(const Aggregator& from, std::string_view name) {
  using Answer = aggregate::Deviation::Answer;
  static constexpr std::array kAnswers = {Answer::deviation, Answer::above, Answer::below};
  auto out = with_grid<AnyStage>(from);
  out.function = name == "dev" ? aggregate::Function::dev : *aggregate::function_of(name);
  out.deviation = {kAnswers[static_cast<std::size_t>(from.return_type)], from.dev_count};
  return out;
}

template <class AnyPercentile>
AnyPercentile percentile_of(const Aggregator& from) {
  auto out = with_grid<AnyPercentile>(from);
  out.fraction = from.percentile;
  return out;
}

aggregate::CounterStage counter_of(const Aggregator& from) {
  auto out = with_grid<aggregate::CounterStage>(from);
  if (out.stamp == aggregate::Stamp::sample) out.stamp = aggregate::Stamp::window_start;
  out.per_second = from.name == "counter_rate";
  out.options = {from.max_gap_ms, from.is_32_bits, from.from_zero, from.max_rate};
  out.end_is_point = true;
  return out;
}

aggregate::Filter filter_of(const Aggregator& from) {
  using Compare = aggregate::Filter::Compare;
  static constexpr std::array kCompares = {Compare::less_or_equal, Compare::less,  Compare::greater_or_equal,
                                           Compare::greater,       Compare::equal, Compare::not_equal};
  return {kCompares[static_cast<std::size_t>(from.filter_op)], from.threshold, from.discard_indeterminate};
}

aggregate::HistogramFilter histogram_filter_of(const Aggregator& from) {
  const aggregate::Filter filter = filter_of(from);
  return {filter.compare, std::get<double>(filter.threshold), filter.discard_partial};
}

aggregate::Step score_of(const Aggregator& from) {
  aggregate::Score out;
  for (const auto& threshold : from.thresholds) out.thresholds.push_back({threshold.value, threshold.inferior});
  out.descending = from.descending;
  return out;
}

// The parser knows the same names.
aggregate::Step step_of(const Aggregator& from) {
  const std::string& name = from.name;
  const aggregate::Sampling per{from.sampling_value, from.sampling_unit};
  if (name == "apdex") {
    auto out = with_grid<aggregate::Apdex>(from);
    out.target = from.target;
    return out;
  }
  if (name == "counter_rate" || name == "increase") return counter_of(from);
  if (name == "diff") return aggregate::Diff{};
  if (name == "div") return aggregate::Divide{from.divisor};
  if (name == "filter") return filter_of(from);
  if (name == "hfilter") return histogram_filter_of(from);
  if (name == "hpercentile") return percentile_of<aggregate::HistogramPercentile>(from);
  if (name == "least_squares") return with_grid<aggregate::LeastSquares>(from);
  if (name == "rate") return aggregate::Rate{per, from.zone};
  if (name == "sampler") return aggregate::Sampler{per, from.zone};
  if (name == "save_as") return aggregate::SaveAs{from.metric_name, from.tags, from.ttl_s, from.add_saved_from};
  if (name == "scale") return aggregate::Scale{from.factor};
  if (name == "score") return score_of(from);
  if (name == "sma") return aggregate::Sma{from.size};
  if (name == "trim") return aggregate::Trim{from.trim_first, from.trim_last};
  if (name == "gaps") {
    auto out = with_grid<aggregate::Gaps>(from);
    out.trim = from.trim_gaps;
    return out;
  }
  if (name == "merge") {
    auto out = with_grid<aggregate::Merge>(from);
    if (from.precision >= 0) out.precision = static_cast<unsigned>(from.precision);
    return out;
  }
  if (name == "movingWindow") return with_grid<aggregate::MovingWindow>(from);
  if (name == "percent_remaining") return aggregate::PercentRemaining{};
  if (name == "percentile") return percentile_of<aggregate::Percentile>(from);
  if (name.starts_with('h')) return stage_of<aggregate::HistogramStage>(from, std::string_view(name).substr(1));
  return stage_of<aggregate::Stage>(from, name);
}

aggregate::Split split_of(const ast::Splitter& from) {
  if (const auto* by_time = std::get_if<ast::GroupByTime>(&from)) {
    return aggregate::TimeSplit{{by_time->range_size.value, by_time->range_size.unit}, by_time->group_count};
  }
  if (const auto* by_value = std::get_if<ast::GroupByValue>(&from)) {
    return aggregate::ValueSplit{by_value->range_size};
  }
  return aggregate::BinSplit{std::get<ast::GroupByBin>(from).bins};
}

bool is_regex(const std::string& value) { return value.starts_with(ast::kRegexPrefix); }

bool has_regex(const ast::TagFilter& filter) { return std::ranges::any_of(filter.values, is_regex); }

}  // namespace

bool has_expression(const ast::Query& query) {
  return std::ranges::any_of(query.metrics, [](const ast::QueryMetric& metric) {
    return std::ranges::any_of(metric.tags, [](const auto& filter) { return has_regex(filter); });
  });
}

Status add_matchers(index::Matchers& matchers, const ast::TagFilter& filter, query::Expressions& expressions) {
  using Kind = index::Matcher::Kind;
  if (!has_regex(filter)) {
    matchers.push_back({filter.key, Kind::any_of, filter.values});
    return {};
  }
  std::string expression;
  for (const std::string& value : filter.values) {
    expression += expression.empty() ? "(?:" : "|(?:";
    if (is_regex(value)) {
      const std::string own = value.substr(ast::kRegexPrefix.size());
      VARVE_RETURN_IF_ERROR(expressions.check(own));
      expression += own;
    } else {
      query::append_quoted(expression, value);
    }
    expression += ')';
  }
  VARVE_ASSIGN_OR_RETURN(auto matcher, expressions.matcher(filter.key, Kind::regex, std::move(expression)));
  matchers.push_back(std::move(matcher));
  matchers.push_back({filter.key, Kind::none_of, {""}});  // a series without the tag does not match ".*"
  return {};
}

Result<query::Request> to_request(const ast::Query& query, const std::string& tenant, std::string_view text) {
  query::Request out;
  out.tenant = tenant;
  out.api = "kairosdb";
  out.text = text.substr(0, query::kQueryTextMax);
  out.range = query.range;
  query::Expressions expressions;
  for (const ast::QueryMetric& metric : query.metrics) {
    query::MetricQuery& to = out.metrics.emplace_back();
    to.metric = metric.name;
    for (const auto& filter : metric.tags) VARVE_RETURN_IF_ERROR(add_matchers(to.matchers, filter, expressions));
    query::Pipeline& pipeline = to.pipeline();
    for (const auto& aggregator : metric.aggregators) pipeline.stages.push_back(step_of(aggregator));
    pipeline.group_by = metric.group_by.tags;
    for (const auto& splitter : metric.group_by.splitters) pipeline.splits.push_back(split_of(splitter));
    pipeline.limit = metric.limit;
    pipeline.descending = metric.descending;
  }
  return out;
}

Result<query::Request> to_request(std::string_view json, const std::string& tenant, model::Timestamp now) {
  VARVE_ASSIGN_OR_RETURN(const auto parsed, ast::parse_query(json, now));
  return to_request(parsed, tenant, json);
}

}  // namespace varve::language::kairosdb
