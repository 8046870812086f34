// SPDX-License-Identifier: Apache-2.0
// Deletes, exact to the sample: what the API families share.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "api/shared/http.h"
#include "base/metrics.h"
#include "model/time.h"
#include "query/engine.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"

namespace varve::api {

// What is referred to must outlive every delete.
struct DeleteContext {
  query::Engine& engine;  // the deletes' search for series is one of its running queries
  storage::SeriesStore& series;
  storage::SampleStore& samples;
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

}  // namespace varve::api
