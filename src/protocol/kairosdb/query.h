// SPDX-License-Identifier: Apache-2.0
// The query language of KairosDB: JSON → Query. Lenient where KairosDB is (numbers as strings,
// unquoted names, unknown fields outside aggregators), and errors in its words, naming the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/time.h"
#include "protocol/kairosdb/aggregator.h"
#include "protocol/kairosdb/group_by.h"

namespace varve::protocol::kairosdb {

// A series must have one of the values; "regex:" in front of a value makes it an expression for the whole value.
struct TagFilter {
  std::string key;
  std::vector<std::string> values;  // not empty, none is ""
};

struct QueryMetric {
  std::string name;
  std::vector<TagFilter> tags;
  std::vector<Aggregator> aggregators;
  GroupBy group_by;
  std::uint64_t limit = 0;  // 0: none
  bool descending = false;
  bool exclude_tags = false;
};

struct Query {
  model::TimeRange range;
  std::vector<QueryMetric> metrics;
};

// What may follow a query's `limit`, `order` and so on is checked here; what needs data (a sampling of 0) is not.
// `now`: what relative times are relative to. Errors: invalid (also more than `metrics_max`, of which no more are
// read), unavailable (ParseMemory).
Result<Query> parse_query(std::string_view json, model::Timestamp now, std::size_t metrics_max = 1'000'000);

inline constexpr std::string_view kRegexPrefix = "regex:";

}  // namespace varve::protocol::kairosdb
