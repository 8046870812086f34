// SPDX-License-Identifier: Apache-2.0
// KairosDB's way out: the HTTP side of queries, names and tags. docs/protocols/queries.md shows requests and answers.
//   POST /api/v1/datapoints/query          GET the same with ?query=<json>
//   POST /api/v1/datapoints/query/tags[?exact=true]
// and the lists of names (kairosdb_names.h).
#pragma once

#include <string>
#include <string_view>

#include "api/shared/http.h"
#include "base/metrics.h"
#include "base/task_pool.h"
#include "query/engine.h"
#include "write/writer.h"

namespace varve::api {

// Queries run on `pool`, never on the thread that calls the handler. What is referred to must outlive the router and
// every response that has not been sent. Registers varve_queries_total{api} and varve_query_seconds.
// `writer`: for save_as, which without one is refused.
void add_kairosdb_query(Router& router, query::Engine& engine, TaskPool& pool, Metrics& metrics,
                        write::Writer* writer = nullptr);

}  // namespace varve::api
