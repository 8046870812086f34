// SPDX-License-Identifier: Apache-2.0
// OpenTSDB's way out. docs/opentsdb-query.md shows requests and answers.
//   GET, POST /api/query         GET, POST /api/query/last     GET, POST /api/suggest     GET, POST /api/search/lookup
//   GET, POST /api/aggregators   GET, POST /api/config/filters                            GET, POST /api/version
#pragma once

#include <string>

#include "base/metrics.h"
#include "base/task_pool.h"
#include "http/handler.h"
#include "query/engine.h"

namespace varve::http {

// Queries run on `pool`. A GET /api/query with a parameter metricName or metricGroup is of the Ceres family and goes to
// `ceres`, on the thread that it came on; without a `ceres` it is refused. What is referred to must outlive the router
// and every response that has not been sent. Registers varve_queries_total{api} and varve_query_seconds.
void add_opentsdb_query(Router& router, const query::Engine& engine, TaskPool& pool, Metrics& metrics,
                        std::string version, Handler ceres = {});

}  // namespace varve::http
