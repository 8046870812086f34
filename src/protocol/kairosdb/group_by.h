// SPDX-License-Identifier: Apache-2.0
// The group_by of a query's metric: tags, and what splits the samples of a group.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "protocol/json/tree.h"
#include "protocol/kairosdb/query_node.h"

namespace varve::protocol::kairosdb {

struct GroupByTime {
  Length range_size;
  std::int64_t group_count = 0;  // > 0
};
struct GroupByValue {
  std::int64_t range_size = 0;  // > 0
};
struct GroupByBin {
  std::vector<double> bins;  // not empty; in whatever order they were given
};
using Splitter = std::variant<GroupByTime, GroupByValue, GroupByBin>;

struct GroupBy {
  std::vector<std::string> tags;    // of the first grouper by tags; the others do not count, as in KairosDB
  std::vector<Splitter> splitters;  // the others, in order
};

// `list`: may be nullptr. `context`: of the metric. Errors: invalid.
Result<GroupBy> group_by_of(const json::Node* list, const std::string& context);

// What the answer says of a splitter's group, up to its number; "}}" goes behind it.
std::string opening_of(const Splitter& splitter);

}  // namespace varve::protocol::kairosdb
