// SPDX-License-Identifier: Apache-2.0
// KairosDB's lists of names. docs/protocols/kairosdb.md; the parameters of all three beside KairosDB's own:
// discovery.h.
//   GET /api/v1/metricnames[?prefix=]
//   GET /api/v1/tagnames[?metric=][&prefix=]
//   GET /api/v1/tagvalues[?metric=][&tag=][&prefix=]
#pragma once

#include "api/shared/http.h"
#include "base/metrics.h"
#include "base/task_pool.h"
#include "query/engine.h"

namespace varve::api {

// Questions are answered on `pool`. What is referred to must outlive the router and every response that has not been
// sent. Registers varve_queries_total{api="kairosdb_names"} and varve_query_seconds.
void add_kairosdb_names(Router& router, const query::Engine& engine, TaskPool& pool, Metrics& metrics);

}  // namespace varve::api
