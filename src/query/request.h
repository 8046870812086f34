// SPDX-License-Identifier: Apache-2.0
// Request: what every query API compiles to. Tenant, time range, and per metric which series, how they are grouped
// and what is computed from each group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregate/stage.h"
#include "index/matcher.h"
#include "model/time.h"

namespace varve::query {

struct MetricQuery {
  std::string metric;
  index::Matchers matchers;
  std::vector<std::string> group_by;     // tag keys; empty: one group
  std::vector<aggregate::Stage> stages;  // a pipeline, in order; empty: the samples as they are
  std::uint64_t limit = 0;               // samples per series, then per group, before aggregation; 0: all
  bool descending = false;               // of the answer; with a limit also: the newest samples
};

struct Request {
  std::string tenant;
  model::TimeRange range;  // half-open, milliseconds
  std::vector<MetricQuery> metrics;
};

}  // namespace varve::query
