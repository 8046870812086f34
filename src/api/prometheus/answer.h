// SPDX-License-Identifier: Apache-2.0
// Answers of Prometheus' API as JSON.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "language/promql/evaluate.h"
#include "protocol/json/writer.h"

namespace varve::api {

// {"status":"success","data":…} with `data` between, then what the answer says besides.
struct PrometheusNotes {
  std::vector<std::string> warnings, infos;
};
std::string prometheus_success(const std::function<void(protocol::json::Writer&)>& data,
                               const PrometheusNotes& notes = {});

inline constexpr std::string_view kTruncated = "results truncated due to limit";

// What the JSON of the result takes, about.
std::size_t prometheus_bytes_of(const language::promql::Answer& answer);
// `limit`: of series; 0: all. True: there were more.
bool limit_series(language::promql::Answer& answer, std::size_t limit);
// "resultType" and "result", within an object.
void write_prometheus_result(protocol::json::Writer& json, const language::promql::Answer& answer,
                             const language::promql::Steps& steps, bool instant);

// 1699999200, or 1699999200.123
void append_prometheus_time(std::string& out, std::int64_t ms);

}  // namespace varve::api
