// SPDX-License-Identifier: Apache-2.0
// Any bytes give a query or an error with a message, and what is given keeps the promises of query.h.
#include "protocol/kairosdb/query.h"

#include <string>

#include "base/check.h"

using varve::check;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto query = varve::protocol::kairosdb::parse_query(text, 1'700'000'000'000);
  if (!query) {
    check(!query.error().message.empty(), "an error says something");
    return 0;
  }
  for (const auto& metric : query->metrics) {
    check(!query->range.empty(), "a query has a range");
    check(!metric.name.empty(), "a metric has a name");
    for (const auto& filter : metric.tags) check(!filter.key.empty() && !filter.values.empty(), "a filter has values");
    for (const auto& aggregator : metric.aggregators) check(aggregator.sampling_value >= 0, "no negative sampling");
  }
  return 0;
}
