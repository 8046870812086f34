// SPDX-License-Identifier: Apache-2.0
// What is counted of queries, alike for all APIs that ask them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"

namespace varve::api {

// varve_queries_total{api} and varve_query_seconds{api}. Names are another API than the queries of the same product.
class QueryMetrics {
 public:
  QueryMetrics(Metrics& metrics, const Clock& clock, std::string_view api)
      : clock_(clock),
        asked_(metrics.counter("varve_queries_total", "Queries asked, by API.", {{"api", std::string(api)}})),
        seconds_(metrics.histogram("varve_query_seconds", "Time a query took until its answer began, seconds, by API.",
                                   {0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60}, {{"api", std::string(api)}})) {}

  // Counts a query, and says when it began.
  [[nodiscard]] std::int64_t asked() const {
    asked_.add();
    return clock_.steady_ns();
  }
  void answered(std::int64_t start_ns) const {
    seconds_.observe(static_cast<double>(clock_.steady_ns() - start_ns) * 1e-9);
  }

 private:
  const Clock& clock_;
  Counter& asked_;
  Histogram& seconds_;
};

}  // namespace varve::api
