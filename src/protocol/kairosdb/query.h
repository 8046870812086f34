// SPDX-License-Identifier: Apache-2.0
// The query language of KairosDB, as far as varve has it: JSON → Query. Lenient where KairosDB is (numbers as strings,
// unquoted names, unknown fields outside aggregators), and errors in its words, naming the place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/time.h"
#include "model/time_unit.h"

namespace varve::protocol::kairosdb {

struct Aggregator {
  std::string name;  // one of avg sum min max count first last
  std::int64_t sampling_value = 1;
  model::TimeUnit sampling_unit = model::TimeUnit::milliseconds;
  bool align_sampling = true;
  bool align_start_time = false;
  bool align_end_time = false;
};

// A series must have one of the values; "regex:" in front of a value makes it an expression for the whole value.
struct TagFilter {
  std::string key;
  std::vector<std::string> values;  // not empty, none is ""
};

struct QueryMetric {
  std::string name;
  std::vector<TagFilter> tags;
  std::vector<Aggregator> aggregators;
  std::vector<std::string> group_by;  // tag keys
  std::uint64_t limit = 0;            // 0: none
  bool descending = false;
  bool exclude_tags = false;
};

struct Query {
  model::TimeRange range;
  std::vector<QueryMetric> metrics;
};

// What may follow a query's `limit`, `order` and so on is checked here; what needs data (a sampling of 0) is not.
// `now`: what relative times are relative to. Errors: invalid, unsupported (a group_by or time zone of later issues).
Result<Query> parse_query(std::string_view json, model::Timestamp now);

inline constexpr std::string_view kRegexPrefix = "regex:";

}  // namespace varve::protocol::kairosdb
