// SPDX-License-Identifier: Apache-2.0
#include "api/loki/query_routes.h"

#include <string>

#include "api/loki/asking.h"
#include "protocol/json/writer.h"

namespace varve::api {

void add_loki_query_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const LokiContext loki{*context.messages, context.queries, context.query_pool,
                         context.clock,     context.metrics, context.message_limits.rows_max};
  add_loki_query(router, loki);
  add_loki_names(router, loki);
  if (context.news != nullptr) add_loki_tail(router, loki, *context.news);
  add_loki_index(router, loki);
  add_loki_detected_fields(router, loki);
  const auto buildinfo = [version = context.version](const Request&, const Responder& answer) {
    std::string body;
    protocol::json::Writer json(body);
    json.begin_object().member("version", version).member("revision", "").member("branch", "");
    json.member("buildUser", "").member("buildDate", "").member("goVersion", "").member("application", "varve");
    json.end_object();
    answer(Response::json(200, std::move(body)));
  };
  router.add(Method::get, "/loki/api/v1/status/buildinfo", buildinfo);
}

}  // namespace varve::api
