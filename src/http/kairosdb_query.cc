// SPDX-License-Identifier: Apache-2.0
#include "http/kairosdb_query.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "http/answer.h"
#include "http/kairosdb_answer.h"
#include "http/kairosdb_compile.h"
#include "http/kairosdb_names.h"
#include "http/kairosdb_parts.h"
#include "http/kairosdb_save.h"
#include "http/query_answer.h"
#include "http/query_metrics.h"
#include "protocol/kairosdb/query.h"

namespace varve::http {

namespace {

namespace kairosdb = protocol::kairosdb;

// Tag queries see whole rows of KairosDB's store, unless they ask for the exact range: three weeks, counted from 1970.
constexpr std::int64_t kRowMs = 1'814'400'000;

KairosdbHead head_of(const kairosdb::QueryMetric& metric) {
  KairosdbHead head{metric.name, metric.group_by.tags, {}, metric.exclude_tags};
  for (const auto& splitter : metric.group_by.splitters) head.splits.push_back(kairosdb::opening_of(splitter));
  return head;
}

bool saves(const query::Request& request) {
  return std::ranges::any_of(request.metrics, [](const query::MetricQuery& metric) {
    return std::ranges::any_of(
        metric.stages, [](const aggregate::Step& step) { return std::holds_alternative<aggregate::SaveAs>(step); });
  });
}

class KairosdbQueries {
 public:
  KairosdbQueries(query::Engine& engine, TaskPool& pool, Metrics& metrics, write::Writer* writer)
      : engine_(engine),
        pool_(pool),
        writer_(writer),
        queries_(queries_asked(metrics, "kairosdb")),
        tag_queries_(queries_asked(metrics, "kairosdb_tags")),
        seconds_(query_seconds(metrics)) {}

  using Run = Response (KairosdbQueries::*)(const Request&);
  // A handler that runs the method on the pool. `self` keeps the object as long as a task may use it.
  static Handler on_pool(std::shared_ptr<KairosdbQueries> self, Run method) {
    return [self = std::move(self), method](const Request& request, Responder respond) {
      if (request.tenant.empty()) return respond(kairosdb_error({Code::invalid, "the request names no tenant"}));
      const bool taken = self->pool_.post([self, method, &request, respond] { respond((*self.*method)(request)); });
      if (!taken) respond(kairosdb_error({Code::unavailable, "too many queries are waiting"}));
    };
  }

  // Small queries are answered where they came in.
  static Handler here_or_on_pool(std::shared_ptr<KairosdbQueries> self) {
    return [self = std::move(self)](const Request& request, Responder respond) {
      if (request.tenant.empty()) return respond(kairosdb_error({Code::invalid, "the request names no tenant"}));
      const auto asked = std::make_shared<Asked>(self->engine_.clock().steady_ns());
      asked->status = self->read(request, *asked);
      if (!asked->status || self->is_small(asked->wanted)) return respond(self->query(request, *asked));
      const bool taken = self->pool_.post([self, asked, &request, respond] { respond(self->query(request, *asked)); });
      if (!taken) respond(kairosdb_error({Code::unavailable, "too many queries are waiting"}));
    };
  }

  Response query_tags(const Request& request) {
    tag_queries_.add();
    const Timer timer(*this, engine_.clock().steady_ns());
    const auto parsed = parse(request);
    if (!parsed) return kairosdb_error(parsed.error());
    auto compiled = compile(*parsed, request.tenant, json_of(request));
    if (!compiled) return kairosdb_error(compiled.error());
    query::Request& wanted = *compiled;
    if (request.param("exact") != "true") {
      wanted.range.first = model::window_start(wanted.range.first, kRowMs);
      wanted.range.last = model::window_start(wanted.range.last - 1, kRowMs) + kRowMs;
    }
    const auto tags = engine_.tags(wanted, request.gone.get());
    if (!tags) return kairosdb_error(tags.error());
    std::vector<std::string> names;
    for (const auto& metric : parsed->metrics) names.push_back(metric.name);
    Response response = kairosdb_response(200, kairosdb_tags_json(names, tags->metrics));
    return response_or_error(held_by(tags->query, with_read(std::move(response), tags->query->ticket().read())));
  }

 private:
  class Timer {
   public:
    Timer(KairosdbQueries& owner, std::int64_t start_ns) : owner_(owner), start_ns_(start_ns) {}
    ~Timer() { owner_.seconds_.observe(static_cast<double>(owner_.engine_.clock().steady_ns() - start_ns_) * 1e-9); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    KairosdbQueries& owner_;
    const std::int64_t start_ns_;
  };

  // A query on its way through the threads.
  struct Asked {
    std::int64_t start_ns = 0;
    Status status;  // of reading it; if it is an error, what follows is of no meaning
    std::vector<KairosdbHead> heads;
    query::Request wanted;
  };

  // One that saves waits for what it writes.
  bool is_small(const query::Request& wanted) const { return engine_.is_small(wanted) && !saves(wanted); }

  Status read(const Request& request, Asked& asked) {
    queries_.add();
    VARVE_TRY(const auto parsed, parse(request));
    for (const auto& metric : parsed.metrics) asked.heads.push_back(head_of(metric));
    VARVE_TRY(asked.wanted, compile(parsed, request.tenant, json_of(request)));
    return {};
  }

  Response query(const Request& request, Asked& asked) {
    const Timer timer(*this, asked.start_ns);
    if (!asked.status) return kairosdb_error(asked.status.error());
    query::Request& wanted = asked.wanted;
    if (saves(wanted)) {
      // Any page can make a browser send a GET, by an image.
      if (request.method != Method::post)
        return kairosdb_error({Code::invalid, "save_as: a query that writes is a POST"});
      if (writer_ == nullptr) return kairosdb_error(403, "save_as: this replica takes nothing in (roles)");
      wanted.save = saver(*writer_, request.tenant);
    }
    auto found = engine_.run(wanted, request.gone.get());
    if (!found) return kairosdb_error(found.error());
    auto held = found->held;
    Response response = with_read(kairosdb_response(200, ""), found->read);
    const auto text =
        std::make_shared<KairosdbAnswer>(std::move(asked.heads), std::move(*found), pool_, engine_.limits().threads);
    return response_or_error(streamed(std::move(held), std::move(response), text));
  }

  static Response response_or_error(Result<Response> response) {
    return response ? std::move(*response) : kairosdb_error(response.error());
  }

  static std::string_view json_of(const Request& request) {
    return request.method == Method::get ? request.param("query").value_or("") : request.body;
  }

  Result<kairosdb::Query> parse(const Request& request) const {
    const std::string_view json = json_of(request);
    if (json.empty()) return fail(Code::invalid, "query json must not be null or empty");
    return kairosdb::parse_query(json, engine_.clock().now_ms());
  }

  query::Engine& engine_;
  TaskPool& pool_;
  write::Writer* const writer_;
  Counter& queries_;
  Counter& tag_queries_;
  Histogram& seconds_;
};

}  // namespace

Result<query::Request> kairosdb_request(const std::string& tenant, std::string_view json, model::Timestamp now) {
  VARVE_TRY(const auto parsed, kairosdb::parse_query(json, now));
  return compile(parsed, tenant, json);
}

void add_kairosdb_query(Router& router, query::Engine& engine, TaskPool& pool, Metrics& metrics,
                        write::Writer* writer) {
  const auto handlers = std::make_shared<KairosdbQueries>(engine, pool, metrics, writer);
  router.add(Method::post, "/api/v1/datapoints/query", KairosdbQueries::here_or_on_pool(handlers));
  router.add(Method::get, "/api/v1/datapoints/query", KairosdbQueries::here_or_on_pool(handlers));
  router.add(Method::post, "/api/v1/datapoints/query/tags",
             KairosdbQueries::on_pool(handlers, &KairosdbQueries::query_tags));
  add_kairosdb_names(router, engine, pool, metrics);
}

}  // namespace varve::http
