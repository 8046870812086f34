// SPDX-License-Identifier: Apache-2.0
#include "language/opentsdb/to_request.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "protocol/opentsdb/query_duration.h"
#include "query/expression.h"

namespace varve::language::opentsdb {

namespace {

namespace ast = protocol::opentsdb;
using aggregate::Reducer;
using ast::Filter;
using index::Matcher;

// Wider than time.
constexpr std::int64_t kWholeRangeMs = std::int64_t{1} << 55;

std::string any_case_of(const std::vector<std::string>& values) {
  std::string out = "(?i:";
  for (const std::string& value : values) {
    if (out.back() != ':') out += '|';
    query::append_quoted(out, value);
  }
  return out + ')';
}

// web*01: each star stands for any bytes, also none.
std::string expression_of_wildcard(std::string_view text, bool any_case) {
  std::string out = any_case ? "(?i)" : "";
  for (;;) {
    const std::size_t star = text.find('*');
    query::append_quoted(out, text.substr(0, star));
    if (star == std::string_view::npos) return out;
    out += ".*";
    text.remove_prefix(star + 1);
  }
}

Result<Matcher> wildcard(const Filter& filter, query::Expressions& expressions) {
  const std::string_view text = filter.text;
  const bool any_case = filter.type == Filter::Type::iwildcard;
  if (text.find_first_not_of('*') == std::string_view::npos) return Matcher{filter.key, Matcher::Kind::none_of, {""}};
  if (!any_case && text.find('*') == text.size() - 1) {
    return Matcher{filter.key, Matcher::Kind::prefix, {std::string(text.substr(0, text.size() - 1))}};
  }
  return expressions.matcher(filter.key, Matcher::Kind::regex, expression_of_wildcard(text, any_case));
}

Status matchers_of(const Filter& filter, query::Expressions& expressions, index::Matchers& out) {
  using Kind = Matcher::Kind;
  const auto add_regex = [&](Kind kind, std::string expression) -> Status {
    VARVE_ASSIGN_OR_RETURN(auto matcher, expressions.matcher(filter.key, kind, std::move(expression)));
    out.push_back(std::move(matcher));
    return {};
  };
  const auto must_be_there = [&] { out.push_back({filter.key, Kind::none_of, {""}}); };
  switch (filter.type) {
    case Filter::Type::literal_or: out.push_back({filter.key, Kind::any_of, filter.values}); return {};
    case Filter::Type::iliteral_or: return add_regex(Kind::regex, any_case_of(filter.values));
    case Filter::Type::not_literal_or: {
      Matcher matcher{filter.key, Kind::none_of, filter.values};
      matcher.values.emplace_back();
      out.push_back(std::move(matcher));
      return {};
    }
    case Filter::Type::not_iliteral_or:
      VARVE_RETURN_IF_ERROR(add_regex(Kind::not_regex, any_case_of(filter.values)));
      must_be_there();
      return {};
    case Filter::Type::wildcard:
    case Filter::Type::iwildcard: {
      VARVE_ASSIGN_OR_RETURN(auto matcher, wildcard(filter, expressions));
      out.push_back(std::move(matcher));
      return {};
    }
    case Filter::Type::regexp:  // found anywhere in the value
      VARVE_RETURN_IF_ERROR(expressions.check(filter.text));
      VARVE_RETURN_IF_ERROR(add_regex(Kind::regex, ".*(?:" + filter.text + ").*"));
      must_be_there();
      return {};
    case Filter::Type::not_key: out.push_back({filter.key, Kind::any_of, {""}}); return {};
  }
  return {};
}

std::optional<aggregate::Function> function_of(std::string_view name) {
  if (name == "zimsum") return aggregate::Function::sum;
  if (name == "mimmin") return aggregate::Function::min;
  if (name == "mimmax") return aggregate::Function::max;
  return aggregate::function_of(name);
}

Result<Reducer> reducer_of(std::string_view name) {
  if (const auto reducer = aggregate::reducer_of(name)) return *reducer;
  return fail(Code::invalid, "No such aggregator: " + std::string(name));
}

template <class AnyStage>
AnyStage stage_of(const ast::Downsample& downsample) {
  AnyStage stage;
  stage.stamp = aggregate::Stamp::window_start;
  stage.align_epoch = downsample.count != 0 && !downsample.calendar;
  stage.align_sampling = downsample.calendar;
  stage.sampling = {downsample.count, downsample.unit};
  if (downsample.count == 0) {
    stage.sampling = {kWholeRangeMs, model::TimeUnit::milliseconds};
  } else if (!downsample.calendar) {
    stage.sampling = {ast::ms_of({downsample.count, downsample.unit}), model::TimeUnit::milliseconds};
  }
  return stage;
}

Result<query::Join::Downsample> downsample_of(const ast::Downsample& downsample) {
  query::Join::Downsample into;
  auto stage = stage_of<aggregate::Stage>(downsample);
  if (const auto function = function_of(downsample.function)) stage.function = *function;
  into.window = stage;
  if (downsample.function == "increase" || downsample.function == "counter_rate") {
    auto counter = stage_of<aggregate::CounterStage>(downsample);
    counter.per_second = downsample.function == "counter_rate";
    counter.end_is_point = true;
    into.window = counter;
  } else if (!function_of(downsample.function)) {
    VARVE_ASSIGN_OR_RETURN(const Reducer gather, reducer_of(downsample.function));
    if (gather == Reducer::none) return fail(Code::invalid, "none is not a function to downsample by");
    into.gather = gather;
  }
  if (downsample.fill == ast::Downsample::Fill::zero) into.fill = query::Join::Fill::zero;
  if (downsample.fill == ast::Downsample::Fill::nan) into.fill = query::Join::Fill::nan;
  return into;
}

void add_explicit(const std::vector<std::string>& keys, query::MetricQuery& to) {
  for (const std::string& key : keys) {
    if (std::ranges::any_of(to.matchers, [&](const Matcher& m) { return m.key == key; })) continue;
    to.matchers.push_back({key, Matcher::Kind::any_of, {""}});
  }
}

Result<query::MetricQuery> metric_query(const ast::SubQuery& query, bool ms, query::Expressions& expressions) {
  query::MetricQuery to;
  to.metric = query.metric;
  VARVE_ASSIGN_OR_RETURN(to.matchers, to_matchers(query.filters, expressions));
  query::Join& join = to.how.emplace<query::Join>();
  VARVE_ASSIGN_OR_RETURN(join.reducer, reducer_of(query.aggregator.empty() ? "none" : query.aggregator));
  join.resolution_ms = ms ? 1 : 1000;
  for (const Filter& filter : query.filters) {
    if (filter.group_by && std::ranges::find(join.group_by, filter.key) == join.group_by.end()) {
      join.group_by.push_back(filter.key);
    }
  }
  if (query.rate) {
    const ast::RateOptions& rate = *query.rate;
    join.rate = {rate.counter, rate.counter_max, rate.reset_value, rate.drop_resets, rate.delta_only};
  }
  if (query.downsample) {
    VARVE_ASSIGN_OR_RETURN(join.downsample, downsample_of(*query.downsample));
  }
  return to;
}

}  // namespace

Result<index::Matchers> to_matchers(const std::vector<Filter>& filters, query::Expressions& expressions) {
  index::Matchers out;
  for (const Filter& filter : filters) VARVE_RETURN_IF_ERROR(matchers_of(filter, expressions, out));
  return out;
}

Result<query::Request> to_request(const ast::Query& query, std::string tenant, const storage::SeriesStore& store) {
  query::Request out;
  out.range = query.range;
  out.api = "opentsdb";
  VARVE_ASSIGN_OR_RETURN(const auto id, store.find_tenant(tenant));
  query::Expressions expressions;
  for (const ast::SubQuery& sub : query.queries) {
    VARVE_ASSIGN_OR_RETURN(auto to, metric_query(sub, query.ms, expressions));
    if (sub.explicit_tags && id) {
      VARVE_ASSIGN_OR_RETURN(const auto keys, store.tag_keys(*id, sub.metric, {}));
      add_explicit(keys, to);
    }
    out.metrics.push_back(std::move(to));
  }
  out.tenant = std::move(tenant);
  return out;
}

Result<query::Request> to_request(const ast::LastQuery::Series& series, const std::string& tenant,
                                  query::Expressions& expressions) {
  query::Request request;
  request.tenant = tenant;
  request.api = "opentsdb";
  query::MetricQuery& query = request.metrics.emplace_back();
  query.metric = series.metric;
  VARVE_ASSIGN_OR_RETURN(query.matchers, to_matchers(series.filters, expressions));
  query.pipeline().group_by = query::EachSeries();
  aggregate::Stage stage;
  stage.function = aggregate::Function::last;
  stage.sampling = {kWholeRangeMs, model::TimeUnit::milliseconds};
  stage.align_sampling = false;
  query.pipeline().stages.emplace_back(stage);
  return request;
}

}  // namespace varve::language::opentsdb
