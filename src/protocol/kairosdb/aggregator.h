// SPDX-License-Identifier: Apache-2.0
// One aggregator of a query, parsed and checked as far as KairosDB does before it has data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/time_unit.h"
#include "model/time_zone.h"
#include "protocol/json/tree.h"

namespace varve::protocol::kairosdb {

enum class ReturnType : std::uint8_t { value, pos_sd, neg_sd };
enum class FilterOp : std::uint8_t { lte, lt, gte, gt, equal, ne };

struct ScoreThreshold {
  double value = 0;
  bool inferior = false;  // a value equal to it is above it
};

// Properties that an aggregator does not have stay as they are here.
struct Aggregator {
  // apdex avg count counter_rate dev diff div filter first gaps havg hcount hdev hfilter hmax hmin hpercentile hsum
  // increase last least_squares max merge min movingWindow percent_remaining percentile rate sampler save_as scale
  // score sma sum trim
  std::string name;

  std::int64_t sampling_value = 1;
  model::TimeUnit sampling_unit = model::TimeUnit::milliseconds;
  bool align_sampling = true;
  bool align_start_time = false;
  bool align_end_time = false;
  bool trim_gaps = false;
  model::TimeZone zone;

  // What is said of a name is so of the one with an h in front, too.
  ReturnType return_type = ReturnType::value;   // dev
  double dev_count = 1;                         // dev
  double percentile = 0;                        // not 0
  std::int64_t precision = -1;                  // merge; 0..52, or -1: the least of what is merged
  double target = -1;                           // apdex; at least 0
  double divisor = 0;                           // div; not 0
  double factor = 0;                            // scale
  std::int64_t size = 0;                        // sma; any number: it is wrong only where there is data
  bool trim_first = false;                      // trim
  bool trim_last = false;                       // trim
  FilterOp filter_op = FilterOp::equal;         // filter
  std::variant<double, std::string> threshold;  // filter; of hfilter a number
  bool discard_indeterminate = false;           // filter: of histograms the bins that the threshold is in
  std::vector<ScoreThreshold> thresholds;       // score
  bool descending = false;                      // score

  // Of counters (counter_rate, increase); what is not given is as the series are declared.
  std::optional<std::int64_t> max_gap_ms;  // > 0
  std::optional<bool> is_32_bits, from_zero;
  std::optional<double> max_rate;  // > 0

  std::string metric_name;                                // save_as; not empty
  std::vector<std::pair<std::string, std::string>> tags;  // save_as
  std::int64_t ttl_s = 0;                                 // save_as
  bool add_saved_from = true;                             // save_as
};

// `zone`: the query's. `context`: as query.metric[0].aggregators[0]. Errors: invalid.
Result<Aggregator> aggregator_of(const json::Node& node, model::TimeZone zone, const std::string& context);

}  // namespace varve::protocol::kairosdb
