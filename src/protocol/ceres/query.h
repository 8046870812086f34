// SPDX-License-Identifier: Apache-2.0
// Ceres' GET /api/query: parameters of a URL → Query. Strict: a parameter that means nothing here is an error, since
// ignoring a mistyped one would answer another question.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/time.h"
#include "protocol/ceres/parameters.h"

namespace varve::protocol::ceres {

using TagPairs = std::vector<std::pair<std::string, std::string>>;

// The tags that make groups of metrics and name devices.
inline constexpr std::string_view kGroupTag = "metricGroup";
inline constexpr std::string_view kDeviceTag = "resource";

struct Query {
  std::string metric_name;  // one of these two is not empty
  std::string metric_group;
  TagPairs tags;                    // all must hold; each key once, no value is ""
  std::string aggregator;           // raw min max sum avg count
  std::int64_t granularity_ms = 0;  // 0: to be chosen (or raw)
  model::TimeRange range;           // not before its start; may be empty
};

// `tenant`: of the request; a parameter that names another one is refused, because nothing else may choose it.
// Errors: invalid, naming the parameter.
Result<Query> parse_query(std::span<const Parameter> parameters, std::string_view tenant, model::Timestamp now);

// "os=linux,host=h-1," → two pairs, appended. A comma parts two pairs where a k= follows it or the text ends; other
// commas belong to the value. Errors: invalid (no '=', an empty key or value, a key that was there before).
Status parse_tags(std::string_view text, TagPairs& out);

}  // namespace varve::protocol::ceres
