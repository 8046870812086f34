// SPDX-License-Identifier: Apache-2.0
// Deletes, exact to the sample: what the API families share, and their routes.
//   DELETE /api/v1/metric/{name}   POST /api/v1/datapoints/delete                                    KairosDB
//   DELETE /api/metric   /api/metric/metricName/{name}   /api/metric/metricGroup/{group}             Ceres
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "api/shared/http.h"
#include "base/metrics.h"
#include "base/task_pool.h"
#include "model/time.h"
#include "query/engine.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"

namespace varve::api {

// What is referred to must outlive the router and every response that has not been sent.
struct DeleteContext {
  query::Engine& engine;  // the deletes' search for series is one of its running queries
  storage::SeriesStore& series;
  storage::SampleStore& samples;
  TaskPool& pool;    // deletes run there: one that may be busy for minutes
  Metrics& metrics;  // varve_deletes_total{api}, varve_samples_deleted_total
};

// What is to go: samples of the tenant's series that fit all matchers.
struct Selection {
  std::string tenant;
  std::optional<std::string> metric;  // none: of every metric
  index::Matchers matchers;
  model::TimeRange range;
};

// Who asks for a delete, and in which words.
struct Asker {
  std::string api;
  std::string text;  // for the list of running queries
  std::string peer;  // the address that it came from
};

// Erases, and forgets the series of which nothing is left. The log says who deleted what. Blocking. Errors: as of a
// query, unavailable (disk full) and conflict (the server's own tenant).
Status erase_selection(const DeleteContext& context, const Selection& selection, const Asker& asker,
                       std::atomic<bool>* gone);

void add_kairosdb_delete(Router& router, const DeleteContext& context);
void add_ceres_delete(Router& router, const DeleteContext& context);

}  // namespace varve::api
