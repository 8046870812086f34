// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/kairosdb_parts.h"

#include <utility>

#include "protocol/json/text.h"
#include "protocol/kairosdb/datapoints.h"

namespace varve::api {

namespace kairosdb = protocol::kairosdb;

namespace {

std::string version_json(const std::string& own) {
  std::string out = "{\"version\":";
  protocol::json::append_string(out, kairosdb_version(own));
  return out += '}';
}

}  // namespace

// What a query saves comes in by it.
KairosdbParts::KairosdbParts(const Context& context)
    : writer(context.writer),
      saver(context.takes_samples ? &context.writer : nullptr),
      engine(context.queries),
      texts(context.texts),
      erasing{context.queries, context.series, context.samples, context.metrics},
      query_pool(context.query_pool),
      refusing(context.refusing),
      version(version_json(context.version)),
      queries(query_pool, QueryMetrics(context.metrics, engine.clock(), "kairosdb")),
      tag_queries(query_pool, QueryMetrics(context.metrics, engine.clock(), "kairosdb_tags")),
      names(query_pool, QueryMetrics(context.metrics, engine.clock(), "kairosdb_names")),
      of_texts(query_pool, status_of),
      erases(context.slow_pool) {}

Response kairosdb_response(int status, std::string body) {
  Response response = Response::json(status, std::move(body));
  response.content_type = "application/json;charset=utf-8";
  response.headers = {{"Pragma", "no-cache"}, {"Cache-Control", "no-cache"}, {"Expires", "0"}};
  response.pack_small = true;
  return response;
}

std::string kairosdb_version(const std::string& own) { return "KairosDB 1.3.0-1 (varve " + own + ")"; }

Response kairosdb_error(int status, std::string_view message, const Request&) {
  const std::string text(message);
  return with_retry(kairosdb_response(status, kairosdb::render_errors({&text, 1})));
}

}  // namespace varve::api
