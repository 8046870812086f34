// SPDX-License-Identifier: Apache-2.0
// Selection: the series that a metric query names, of one metric or of several.
#pragma once

#include <cstdint>
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

// Errors: invalid (a bad regex), limit; timeout and cancelled, where metrics are looked for by matchers.
Result<Selection> select(const storage::SeriesStore& store, model::TenantId tenant, const MetricQuery& query,
                         const Deadline& deadline, Budget& budget);

}  // namespace varve::query
