// SPDX-License-Identifier: Apache-2.0
#include "api/loki/routes.h"

#include <utility>

#include "api/loki/error.h"
#include "api/loki/handlers.h"
#include "api/shared/routes.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

template <LokiWork work>
Result<Response> loki_question(const LokiParts& parts, const Request& request) {
  return answer_question(parts, request, work);
}
template <LokiWork work>
constexpr OnPool<LokiParts> kLokiQuestion{loki_question<work>, &LokiParts::questions};

void show_buildinfo(const LokiParts& parts, const Request&, const Responder& answer) {
  std::string body;
  protocol::json::Writer json(body);
  json.begin_object().member("version", parts.context.version).member("revision", "").member("branch", "");
  json.member("buildUser", "").member("buildDate", "").member("goVersion", "").member("application", "varve");
  json.end_object();
  answer(Response::json(200, std::move(body)));
}

bool has_way_in(const LokiParts& parts) { return parts.ingest.has_value(); }
bool has_tails(const LokiParts& parts) { return parts.tails != nullptr; }

constexpr Route<LokiParts> kLokiRoutes[] = {
    {.method = Method::post,
     .pattern = "/loki/api/v1/push",
     .answer = Itself{push_lines},
     .effect = Effect::writes,
     .protobuf_is_snappy = true,
     .is_there = has_way_in},
    {.method = Method::get,
     .pattern = "/loki/api/v1/tail",
     .answer = OnPool{follow_tail, &LokiParts::questions},
     .is_there = has_tails},
    {Method::get, "/loki/api/v1/query_range", kLokiQuestion<answer_query_range>},
    {Method::post, "/loki/api/v1/query_range", kLokiQuestion<answer_query_range>},
    {Method::get, "/loki/api/v1/query", kLokiQuestion<answer_instant>},
    {Method::post, "/loki/api/v1/query", kLokiQuestion<answer_instant>},
    {Method::get, "/loki/api/v1/labels", kLokiQuestion<answer_labels>},
    {Method::post, "/loki/api/v1/labels", kLokiQuestion<answer_labels>},
    {Method::get, "/loki/api/v1/label/{name}/values", kLokiQuestion<answer_label_values>},
    {Method::post, "/loki/api/v1/label/{name}/values", kLokiQuestion<answer_label_values>},
    {Method::get, "/loki/api/v1/series", kLokiQuestion<answer_series>},
    {Method::post, "/loki/api/v1/series", kLokiQuestion<answer_series>},
    {Method::get, "/loki/api/v1/index/stats", kLokiQuestion<answer_stats>},
    {Method::post, "/loki/api/v1/index/stats", kLokiQuestion<answer_stats>},
    {Method::get, "/loki/api/v1/index/volume", kLokiQuestion<answer_volume>},
    {Method::post, "/loki/api/v1/index/volume", kLokiQuestion<answer_volume>},
    {Method::get, "/loki/api/v1/index/volume_range", kLokiQuestion<answer_volume_range>},
    {Method::post, "/loki/api/v1/index/volume_range", kLokiQuestion<answer_volume_range>},
    {Method::get, "/loki/api/v1/patterns", kLokiQuestion<answer_patterns>},
    {Method::post, "/loki/api/v1/patterns", kLokiQuestion<answer_patterns>},
    {Method::get, "/loki/api/v1/detected_fields", kLokiQuestion<answer_detected_fields>},
    {Method::post, "/loki/api/v1/detected_fields", kLokiQuestion<answer_detected_fields>},
    {Method::get, "/loki/api/v1/detected_field/{name}/values", kLokiQuestion<answer_detected_values>},
    {Method::post, "/loki/api/v1/detected_field/{name}/values", kLokiQuestion<answer_detected_values>},
    {.pattern = "/loki/api/v1/status/buildinfo", .answer = Itself{show_buildinfo}, .needs_tenant = false},
};

std::shared_ptr<query::Subscriptions> tails_of(const LokiContext& context) {
  Counter& dropped =
      context.metrics.counter("varve_loki_tails_dropped_total", "Loki tails that read too slowly, and were told so.");
  auto out =
      std::make_shared<query::Subscriptions>(*context.news, context.engine.memory(), context.clock, nullptr, dropped);
  context.metrics.gauge("varve_loki_tails", "Clients of Loki's tail.",
                        [out] { return static_cast<double>(out->subscribers()); });
  return out;
}

}  // namespace

LokiParts::LokiParts(const LokiContext& from, std::optional<MessageIngest> way_in)
    : context(from),
      tails(from.news == nullptr ? nullptr : tails_of(from)),
      ingest(std::move(way_in)),
      questions(from.pool, loki_status_of, QueryMetrics(from.metrics, from.clock, "loki")) {}

void add_loki_questions(Router& router, const LokiContext& context) {
  add_routes(router, std::make_shared<const LokiParts>(context, std::nullopt), kLokiRoutes, loki_error);
}

void add_loki_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const LokiContext loki{*context.messages, context.queries, context.query_pool,
                         context.clock,     context.metrics, context.message_limits.rows_max,
                         context.news,      context.version};
  add_routes(router, std::make_shared<const LokiParts>(loki, MessageIngest(context, "loki")), kLokiRoutes, loki_error);
}

}  // namespace varve::api
