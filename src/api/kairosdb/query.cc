// SPDX-License-Identifier: Apache-2.0
// KairosDB's queries. docs/protocols/queries.md shows requests and answers.
#include <algorithm>
#include <memory>
#include <utility>

#include "api/kairosdb/answer.h"
#include "api/kairosdb/handlers.h"
#include "language/kairosdb/save.h"
#include "language/kairosdb/to_request.h"
#include "protocol/kairosdb/query.h"

namespace varve::api {

namespace {

namespace kairosdb = protocol::kairosdb;

// Tag queries see whole rows of KairosDB's store, unless they ask for the exact range: three weeks, counted from 1970.
constexpr std::int64_t kRowMs = 1'814'400'000;

KairosdbHead head_of(const kairosdb::QueryMetric& metric) {
  KairosdbHead head{metric.name, metric.group_by.tags, {}, metric.exclude_tags};
  for (const auto& splitter : metric.group_by.splitters) head.splits.push_back(kairosdb::opening_of(splitter));
  return head;
}

bool has_save_as(const query::Request& request) {
  return std::ranges::any_of(request.metrics, [](const query::MetricQuery& metric) {
    return std::ranges::any_of(metric.pipeline().stages, [](const aggregate::Step& step) {
      return std::holds_alternative<aggregate::SaveAs>(step);
    });
  });
}

// A query on its way through the threads.
struct KairosdbAsked {
  kairosdb::Query parsed;
  std::vector<KairosdbHead> heads;
  query::Request wanted;
};

std::string_view query_json_of(const Request& request) {
  return request.method == Method::get ? request.param("query").value_or("") : request.body;
}

Result<kairosdb::Query> parse_asked(const query::Engine& engine, const Request& request) {
  const std::string_view json = query_json_of(request);
  if (json.empty()) return fail(Code::invalid, "query json must not be null or empty");
  return kairosdb::parse_query(json, engine.clock().now_ms(), engine.limits().metrics_max);
}

Status understand(const Request& request, KairosdbAsked& asked) {
  for (const auto& metric : asked.parsed.metrics) asked.heads.push_back(head_of(metric));
  VARVE_ASSIGN_OR_RETURN(asked.wanted,
                         language::kairosdb::to_request(asked.parsed, request.tenant, query_json_of(request)));
  return {};
}

Result<Response> run_query(const KairosdbParts& parts, const Request& request, KairosdbAsked& asked) {
  if (has_save_as(asked.wanted)) {
    // Any page can make a browser send a GET, by an image.
    if (request.method != Method::post) return fail(Code::invalid, "save_as: a query that writes is a POST");
    if (parts.saver == nullptr) return request.error(403, "save_as: this replica takes nothing in (roles)");
    asked.wanted.save = language::kairosdb::saver(*parts.saver, request.tenant);
  }
  VARVE_ASSIGN_OR_RETURN(auto found, parts.engine.stream(asked.wanted, request.gone));
  auto held = found.answer.held;
  Response response = with_read(kairosdb_response(200, ""), found.answer.read);
  const auto text = std::make_shared<KairosdbAnswer>(std::move(asked.heads), std::move(found.answer), parts.query_pool,
                                                     parts.engine.limits().threads, std::move(found.later));
  return streamed(std::move(held), std::move(response), text);
}

}  // namespace

// Small queries are answered where they came in. Expressions are not even compiled there.
Result<Endpoint::Planned> plan_kairosdb_query(const KairosdbParts& parts, const Request& request) {
  const auto asked = std::make_shared<KairosdbAsked>();
  VARVE_ASSIGN_OR_RETURN(asked->parsed, parse_asked(parts.engine, request));
  if (language::kairosdb::has_expression(asked->parsed)) {
    return Endpoint::Planned{[&parts, &request, asked]() -> Result<Response> {
      VARVE_RETURN_IF_ERROR(understand(request, *asked));
      return run_query(parts, request, *asked);
    }};
  }
  VARVE_RETURN_IF_ERROR(understand(request, *asked));
  // One that saves waits for what it writes.
  const bool is_small = !has_save_as(asked->wanted) && parts.engine.is_small(asked->wanted);
  return Endpoint::Planned{[&parts, &request, asked] { return run_query(parts, request, *asked); }, is_small};
}

Result<Response> query_kairosdb_tags(const KairosdbParts& parts, const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto parsed, parse_asked(parts.engine, request));
  VARVE_ASSIGN_OR_RETURN(query::Request wanted,
                         language::kairosdb::to_request(parsed, request.tenant, query_json_of(request)));
  if (request.param("exact") != "true") {
    wanted.range.first = model::window_start(wanted.range.first, kRowMs);
    wanted.range.last = model::window_start(wanted.range.last - 1, kRowMs) + kRowMs;
  }
  VARVE_ASSIGN_OR_RETURN(const auto tags, parts.engine.tags(wanted, request.gone.get()));
  std::vector<std::string> names;
  for (const auto& metric : parsed.metrics) names.push_back(metric.name);
  Response response = kairosdb_response(200, kairosdb_tags_json(names, tags.metrics));
  return held_by(tags.query, with_read(std::move(response), tags.query->ticket().read()));
}

}  // namespace varve::api
