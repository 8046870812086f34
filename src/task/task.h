// SPDX-License-Identifier: Apache-2.0
// Task: a roll-up task as KairosDB has it: queries whose answers are written as metrics, again and again.
//
//   {"name":"R","execution_interval":{"value":1,"unit":"hours"},
//    "rollups":[{"save_as":"m_1h","query":{"start_relative":…,"metrics":[{"name":"m","aggregators":[…]}]}}]}
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/stage.h"
#include "base/result.h"
#include "model/time_unit.h"

namespace varve::task {

// What a run has to know of one metric of a query beside the query itself.
struct MetricPlan {
  std::string metric;
  aggregate::Sampling sampling;  // of the last aggregator over ranges: what is saved at a time
  bool stamps_end = false;       // points bear the end of their window
  bool looks_back = false;       // something before it looks at earlier samples
};

struct Rollup {
  std::string save_as;
  std::string query;  // JSON
  std::string time_zone;
  std::vector<MetricPlan> metrics;
};

struct Task {
  std::string id;
  std::string name;
  std::int64_t interval = 1;
  model::TimeUnit interval_unit = model::TimeUnit::hours;
  std::vector<Rollup> rollups;
  std::string json;  // as it was given, with its id in front
};

// Is this a good query? Errors: invalid.
using CheckQuery = std::function<Status(std::string_view json)>;

// `id` stands in the task whatever the JSON says. Else all that is wrong, in KairosDB's words.
std::expected<Task, std::vector<std::string>> parse_task(std::string_view json, const std::string& id,
                                                         const CheckQuery& check);

}  // namespace varve::task
