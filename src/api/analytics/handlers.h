// SPDX-License-Identifier: Apache-2.0
// What answers the routes of Contrail's analytics API, and the parts that it is answered from. routes.cc has the table
// of them.
#pragma once

#include <memory>

#include "api/analytics/purge.h"
#include "api/shared/context.h"
#include "api/shared/endpoint.h"
#include "api/shared/http.h"
#include "language/analytics/answering.h"
#include "language/analytics/later_queries.h"
#include "query/messages/subscriptions.h"

namespace varve::api {

// Outlives the router, as everything that it refers to.
struct AnalyticsParts {
  explicit AnalyticsParts(const Context& context);

  language::analytics::MessageSource source;
  storage::MessageStore& store;  // that of the source
  std::shared_ptr<query::Subscriptions> followers;
  std::shared_ptr<language::analytics::LaterQueries> later;
  Purging purging;
  Endpoint queries, lists, deletes;
};

// query.cc: all rows in one answer, or, as NDJSON, piece by piece.
Result<Response> query_messages(const AnalyticsParts& parts, const Request& request);

// schema.cc: what there is to ask for: tables, their columns, the values of these, and since when.
void show_start(const AnalyticsParts& parts, const Request& request, const Responder& respond);
Result<Response> list_tables(const AnalyticsParts& parts, const Request& request);
Result<Response> show_table(const AnalyticsParts& parts, const Request& request);
Result<Response> show_schema(const AnalyticsParts& parts, const Request& request);
Result<Response> list_columns(const AnalyticsParts& parts, const Request& request);
Result<Response> list_column_values(const AnalyticsParts& parts, const Request& request);
Result<Response> show_data_start(const AnalyticsParts& parts, const Request& request);

// later_answer.cc: queries that are answered later.
Result<Response> show_later_query(const AnalyticsParts& parts, const Request& request);
Result<Response> show_later_chunk(const AnalyticsParts& parts, const Request& request);
Result<Response> list_later_queries(const AnalyticsParts& parts, const Request& request);

// delete.cc: {"table":…,"start_time":…,"end_time":…,"where":…} → {"deleted":N}
Result<Response> delete_messages(const AnalyticsParts& parts, const Request& request);

// purge.cc
Result<Response> purge_messages(const AnalyticsParts& parts, const Request& request);

}  // namespace varve::api
