// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/query.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/kairosdb/answer.h"
#include "api/kairosdb/kairosdb_parts.h"
#include "api/kairosdb/names.h"
#include "api/shared/endpoint.h"
#include "api/shared/http.h"
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

class KairosdbQueries {
 public:
  KairosdbQueries(query::Engine& engine, TaskPool& pool, write::Writer* writer)
      : engine_(engine), pool_(pool), writer_(writer) {}

  // Small queries are answered where they came in. Expressions are not even compiled there.
  Result<Endpoint::Planned> plan_query(const Request& request) const {
    const auto asked = std::make_shared<Asked>();
    VARVE_ASSIGN_OR_RETURN(asked->parsed, parse(request));
    if (language::kairosdb::has_expression(asked->parsed)) {
      return Endpoint::Planned{[this, &request, asked]() -> Result<Response> {
        VARVE_RETURN_IF_ERROR(understand(request, *asked));
        return query(request, *asked);
      }};
    }
    VARVE_RETURN_IF_ERROR(understand(request, *asked));
    // One that saves waits for what it writes.
    const bool is_small = !has_save_as(asked->wanted) && engine_.is_small(asked->wanted);
    return Endpoint::Planned{[this, &request, asked] { return query(request, *asked); }, is_small};
  }

  Result<Response> query_tags(const Request& request) const {
    VARVE_ASSIGN_OR_RETURN(const auto parsed, parse(request));
    VARVE_ASSIGN_OR_RETURN(query::Request wanted,
                           language::kairosdb::to_request(parsed, request.tenant, json_of(request)));
    if (request.param("exact") != "true") {
      wanted.range.first = model::window_start(wanted.range.first, kRowMs);
      wanted.range.last = model::window_start(wanted.range.last - 1, kRowMs) + kRowMs;
    }
    VARVE_ASSIGN_OR_RETURN(const auto tags, engine_.tags(wanted, request.gone.get()));
    std::vector<std::string> names;
    for (const auto& metric : parsed.metrics) names.push_back(metric.name);
    Response response = kairosdb_response(200, kairosdb_tags_json(names, tags.metrics));
    return held_by(tags.query, with_read(std::move(response), tags.query->ticket().read()));
  }

 private:
  // A query on its way through the threads.
  struct Asked {
    kairosdb::Query parsed;
    std::vector<KairosdbHead> heads;
    query::Request wanted;
  };

  static Status understand(const Request& request, Asked& asked) {
    for (const auto& metric : asked.parsed.metrics) asked.heads.push_back(head_of(metric));
    VARVE_ASSIGN_OR_RETURN(asked.wanted,
                           language::kairosdb::to_request(asked.parsed, request.tenant, json_of(request)));
    return {};
  }

  Result<Response> query(const Request& request, Asked& asked) const {
    if (has_save_as(asked.wanted)) {
      // Any page can make a browser send a GET, by an image.
      if (request.method != Method::post) return fail(Code::invalid, "save_as: a query that writes is a POST");
      if (writer_ == nullptr) return kairosdb_error(403, "save_as: this replica takes nothing in (roles)");
      asked.wanted.save = language::kairosdb::saver(*writer_, request.tenant);
    }
    VARVE_ASSIGN_OR_RETURN(auto found, engine_.stream(asked.wanted, request.gone));
    auto held = found.answer.held;
    Response response = with_read(kairosdb_response(200, ""), found.answer.read);
    const auto text = std::make_shared<KairosdbAnswer>(std::move(asked.heads), std::move(found.answer), pool_,
                                                       engine_.limits().threads, std::move(found.later));
    return streamed(std::move(held), std::move(response), text);
  }

  static std::string_view json_of(const Request& request) {
    return request.method == Method::get ? request.param("query").value_or("") : request.body;
  }

  Result<kairosdb::Query> parse(const Request& request) const {
    const std::string_view json = json_of(request);
    if (json.empty()) return fail(Code::invalid, "query json must not be null or empty");
    return kairosdb::parse_query(json, engine_.clock().now_ms(), engine_.limits().metrics_max);
  }

  query::Engine& engine_;
  TaskPool& pool_;
  write::Writer* const writer_;
};

}  // namespace

void add_kairosdb_query(Router& router, query::Engine& engine, TaskPool& pool, Metrics& metrics,
                        write::Writer* writer) {
  const auto handlers = std::make_shared<KairosdbQueries>(engine, pool, writer);
  const Endpoint queries(pool, {.shape = kairosdb_error}, QueryMetrics(metrics, engine.clock(), "kairosdb"));
  const Endpoint tag_queries(pool, {.shape = kairosdb_error}, QueryMetrics(metrics, engine.clock(), "kairosdb_tags"));
  const Handler query =
      queries.here_or_on_pool([handlers](const Request& request) { return handlers->plan_query(request); });
  router.add(Method::post, "/api/v1/datapoints/query", query);
  router.add(Method::get, "/api/v1/datapoints/query", query);
  router.add(Method::post, "/api/v1/datapoints/query/tags",
             tag_queries.on_pool([handlers](const Request& request) { return handlers->query_tags(request); }));
  add_kairosdb_names(router, engine, pool, metrics);
}

}  // namespace varve::api
