// SPDX-License-Identifier: Apache-2.0
#include "api/snmp/usage_question.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/shared/discovery.h"

namespace varve::api {
namespace {

constexpr std::int64_t kWidthMaxS = 366LL * 86'400;
constexpr std::pair<std::string_view, UsageField> kUsageFields[] = {{"bytes", UsageField::bytes},
                                                                    {"average", UsageField::average},
                                                                    {"max", UsageField::max},
                                                                    {"p95", UsageField::p95},
                                                                    {"utilisation", UsageField::utilisation}};

Result<model::Timestamp> second_of(std::string_view text, std::string_view name) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < model::kTimestampMin / 1000 ||
      seconds > model::kTimestampMax / 1000) {
    return fail(Code::invalid, std::string(name) + " is a time in whole seconds since 1970");
  }
  return seconds * 1000;
}

Result<UsageSort> sort_of(std::string_view text) {
  const std::size_t dot = text.find('.');
  const std::string_view direction = text.substr(0, dot);
  const auto* const field =
      dot == std::string_view::npos
          ? std::end(kUsageFields)
          : std::ranges::find(kUsageFields, text.substr(dot + 1), &std::pair<std::string_view, UsageField>::first);
  if (field == std::end(kUsageFields) || (direction != "in" && direction != "out")) {
    return fail(Code::invalid, "sort is in or out, a dot, and bytes, average, max, p95 or utilisation, such as in.p95");
  }
  return UsageSort{direction == "out", field->second};
}

Status read_parameter(std::string_view name, const std::string& value, UsageQuestion& out) {
  if (name == "device") {
    out.devices.push_back(value);
  } else if (name == "interface") {
    out.interfaces.push_back(value);
  } else if (name == "ifAlias__contains") {
    out.alias_part = value;
  } else if (name == "tag") {
    const std::size_t equals = value.find('=');
    if (equals == 0 || equals == std::string::npos) return fail(Code::invalid, "tag is written tag=key=value");
    out.tags.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  } else if (name == "sort") {
    VARVE_ASSIGN_OR_RETURN(out.sort, sort_of(value));
  } else if (name == "limit") {
    VARVE_ASSIGN_OR_RETURN(out.limit, number_of(value, name, std::numeric_limits<std::uint32_t>::max()));
  } else if (name == "sum") {
    out.sum = value.empty() || value == "1" || value == "true";
  } else if (name == "agg") {
    VARVE_ASSIGN_OR_RETURN(const std::uint64_t seconds, number_of(value, name, kWidthMaxS));
    if (seconds == 0) return fail(Code::invalid, "agg is at least a second");
    out.width_ms = static_cast<std::int64_t>(seconds) * 1000;
  } else if (name != "begin" && name != "end") {
    return fail(Code::invalid, "there is no parameter " + std::string(name.substr(0, 100)));
  }
  return {};
}

}  // namespace

Result<UsageQuestion> read_usage_question(const Request& request, model::Timestamp now) {
  UsageQuestion out;
  for (const auto& [name, value] : request.query) VARVE_RETURN_IF_ERROR(read_parameter(name, value, out));
  out.range.last = now / 1000 * 1000;
  if (const auto end = request.param("end")) {
    VARVE_ASSIGN_OR_RETURN(out.range.last, second_of(*end, "end"));
  }
  out.range.first = std::max(out.range.last - model::kDayMs, model::kTimestampMin / 1000 * 1000);
  if (const auto begin = request.param("begin")) {
    VARVE_ASSIGN_OR_RETURN(out.range.first, second_of(*begin, "begin"));
  }
  if (out.range.empty()) return fail(Code::invalid, "begin is before end");
  return out;
}

}  // namespace varve::api
