// SPDX-License-Identifier: Apache-2.0
// Ceres' way out: the HTTP side of its queries and metadata. docs/protocols/ceres.md shows requests and answers.
//   GET  /api/query?metricName=…            (the path is OpenTSDB's, too)
//   GET  /api/metadata/{tenants,metricNames,tagKeys,tagValues,metricGroups,devices,tags}
//   POST /api/metadata/search
#pragma once

#include "api/shared/context.h"
#include "api/shared/http.h"
#include "base/metrics.h"
#include "base/task_pool.h"
#include "protocol/ceres/granularity.h"
#include "query/engine.h"

namespace varve::api {

// What is referred to must outlive the router and every response that has not been sent.
struct CeresContext {
  query::Engine& engine;
  TaskPool& pool;    // queries run there, never on the thread that calls the handler
  Metrics& metrics;  // varve_queries_total{api}, varve_query_seconds
  CeresRetentions kept;
};

Handler make_ceres_query(const CeresContext& context);
// Of OpenTSDB's route GET /api/query, which has to be there: the requests with a parameter metricName or metricGroup.
void add_ceres_query(Router& router, const CeresContext& context);

void add_ceres_metadata(Router& router, const CeresContext& context);

}  // namespace varve::api
