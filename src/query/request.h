// SPDX-License-Identifier: Apache-2.0
// Request: what every query language compiles to. Tenant, time range, and per metric which series, how they are grouped
// and what is computed from each group.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "aggregate/pipeline.h"
#include "aggregate/split.h"
#include "base/result.h"
#include "index/matcher.h"
#include "model/time_ranges.h"
#include "query/join.h"

namespace varve::query {

// Each series is a group, in order of their tags.
struct EachSeries {};
using TagKeys = std::vector<std::string>;

// Samples of groups of series, through steps one after the other.
struct Pipeline {
  std::variant<TagKeys, EachSeries> group_by;  // without keys: one group
  std::vector<aggregate::Split> splits;        // of each of those groups' samples, before all stages
  aggregate::Pipeline stages;                  // in order; empty: the samples as they are
  std::uint64_t limit = 0;                     // samples per series, then per group, before aggregation; 0: all
  bool descending = false;                     // of the answer; with a limit also: the newest samples

  // Of group_by; empty where each series is a group.
  [[nodiscard]] const TagKeys& keys() const;
};

// The key of matchers on a metric's name, and of the tag that says it where several metrics are asked for at once.
inline constexpr std::string_view kNameTag = "__name__";
// A metric by its name, or all whose names fit matchers (on kNameTag). The series of the latter have the tag kNameTag:
// groups can be made by it, and answers show it.
using MetricName = std::variant<std::string, index::Matchers>;

struct MetricQuery {
  MetricName metric;
  index::Matchers matchers;  // on tags
  std::variant<Pipeline, Join> how;

  [[nodiscard]] Pipeline& pipeline() { return std::get<Pipeline>(how); }
  [[nodiscard]] const Pipeline& pipeline() const { return std::get<Pipeline>(how); }
  [[nodiscard]] Join& join() { return std::get<Join>(how); }
};

// The metric's name, or of its matchers "{__name__=~…}", for people.
std::string text_of(const MetricName& metric);

// What is made of each metric's samples while they are read: the pipeline, or of a join what comes before it.
Pipeline read_through(const MetricQuery& query);

// The samples of which the answer for `range` is made: some steps look further back. Where that reaches the first or
// the last time that a sample may have, without limit: so windows that reach beyond stand for their samples.
inline model::TimeRange read_range(const Pipeline& pipeline, model::TimeRange range) {
  return model::without_limits({aggregate::reads_from(pipeline.stages, range.first), range.last});
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

  // Who asks waits for no longer; 0: as long as Limits::timeout allows, which is the most in any case.
  std::chrono::milliseconds timeout{};
};

// Errors: invalid. A question is as wrong where there is nothing to ask.
Status check_matchers(const Request& request);
// Error: invalid; there are more than `most`.
Status check_metrics(const Request& request, std::size_t most);

// What the list of running queries shows of one that is no Request: of names, of a search.
Request shown_as(std::string tenant, std::string api, std::string text, std::string metric = {});

}  // namespace varve::query
