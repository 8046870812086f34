// SPDX-License-Identifier: Apache-2.0
// Any parameters give a query that keeps the promises of query.h, or an error with a message; any text is a time and a
// width, or not. The input: lines of name=value.
#include <string>
#include <vector>

#include "base/check.h"
#include "protocol/ceres/granularity.h"
#include "protocol/ceres/query.h"
#include "protocol/ceres/time.h"

namespace ceres = varve::protocol::ceres;
using varve::check;

namespace {

std::vector<ceres::Parameter> parameters_of(std::string_view text) {
  std::vector<ceres::Parameter> out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto equals = std::min(line.find('='), line.size());
    out.emplace_back(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  constexpr varve::model::Timestamp kNow = 1'700'000'000'000;
  const auto parameters = parameters_of({reinterpret_cast<const char*>(data), size});
  for (const auto& [name, value] : parameters) {
    if (const auto t = ceres::parse_time(value, kNow)) {
      std::string text;
      ceres::append_instant(text, *t);
      check(ceres::parse_time(text, kNow).value_or(*t + 1) == *t, "an instant is read as it is written");
    }
    if (const auto ms = ceres::parse_granularity(value)) {
      check(*ms > 0, "a width is positive");
      check(ceres::parse_granularity(ceres::granularity_text(*ms)).value_or(0) == *ms, "and reads as it is written");
    }
  }
  const auto query = ceres::parse_query(parameters, "t", kNow);
  if (!query) {
    check(!query.error().message.empty(), "an error says something");
    return 0;
  }
  check(query->metric_name.empty() != query->metric_group.empty(), "a name or a group");
  check(query->range.first <= query->range.last, "the end is not before the start");
  check(query->granularity_ms >= 0, "a width or none");
  for (const auto& [key, value] : query->tags) check(!key.empty() && !value.empty(), "a tag has both");
  const ceres::Retentions kept{1000, {{60'000, 86'400'000}, {3'600'000, 31'536'000'000}}};
  check(ceres::pick_granularity(kept, query->range, kNow).has_value(), "there is always a width");
  return 0;
}
