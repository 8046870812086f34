// SPDX-License-Identifier: Apache-2.0
// Ceres' way out: the HTTP side of its queries and metadata. docs/ceres.md shows requests and answers.
//   GET  /api/query?metricName=…            (the path is OpenTSDB's too, and added by opentsdb_query.h)
//   GET  /api/metadata/{tenants,metricNames,tagKeys,tagValues,metricGroups,devices,tags}
//   POST /api/metadata/search
#pragma once

#include "base/metrics.h"
#include "base/task_pool.h"
#include "http/handler.h"
#include "protocol/ceres/granularity.h"
#include "query/engine.h"

namespace varve::http {

using CeresRetentions = protocol::ceres::Retentions;

// What is referred to must outlive the router and every response that has not been sent.
struct CeresContext {
  query::Engine& engine;
  TaskPool& pool;    // queries run there, never on the thread that calls the handler
  Metrics& metrics;  // varve_queries_total{api}, varve_query_seconds
  CeresRetentions kept;
};

// Answers a GET /api/query that has a parameter metricName or metricGroup.
Handler make_ceres_query(const CeresContext& context);

void add_ceres_metadata(Router& router, const CeresContext& context);

}  // namespace varve::http
