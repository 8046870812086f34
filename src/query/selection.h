// SPDX-License-Identifier: Apache-2.0
// Selection: the series that a metric query names, of one metric or of several.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "query/budget.h"
#include "query/deadline.h"
#include "query/request.h"
#include "query/tag_table.h"
#include "storage/series_store.h"

namespace varve::query {

struct Selection {
  std::vector<model::SeriesId> series;  // ascending
  SeriesMetrics metrics;                // empty if the query names one metric
};

// Is given the series of one metric, ascending. An error ends the walk.
using FoundSeries = std::function<Status(const std::string& metric, std::span<const model::SeriesId> series)>;

// Calls `found` for each metric of that name, or of those names, that has series that fit, in order of names. Series
// that have no sample in `seen` may be left out. Errors: invalid (a bad regex), timeout, cancelled, what `found` said.
Status for_each_metric(const storage::SeriesStore& store, model::TenantId tenant, const MetricName& metric,
                       const index::Matchers& matchers, model::TimeRange seen, const Deadline& deadline,
                       const FoundSeries& found);

// `seen` as above. Errors: invalid (a bad regex), limit; timeout and cancelled, where metrics are looked for by
// matchers.
Result<Selection> select(const storage::SeriesStore& store, model::TenantId tenant, const MetricQuery& query,
                         model::TimeRange seen, const Deadline& deadline, Budget& budget);

}  // namespace varve::query
