// SPDX-License-Identifier: Apache-2.0
// Plan of one metric of a request: the series it selects and the groups they fall into.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/answer.h"
#include "query/budget.h"
#include "query/deadline.h"
#include "query/request.h"
#include "query/tag_table.h"
#include "storage/series_store.h"

namespace varve::query {

struct PlannedGroup {
  std::vector<std::string> values;         // of Pipeline::keys()
  std::span<const std::uint32_t> members;  // positions in Plan::series, ascending
};

struct Plan {
  std::vector<model::SeriesId> series;  // ascending
  TagTable tags;
  std::vector<std::uint32_t> group_of;  // of each series
  std::vector<PlannedGroup> groups;
  std::vector<std::uint32_t> members;  // of all groups, one after the other
  std::vector<std::uint32_t> order;    // groups in order of their concatenated values
};

// `pipeline`: read_through(query). `seen`: series without samples there may be left out. Errors: invalid (a bad regex,
// a window without width over series that exist), limit; timeout and cancelled, where metrics are looked for by
// matchers.
Result<Plan> make_plan(const storage::SeriesStore& store, model::TenantId tenant, const MetricQuery& query,
                       const Pipeline& pipeline, model::TimeRange seen, const Deadline& deadline, Budget& budget);

// A group of the answer, without points. `seen`: its series that have samples of the kind.
Group without_points(const Plan& plan, std::uint32_t group, model::ValueKind kind, std::span<const std::uint32_t> seen);

}  // namespace varve::query
