// SPDX-License-Identifier: Apache-2.0
// What is counted of queries, alike for all APIs that ask them.
#pragma once

#include <string>
#include <string_view>

#include "base/metrics.h"

namespace varve::http {

inline Counter& queries_asked(Metrics& metrics, std::string_view api) {
  return metrics.counter("varve_queries_total", "Queries asked, by API.", {{"api", std::string(api)}});
}

inline Histogram& query_seconds(Metrics& metrics) {
  return metrics.histogram("varve_query_seconds", "Time a query took until its answer began, seconds.",
                           {0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60});
}

}  // namespace varve::http
