// SPDX-License-Identifier: Apache-2.0
// The catalog: what is known of metrics, tags and series without reading a stored sample, and in which windows of time
// there are samples. docs/http/api.md.
//   GET /api/v1/catalog/metrics[?prefix=]
//   GET /api/v1/catalog/tags[?metric=]
//   GET /api/v1/catalog/series?metric=[&tag=host=a]…[&width=]
//   GET /api/v1/catalog/windows?metric=[&tag=host=a]…[&width=]    catalog_windows.h
// each with [start=&end=][&limit=&after=]: discovery.h
#pragma once

#include <functional>
#include <string_view>

#include "api/shared/http.h"
#include "base/metrics.h"
#include "base/task_pool.h"
#include "query/engine.h"

namespace varve::api {

// What is referred to must outlive the router and every response that has not been sent.
struct CatalogContext {
  const query::Engine& engine;
  TaskPool& pool;
  Metrics& metrics;
  std::function<bool(std::string_view metric)> is_counter;  // a delta counter: its rollups have sums only
};

void add_catalog(Router& router, const CatalogContext& context);

}  // namespace varve::api
