// SPDX-License-Identifier: Apache-2.0
#include "api/prometheus/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "api/shared/form.h"
#include "language/promql/check.h"
#include "language/promql/duration.h"
#include "language/promql/parser.h"
#include "protocol/rfc3339.h"

namespace varve::api {
namespace {

namespace promql = language::promql;

constexpr std::size_t kPrometheusStepsMax = 11'000;
constexpr double kSecondsMax = 9e12;  // beyond all samples: in milliseconds what a double still counts

std::optional<double> seconds_in(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || std::isnan(number)) return std::nullopt;
  return std::clamp(number, -kSecondsMax, kSecondsMax);
}

std::int64_t rounded_ms(double seconds) {
  double whole = 0;
  const double part = std::modf(seconds, &whole);
  return static_cast<std::int64_t>(whole) * 1000 + static_cast<std::int64_t>(std::round(part * 1000));
}

std::string quoted_text(std::string_view text) { return "\"" + std::string(text.substr(0, 100)) + "\""; }

}  // namespace

std::unexpected<Error> bad_prometheus_parameter(std::string_view name, const std::string& why) {
  return fail(Code::invalid, "invalid parameter \"" + std::string(name) + "\": " + why);
}

// What the form says counts.
Result<PrometheusParameters> PrometheusParameters::of(const Request& request) {
  PrometheusParameters out;
  VARVE_ASSIGN_OR_RETURN(out.parameters_, form_of(request));
  out.parameters_.insert(out.parameters_.end(), request.query.begin(), request.query.end());
  return out;
}

std::optional<std::string_view> PrometheusParameters::get(std::string_view name) const {
  const auto found = std::ranges::find_if(parameters_, [&](const auto& one) { return one.first == name; });
  if (found == parameters_.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

Result<std::int64_t> PrometheusParameters::time_ms(std::string_view name,
                                                   std::optional<std::int64_t> unless_said) const {
  const auto text = get(name);
  if (!text && unless_said) return *unless_said;
  if (const auto seconds = seconds_in(text.value_or(""))) return rounded_ms(*seconds);
  if (const auto time = protocol::read_rfc3339(text.value_or("")))
    return time->us / 1000 - (time->us % 1000 < 0 ? 1 : 0);
  return bad_prometheus_parameter(name, "cannot parse " + quoted_text(text.value_or("")) + " to a valid timestamp");
}

Result<std::int64_t> PrometheusParameters::duration_ms(std::string_view name,
                                                       std::optional<std::int64_t> unless_said) const {
  const auto text = get(name);
  if (!text && unless_said) return *unless_said;
  if (const auto seconds = seconds_in(text.value_or(""))) {
    if (std::abs(*seconds) * 1e9 < static_cast<double>(std::numeric_limits<std::int64_t>::max())) {
      return rounded_ms(*seconds);
    }
    return bad_prometheus_parameter(name,
                                    "cannot parse " + quoted_text(*text) + " to a valid duration. It overflows int64");
  }
  if (const auto ms = promql::duration_ms(text.value_or(""))) return *ms;
  return bad_prometheus_parameter(name, "cannot parse " + quoted_text(text.value_or("")) + " to a valid duration");
}

Result<std::size_t> PrometheusParameters::limit() const {
  const auto text = get("limit");
  if (!text) return std::size_t{0};
  std::int64_t number = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), number);
  if (read.ec != std::errc() || read.ptr != text->data() + text->size()) {
    return bad_prometheus_parameter("limit", "cannot parse " + quoted_text(*text) + " as a whole number");
  }
  if (number < 0) return bad_prometheus_parameter("limit", "limit must be non-negative");
  return static_cast<std::size_t>(number);
}

Result<promql::Steps> PrometheusParameters::steps() const {
  promql::Steps out;
  VARVE_ASSIGN_OR_RETURN(out.start_ms, time_ms("start", std::nullopt));
  VARVE_ASSIGN_OR_RETURN(out.end_ms, time_ms("end", std::nullopt));
  if (out.end_ms < out.start_ms) {
    return bad_prometheus_parameter("end", "end timestamp must not be before start time");
  }
  VARVE_ASSIGN_OR_RETURN(out.step_ms, duration_ms("step", std::nullopt));
  if (out.step_ms <= 0) {
    return bad_prometheus_parameter(
        "step", "zero or negative query resolution step widths are not accepted. Try a positive integer");
  }
  if (out.count() - 1 > kPrometheusStepsMax) {
    return fail(Code::invalid,
                "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution "
                "(?step=XX)");
  }
  return out;
}

Result<model::TimeRange> PrometheusParameters::seen() const {
  model::TimeRange out;
  VARVE_ASSIGN_OR_RETURN(out.first, time_ms("start", out.first));
  VARVE_ASSIGN_OR_RETURN(const std::int64_t end, time_ms("end", out.last - 1));
  if (end < out.first) return bad_prometheus_parameter("end", "end timestamp must not be before start time");
  out.last = end + 1;
  return out;
}

Result<std::vector<std::vector<promql::Matcher>>> PrometheusParameters::selectors(
    query::Expressions& expressions) const {
  std::vector<std::vector<promql::Matcher>> out;
  for (const auto& [name, text] : parameters_) {
    if (name != "match[]") continue;
    auto matchers = promql::parse_selector(text, expressions);
    if (!matchers) return bad_prometheus_parameter("match[]", matchers.error().message);
    if (!promql::has_matcher_of_something(*matchers)) {
      return bad_prometheus_parameter("match[]", "match[] must contain at least one non-empty matcher");
    }
    out.push_back(std::move(*matchers));
  }
  return out;
}

}  // namespace varve::api
