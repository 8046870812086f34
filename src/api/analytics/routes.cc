// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/routes.h"

#include <memory>

#include "api/analytics/errors.h"
#include "api/analytics/handlers.h"
#include "api/analytics/later_answer.h"
#include "api/shared/routes.h"
#include "base/check.h"

namespace varve::api {
namespace {

using Analytics = AnalyticsParts;

// A table's name would take what is behind it, and so would a query's id: the longest patterns first.
constexpr Route<Analytics> kAnalyticsRoutes[] = {
    {.pattern = "/analytics", .answer = Itself{show_start}, .needs_tenant = false},
    {Method::get, "/analytics/tables", OnPool{list_tables, &Analytics::lists}},
    {Method::get, "/analytics/table/{table}/schema", OnPool{show_schema, &Analytics::lists}},
    {Method::get, "/analytics/table/{table}/column-values", OnPool{list_columns, &Analytics::lists}},
    {Method::get, "/analytics/table/{table}/column-values/{column}", OnPool{list_column_values, &Analytics::lists}},
    {Method::get, "/analytics/table/{table}", OnPool{show_table, &Analytics::lists}},
    {Method::get, "/analytics/operation/analytics-data-start-time", OnPool{show_data_start, &Analytics::lists}},

    {.method = Method::post,
     .pattern = "/analytics/query",
     .answer = OnPool{query_messages, &Analytics::queries},
     .answers_later = true},
    {Method::get, "/analytics/query/{id}/chunk-final/{number}", OnPool{show_later_chunk, &Analytics::lists}},
    {Method::get, "/analytics/query/{id}", OnPool{show_later_query, &Analytics::lists}},
    {Method::get, "/analytics/queries", OnPool{list_later_queries, &Analytics::lists}},

    {Method::post, "/api/v1/messages/delete", OnPool{delete_messages, &Analytics::deletes}, Effect::deletes},
    {Method::post, "/analytics/operation/database-purge", OnPool{purge_messages, &Analytics::lists}, Effect::deletes},
};

storage::MessageStore& store_of_messages(const Context& context) {
  check(context.messages != nullptr && context.news != nullptr, "the engine keeps messages, and tells of them");
  return *context.messages;
}

std::shared_ptr<query::Subscriptions> followers_of(const Context& context) {
  Metrics& metrics = context.metrics;
  Counter& compared = metrics.counter("varve_followed_messages_total",
                                      "Messages that were compared with what is followed, once for each question.");
  Counter& dropped =
      metrics.counter("varve_followers_dropped_total", "Followers that read too slowly, and were told so.");
  auto out = std::make_shared<query::Subscriptions>(*context.news, context.queries.memory(), context.clock, &compared,
                                                    dropped);
  metrics.gauge("varve_followers", "Clients that follow messages.",
                [out] { return static_cast<double>(out->subscribers()); });
  metrics.gauge("varve_followed_questions", "Different questions that they ask.",
                [out] { return static_cast<double>(out->questions()); });
  return out;
}

}  // namespace

AnalyticsParts::AnalyticsParts(const Context& context)
    : source{store_of_messages(context), context.queries, context.clock, context.message_limits.rows_max},
      store(*context.messages),
      followers(followers_of(context)),
      later(make_later_queries(source, context)),
      purging({source, store, context.slots, context.slow_pool}),
      queries(context.query_pool, analytics_status_of, QueryMetrics(context.metrics, context.clock, "analytics")),
      lists(context.query_pool, analytics_status_of),
      deletes(context.slow_pool, analytics_status_of) {}  // they may take minutes

void add_analytics_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  add_routes(router, std::make_shared<const AnalyticsParts>(context), kAnalyticsRoutes, http::plain_error);
}

}  // namespace varve::api
