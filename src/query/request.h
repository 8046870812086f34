// SPDX-License-Identifier: Apache-2.0
// Request: what every query API compiles to. Tenant, time range, and per metric which series, how they are grouped
// and what is computed from each group.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/pipeline.h"
#include "aggregate/split.h"
#include "index/matcher.h"
#include "model/time.h"
#include "query/join.h"

namespace varve::query {

struct MetricQuery {
  std::string metric;
  index::Matchers matchers;
  std::vector<std::string> group_by;     // tag keys; empty: one group
  bool each_series = false;              // each series is a group, in order of their tags; group_by has no say then
  std::vector<aggregate::Split> splits;  // of each of those groups' samples, before all stages
  aggregate::Pipeline stages;            // in order; empty: the samples as they are
  std::uint64_t limit = 0;               // samples per series, then per group, before aggregation; 0: all
  bool descending = false;               // of the answer; with a limit also: the newest samples
  std::optional<Join> join;              // of the series' answers; needs each_series, ascending
};

// The samples of which the metric's answer for `range` is made: some steps look further back.
inline model::TimeRange read_range(const MetricQuery& query, model::TimeRange range) {
  return {aggregate::reads_from(query.stages, range.first), range.last};
}

struct Group;  // answer.h

struct Request {
  std::string tenant;
  model::TimeRange range;  // half-open, milliseconds
  std::vector<MetricQuery> metrics;

  // Is told when a group's points come to a SaveAs, which may be before an error is found. `group` has all but its
  // points. One thread at a time. Its error ends the query.
  std::function<Status(const MetricQuery&, const Group& group, const aggregate::SaveAs&, const aggregate::Points&)>
      save;

  // For the list of running queries: who asks, and in which words.
  std::string api;
  std::string text;
};

// What the list of running queries shows of one that is no Request: of names, of a search.
Request shown_as(std::string tenant, std::string api, std::string text, std::string metric = {});

}  // namespace varve::query
