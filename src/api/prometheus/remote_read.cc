// SPDX-License-Identifier: Apache-2.0
// /api/v1/read: samples as they are, for a Prometheus that keeps its own last days only, and for Thanos.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/prometheus/error.h"
#include "api/prometheus/handlers.h"
#include "api/shared/query_answer.h"
#include "base/regex.h"
#include "codec/compression.h"
#include "language/promql/engine_source.h"
#include "language/promql/literal.h"
#include "language/promql/names.h"
#include "protocol/prometheus/remote_read.h"
#include "query/expression.h"

namespace varve::api {
namespace {

namespace prometheus = protocol::prometheus;
namespace promql = language::promql;

struct ReadSelection {
  std::vector<promql::Matcher> matchers;
  std::int64_t first_ms = 0, last_ms = 0;
};

Result<ReadSelection> selection_of(const prometheus::ReadQuery& query, query::Expressions& expressions) {
  ReadSelection out{{}, query.first_ms, query.last_ms};
  for (const prometheus::ReadMatcher& asked : query.matchers) {
    promql::Matcher matcher{std::string(asked.name), static_cast<promql::MatchOp>(asked.op), std::string(asked.value)};
    if (matcher.op == promql::MatchOp::regex || matcher.op == promql::MatchOp::not_regex) {
      VARVE_RETURN_IF_ERROR(expressions.count(matcher.value));
      VARVE_ASSIGN_OR_RETURN(matcher.regex, expressions.compile(matcher.value));
    }
    out.matchers.push_back(std::move(matcher));
  }
  return out;
}
static_assert(static_cast<int>(promql::MatchOp::not_regex) == static_cast<int>(prometheus::ReadMatcher::Op::not_regex));
static_assert(static_cast<int>(promql::MatchOp::regex) == static_cast<int>(prometheus::ReadMatcher::Op::regex));

// For the list of running queries: {__name__="up",job=~"a|b"}, one after the other.
std::string text_of(const std::vector<ReadSelection>& asked) {
  std::string out;
  for (const ReadSelection& one : asked) {
    out += out.empty() ? "{" : " {";
    for (const promql::Matcher& matcher : one.matchers) {
      if (!out.ends_with('{')) out += ',';
      out.append(matcher.name).append(promql::name_of(matcher.op));
      out += promql::quoted(matcher.value);
    }
    out += '}';
    if (out.size() > query::kQueryTextMax) break;
  }
  out.resize(std::min(out.size(), query::kQueryTextMax));
  return out;
}

// Adds the result to the response: series sorted by labels, with their staleness markers.
Status add_result(promql::Source& source, const ReadSelection& asked, query::UnderWay& query, std::string& response) {
  std::vector<std::pair<model::Tags, std::string>> found;
  std::size_t bytes = 0;
  const auto take = [&](promql::Selected&& one) -> Status {
    std::string encoded = prometheus::read_series(one.labels, one.times, one.values);
    const std::size_t more = encoded.capacity() + promql::bytes_of(one.labels) + sizeof found[0];
    VARVE_RETURN_IF_ERROR(query.budget().charge(more));
    bytes += more;
    found.emplace_back(std::move(one.labels), std::move(encoded));
    return {};
  };
  if (asked.first_ms <= asked.last_ms) {
    VARVE_RETURN_IF_ERROR(source.select({asked.matchers, asked.first_ms, asked.last_ms}, take));
  }
  std::ranges::sort(found, {}, &std::pair<model::Tags, std::string>::first);
  std::vector<std::string> series;
  std::size_t encoded = 0;
  for (auto& [labels, text] : found) {
    encoded += text.size();
    series.push_back(std::move(text));
  }
  VARVE_RETURN_IF_ERROR(query.budget().charge(2 * encoded));  // one after the other, and packed
  prometheus::append_read_result(response, series);
  query.budget().release(bytes);
  return {};
}

Result<std::string> read_answer(const PrometheusParts& parts, const Request& request,
                                const std::vector<ReadSelection>& asked, query::UnderWay& query) {
  const RegexMeter meter([&query] { return query.deadline().check(); });
  promql::EngineSource source(parts.engine, request.tenant, query, parts.options.series_max);
  std::string response, packed;
  for (const ReadSelection& one : asked) VARVE_RETURN_IF_ERROR(add_result(source, one, query, response));
  VARVE_RETURN_IF_ERROR(meter.status());
  VARVE_RETURN_IF_ERROR(codec::compress(codec::Coding::snappy, response, packed));
  return packed;
}

}  // namespace

Result<Response> read_remotely(const PrometheusParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto queries, prometheus::parse_read_request(request.body));
  query::Expressions expressions;
  std::vector<ReadSelection> asked;
  for (const prometheus::ReadQuery& one : queries) {
    VARVE_ASSIGN_OR_RETURN(ReadSelection selection, selection_of(one, expressions));
    asked.push_back(std::move(selection));
  }
  const query::Request shown = query::shown_as(request.tenant, "remote_read", text_of(asked));
  VARVE_ASSIGN_OR_RETURN(auto query, query::UnderWay::begin(parts.engine, shown, request.gone.get()));
  auto packed = query->explain(read_answer(parts, request, asked, *query));
  if (!packed) return fail(packed.error());
  Response response = Response::empty(200);
  response.content_type = "application/x-protobuf";
  response.headers.emplace_back("Content-Encoding", "snappy");
  response.body = std::move(*packed);
  response = with_read(std::move(response), query->ticket().read());
  return held_by(std::move(query), std::move(response));
}

}  // namespace varve::api
