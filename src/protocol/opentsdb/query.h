// SPDX-License-Identifier: Apache-2.0
// OpenTSDB's queries, from a JSON body or from URL parameters, as one structure. docs/protocols/opentsdb-query.md says
// what is taken. Names of aggregators are checked by whoever computes them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/time.h"
#include "model/time_unit.h"
#include "protocol/opentsdb/query_filter.h"

namespace varve::protocol::opentsdb {

struct Downsample {
  enum class Fill : std::uint8_t { none, zero, nan };
  std::string text;        // as it was written
  std::int64_t count = 0;  // windows of so many units; 0: one window, the whole range
  model::TimeUnit unit = model::TimeUnit::milliseconds;
  bool calendar = false;  // windows begin at boundaries of the calendar; else they count from 1970, and a month is of
                          // 30 days, a year of 365
  std::string function;
  Fill fill = Fill::none;
};

struct RateOptions {
  bool counter = false;
  std::int64_t counter_max = std::numeric_limits<std::int64_t>::max();
  std::int64_t reset_value = 0;
  bool drop_resets = false;
  bool delta_only = false;
};

struct SubQuery {
  std::string metric;
  std::string aggregator;  // "": not said, as clients of Ceres do
  std::optional<Downsample> downsample;
  std::optional<RateOptions> rate;
  std::vector<Filter> filters;
  bool explicit_tags = false;  // series that have just the tags that the filters name
};

struct Query {
  model::TimeRange range;
  std::vector<SubQuery> queries;  // not empty
  bool ms = false;                // times in milliseconds
  bool arrays = false;            // [[time,value],…] instead of {"time":value,…}
  bool show_query = false;
  bool show_summary = false;
};

using Parameters = std::span<const std::pair<std::string, std::string>>;

// POST: body and parameters (only `arrays` counts among them). GET: parameters with start, end, m …
// `now` is what relative times are relative to. Errors: invalid, unsupported (tsuids, delete, another time zone).
Result<Query> parse_query(std::string_view json, Parameters parameters, model::Timestamp now);
Result<Query> parse_query(Parameters parameters, model::Timestamp now);

// sum:1m-avg-zero:rate{counter}:explicit_tags:cpu{host=*}{dc=literal_or(a|b)}
Result<SubQuery> parse_m(std::string_view text);
// 1m-avg, 30s-max-nan, 1dc-sum, 0all-count
Result<Downsample> parse_downsample(std::string_view text);
// The time of `start` and `end`: 1h-ago, now, 2013/01/01-00:00:00, 2020-11-10T14:24:35Z, seconds, milliseconds,
// seconds.milliseconds.
Result<model::Timestamp> parse_time(std::string_view text, model::Timestamp now);

// The parameter is there, and its value is not "false".
bool flag_of(Parameters parameters, std::string_view name);
const std::string* find_parameter(Parameters parameters, std::string_view name);

}  // namespace varve::protocol::opentsdb
