// SPDX-License-Identifier: Apache-2.0
#include "protocol/ceres/query.h"

#include <algorithm>
#include <array>

#include "protocol/ceres/parameters.h"
#include "protocol/ceres/time.h"

namespace varve::protocol::ceres {

namespace {

constexpr std::array<std::string_view, 7> kQueryParameters = {"metricName",  "metricGroup", "tag", "aggregator",
                                                              "granularity", "start",       "end"};
constexpr std::array<std::string_view, 8> kAggregators = {"raw", "min",   "max",      "sum",
                                                          "avg", "count", "increase", "counter_rate"};

// The end of the value that begins at `from`: the first comma behind which another k=v begins, or the end.
std::size_t value_end(std::string_view text, std::size_t from) {
  for (std::size_t comma = text.find(',', from); comma != std::string_view::npos; comma = text.find(',', comma + 1)) {
    const std::size_t next = std::min(text.find(',', comma + 1), text.size());
    if (text.substr(comma, next - comma).find('=') != std::string_view::npos) return comma;
  }
  return text.size();
}

}  // namespace

Status parse_tags(std::string_view text, TagPairs& out) {
  for (;;) {
    while (text.starts_with(',')) text.remove_prefix(1);
    if (text.empty()) return {};
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return fail(Code::invalid, "tag " + in_quotes(text) + " is not key=value");
    const std::size_t end = value_end(text, equals + 1);
    const std::string_view key = text.substr(0, equals);
    std::string_view value = text.substr(equals + 1, end - equals - 1);
    while (value.ends_with(',')) value.remove_suffix(1);
    if (key.empty()) return fail(Code::invalid, "tag " + in_quotes(text) + " has no key");
    if (value.empty()) return fail(Code::invalid, "tag " + in_quotes(key) + " has no value");
    if (std::ranges::any_of(out, [&](const auto& pair) { return pair.first == key; })) {
      return fail(Code::invalid, "tag " + in_quotes(key) + " stands twice");
    }
    out.emplace_back(key, value);
    text.remove_prefix(end);
  }
}

Result<Query> parse_query(std::span<const Parameter> parameters, std::string_view tenant, model::Timestamp now) {
  VARVE_RETURN_IF_ERROR(check_parameters(parameters, kQueryParameters, tenant));
  Query out;
  for (const auto& [name, value] : parameters) {
    if (name == "tag") VARVE_RETURN_IF_ERROR(parse_tags(value, out.tags));
  }
  VARVE_ASSIGN_OR_RETURN(const Subject subject, subject_of(parameters));
  (subject.is_group ? out.metric_group : out.metric_name) = subject.name;

  out.aggregator = parameter(parameters, "aggregator").value_or("raw");
  if (std::ranges::find(kAggregators, out.aggregator) == kAggregators.end()) {
    return fail(Code::invalid, "the aggregator " + in_quotes(out.aggregator) +
                                   " is none of raw, min, max, sum, avg, count, increase, counter_rate");
  }
  if (const auto granularity = parameter(parameters, "granularity")) {
    VARVE_ASSIGN_OR_RETURN(const std::int64_t width, parse_granularity(*granularity));
    if (out.aggregator != "raw") out.granularity_ms = width;
  }

  const auto start = parameter(parameters, "start");
  if (!start) return fail(Code::invalid, "Required parameter 'start' is not present");
  VARVE_ASSIGN_OR_RETURN(out.range.first, parse_time(*start, now));
  out.range.last = now;
  if (const auto end = parameter(parameters, "end")) {
    VARVE_ASSIGN_OR_RETURN(out.range.last, parse_time(*end, now));
  }
  if (out.range.last < out.range.first) return fail(Code::invalid, "the end lies before the start");
  return out;
}

}  // namespace varve::protocol::ceres
