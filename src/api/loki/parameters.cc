// SPDX-License-Identifier: Apache-2.0
#include "api/loki/parameters.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "api/shared/form.h"
#include "language/logql/units.h"
#include "protocol/rfc3339.h"

namespace varve::api {
namespace {

namespace logql = language::logql;

constexpr std::size_t kSecondsDigits = 10;
constexpr std::int64_t kTimeMax = 9'200'000'000'000'000'000;  // in the year 2261

std::unexpected<Error> bad_parameter(std::string_view name, std::string_view value, std::string_view wanted) {
  return fail(Code::invalid, "could not parse '" + std::string(name) + "' parameter: '" +
                                 std::string(value.substr(0, 100)) + "' is " + std::string(wanted));
}

std::optional<std::int64_t> loki_whole(std::string_view text) {
  std::int64_t number = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto read = std::from_chars(begin, end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

std::optional<std::int64_t> nanoseconds_of(std::string_view text) {
  if (const auto number = loki_whole(text)) {
    if (text.size() > kSecondsDigits) return *number;
    std::int64_t ns = 0;
    return __builtin_mul_overflow(*number, logql::kSecondNs, &ns) ? std::numeric_limits<std::int64_t>::max() : ns;
  }
  if (const auto seconds = logql::number_of(text)) {
    const double ns = *seconds * static_cast<double>(logql::kSecondNs);
    if (!(ns >= 0 && ns <= static_cast<double>(kTimeMax))) return std::nullopt;
    return static_cast<std::int64_t>(ns);
  }
  const auto time = protocol::read_rfc3339(text);
  if (!time || time->us > kTimeMax / 1000) return std::nullopt;
  return time->us * 1000 + time->nanos;
}

}  // namespace

// What the URL says counts.
Result<LokiParameters> LokiParameters::of(const Request& request) {
  LokiParameters out;
  out.parameters_ = request.query;
  VARVE_ASSIGN_OR_RETURN(const http::Parameters form, form_of(request));
  out.parameters_.insert(out.parameters_.end(), form.begin(), form.end());
  return out;
}

std::optional<std::string_view> LokiParameters::get(std::string_view name) const {
  const auto found = std::ranges::find_if(parameters_, [&](const auto& one) { return one.first == name; });
  if (found == parameters_.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::vector<std::string_view> LokiParameters::all(std::string_view name) const {
  std::vector<std::string_view> out;
  for (const auto& [key, value] : parameters_) {
    if (key == name) out.emplace_back(value);
  }
  return out;
}

Result<std::uint64_t> LokiParameters::number(std::string_view name, std::uint64_t unless_said,
                                             std::uint64_t least) const {
  const auto text = get(name);
  if (!text) return unless_said;
  const auto number = loki_whole(*text);
  if (!number) return bad_parameter(name, *text, "not a whole number");
  if (*number < static_cast<std::int64_t>(least)) {
    return fail(Code::invalid,
                std::string(name) + (least == 0 ? " must not be negative" : " must be a positive value"));
  }
  return static_cast<std::uint64_t>(*number);
}

Result<std::int64_t> LokiParameters::time(std::string_view name, std::int64_t unless_said) const {
  const auto text = get(name);
  if (!text) return unless_said;
  const auto ns = nanoseconds_of(*text);
  if (!ns) return bad_parameter(name, *text, "not a time: neither a number nor RFC 3339");
  if (*ns < 0 || *ns > kTimeMax) return bad_parameter(name, *text, "not between 1970 and 2261");
  return *ns;
}

Result<std::optional<std::int64_t>> LokiParameters::duration(std::string_view name) const {
  const auto text = get(name);
  if (!text) return std::optional<std::int64_t>();
  if (const auto seconds = logql::number_of(*text)) {
    const double ns = *seconds * static_cast<double>(logql::kSecondNs);
    if (!(ns >= -static_cast<double>(kTimeMax) && ns <= static_cast<double>(kTimeMax))) {
      return bad_parameter(name, *text, "out of range");
    }
    return static_cast<std::int64_t>(ns);
  }
  const auto ns = logql::duration_ns(*text);
  if (!ns) return bad_parameter(name, *text, "not a valid duration");
  return *ns;
}

Result<logql::TimeSpan> LokiParameters::span(std::int64_t now_ns, std::int64_t unless_said_ns) const {
  logql::TimeSpan out;
  VARVE_ASSIGN_OR_RETURN(out.end_ns, time("end", now_ns));
  VARVE_ASSIGN_OR_RETURN(const auto since, duration("since"));
  const std::int64_t before = std::max<std::int64_t>(logql::add_ns(out.end_ns, -since.value_or(unless_said_ns)), 0);
  VARVE_ASSIGN_OR_RETURN(out.first_ns, time("start", before));
  if (out.end_ns >= out.first_ns) return out;
  return fail(Code::invalid, "end timestamp must not be before or equal to start time");
}

Result<logql::Steps> steps_of(const LokiParameters& parameters, logql::TimeSpan span) {
  const std::int64_t unless_said =
      std::max<std::int64_t>((span.end_ns - span.first_ns) / logql::kSecondNs / 250, 1) * logql::kSecondNs;
  VARVE_ASSIGN_OR_RETURN(const auto step, parameters.duration("step"));
  const logql::Steps out{span.first_ns, span.end_ns, step.value_or(unless_said)};
  if (out.step_ns <= 0) {
    return fail(Code::invalid,
                "zero or negative query resolution step widths are not accepted. Try a positive integer");
  }
  if ((out.end_ns - out.start_ns) / out.step_ns > logql::kStepsMax) {
    return fail(Code::invalid,
                "exceeded maximum resolution of 11,000 points per time series. Try increasing the value of the step "
                "parameter");
  }
  return out;
}

}  // namespace varve::api
