// SPDX-License-Identifier: Apache-2.0
// Prometheus remote read: its request out of protobuf and its answer of samples into protobuf (snappy is another's
// matter). docs/protocols/remote-read.md.
//
//   ReadRequest { repeated Query queries = 1; repeated enum accepted_response_types = 2; }
//   Query { int64 start_timestamp_ms = 1; int64 end_timestamp_ms = 2; repeated LabelMatcher matchers = 3; hints = 4; }
//   LabelMatcher { enum type = 1 (=, !=, =~, !~); string name = 2; string value = 3; }
//   ReadResponse { repeated QueryResult results = 1; }     QueryResult { repeated TimeSeries timeseries = 1; }
//   TimeSeries: as remote write 1.0's
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/tags.h"

namespace varve::protocol::prometheus {

// Views into the request.
struct ReadMatcher {
  enum class Op : std::uint8_t { equal, not_equal, regex, not_regex };
  Op op{};
  std::string_view name, value;
};

struct ReadQuery {
  std::int64_t first_ms = 0, last_ms = 0;  // both belong to it
  std::vector<ReadMatcher> matchers;
};

// Samples are an answer that every client takes, whatever it says it accepts, so that is not read. Errors: invalid (no
// ReadRequest, an operator that nobody knows, a text that is not UTF-8, too many queries or matchers).
inline constexpr std::size_t kReadQueriesMax = 100;
inline constexpr std::size_t kReadMatchersMax = 100;  // of one query
Result<std::vector<ReadQuery>> parse_read_request(std::string_view body);

// A TimeSeries. `labels` are sorted, __name__ among them; as many values as times.
std::string read_series(const model::Tags& labels, std::span<const std::int64_t> times, std::span<const double> values);

// Adds a QueryResult of these TimeSeries to a ReadResponse.
void append_read_result(std::string& response, std::span<const std::string> series);

}  // namespace varve::protocol::prometheus
