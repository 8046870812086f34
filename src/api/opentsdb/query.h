// SPDX-License-Identifier: Apache-2.0
// OpenTSDB's way out. docs/protocols/opentsdb-query.md shows requests and answers.
//   GET, POST /api/query         GET, POST /api/query/last     GET, POST /api/suggest     GET, POST /api/search/lookup
//   GET, POST /api/aggregators   GET, POST /api/config/filters                            GET, POST /api/version
#pragma once

#include <string>

#include "api/shared/http.h"
#include "base/metrics.h"
#include "base/task_pool.h"
#include "query/engine.h"

namespace varve::api {

// Queries run on `pool`. What is referred to must outlive the router and every response that has not been sent.
// Registers varve_queries_total{api} and varve_query_seconds.
void add_opentsdb_query(Router& router, const query::Engine& engine, TaskPool& pool, Metrics& metrics,
                        const std::string& version);

}  // namespace varve::api
