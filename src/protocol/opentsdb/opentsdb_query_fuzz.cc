// SPDX-License-Identifier: Apache-2.0
// Any bytes, as JSON, as m= and as the other texts of a request, give a query or an error with a message; and a query
// keeps the promises of query.h and query_names.h.
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "protocol/opentsdb/query.h"
#include "protocol/opentsdb/query_names.h"

namespace {

using varve::check;
namespace opentsdb = varve::protocol::opentsdb;

constexpr std::int64_t kNow = 1'700'000'000'000;

void check_filters(const std::vector<opentsdb::Filter>& filters) {
  for (const auto& filter : filters) {
    check(!filter.key.empty(), "a filter has a key");
    const bool literal = filter.type <= opentsdb::Filter::Type::not_iliteral_or;
    check(literal == !filter.values.empty(), "a literal filter has values");
  }
}

void check_query(const opentsdb::SubQuery& query) {
  check(!query.metric.empty(), "a query has a metric");
  check_filters(query.filters);
  if (query.downsample) check(query.downsample->count >= 0, "no negative window");
}

template <class T>
bool good(const varve::Result<T>& result) {
  if (!result) check(!result.error().message.empty(), "an error says something");
  return result.has_value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::pair<std::string, std::string>> none;
  const std::vector<std::pair<std::string, std::string>> parameters = {
      {"start", "1h-ago"}, {"m", text}, {"timeseries", text}, {"type", text}};
  if (const auto query = opentsdb::parse_query(text, none, kNow); good(query)) {
    check(!query->range.empty() && !query->queries.empty(), "a query has a range and a part");
    for (const auto& part : query->queries) check_query(part);
  }
  if (const auto query = opentsdb::parse_query(parameters, kNow); good(query)) check_query(query->queries.at(0));
  if (const auto time = opentsdb::parse_time(text, kNow); good(time)) {
    check(*time >= varve::model::kTimestampMin && *time <= varve::model::kTimestampMax, "a time is one");
  }
  for (const auto& lookup : {opentsdb::parse_lookup(parameters), opentsdb::parse_lookup(text)}) {
    if (!good(lookup)) continue;
    for (const auto& [key, value] : lookup->pairs) check(!key.empty() && !value.empty(), "a pair has two sides");
  }
  for (const auto& last : {opentsdb::parse_last(parameters), opentsdb::parse_last(text)}) {
    if (!good(last)) continue;
    for (const auto& series : last->series) check_filters(series.filters);
  }
  good(opentsdb::parse_suggest(parameters));
  good(opentsdb::parse_suggest(text));
  return 0;
}
