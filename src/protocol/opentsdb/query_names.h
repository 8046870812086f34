// SPDX-License-Identifier: Apache-2.0
// OpenTSDB's questions beside the query itself: names (suggest), series (search/lookup), newest samples (query/last).
// Each comes as URL parameters or as a JSON body.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "protocol/opentsdb/query.h"

namespace varve::protocol::opentsdb {

struct Suggest {
  enum class Type : std::uint8_t { metrics, tag_keys, tag_values };
  Type type = Type::metrics;
  std::string prefix;
  std::size_t max = 25;
};
Result<Suggest> parse_suggest(Parameters parameters);
Result<Suggest> parse_suggest(std::string_view json);

struct Lookup {
  std::string metric;                                      // "": all
  std::vector<std::pair<std::string, std::string>> pairs;  // "*" on either side: any
  std::size_t limit = 25;
  std::size_t start_index = 0;
};
Result<Lookup> parse_lookup(Parameters parameters);
Result<Lookup> parse_lookup(std::string_view json);

struct LastQuery {
  struct Series {
    std::string metric;
    std::vector<Filter> filters;
  };
  std::vector<Series> series;        // not empty
  bool resolve = false;              // answer with metric and tags
  std::int64_t back_scan_hours = 0;  // 0: all of time; at most 10^7
};
Result<LastQuery> parse_last(Parameters parameters);
Result<LastQuery> parse_last(std::string_view json);

}  // namespace varve::protocol::opentsdb
