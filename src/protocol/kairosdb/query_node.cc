// SPDX-License-Identifier: Apache-2.0
#include "protocol/kairosdb/query_node.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "protocol/json/writer.h"

namespace varve::protocol::kairosdb {

namespace {

using json::Kind;
using json::Node;
using model::TimeUnit;

std::optional<double> number_in(const Node& node) {
  if (node.kind != Kind::number && node.kind != Kind::string) return std::nullopt;
  const char* const end = node.text.data() + node.text.size();
  double real = 0;
  const auto [at, error] = std::from_chars(node.text.data(), end, real);
  if (at != end || error == std::errc::invalid_argument || std::isnan(real)) return std::nullopt;
  if (error == std::errc::result_out_of_range) return node.text.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
  return real;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

Result<std::int64_t> whole_of(const Node& node) {
  const char* const end = node.text.data() + node.text.size();
  std::int64_t whole = 0;
  if (node.kind == Kind::number || node.kind == Kind::string) {
    if (const auto [at, error] = std::from_chars(node.text.data(), end, whole); error == std::errc{} && at == end) {
      return whole;
    }
  }
  const auto real = number_in(node);
  if (!real) return invalid("java.lang.NumberFormatException: For input string: \"" + std::string(node.text) + "\"");
  if (*real >= 0x1p63) return INT64_MAX;
  return *real < -0x1p63 ? INT64_MIN : static_cast<std::int64_t>(*real);
}

Result<double> real_of(const Node& node, const std::string& what) {
  const auto real = number_in(node);
  if (!real || std::isinf(*real)) return invalid(what + " For input string: \"" + std::string(node.text) + "\"");
  return *real;
}

Result<bool> flag_of(const Node& node, const std::string& what) {
  if (node.text == "true") return true;
  if (node.text == "false") return false;
  return invalid(what + " must be true or false");
}

Result<TimeUnit> unit_of(const Node& node, const std::string& context) {
  if (const auto unit = model::time_unit_of(node.text)) return *unit;
  return invalid(context + "." + std::string(node.text) +
                 " is not a valid time unit, must be one of "
                 "MILLISECONDS,SECONDS,MINUTES,HOURS,DAYS,WEEKS,MONTHS,YEARS");
}

Result<std::size_t> choice_of(const Node& node, const std::string& context,
                              const std::vector<std::string_view>& names) {
  const auto at = std::ranges::find(names, lower(node.text));
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    list += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    list.append("'").append(names[i]).append("'");
  }
  // Whatever the choice is of: KairosDB has one sentence.
  return invalid(context + "." + std::string(node.text) + " is not a valid trim type, must be " + list + ".");
}

Result<model::TimeZone> zone_of(const Node& node, const std::string& context) {
  // A name that tzdata has given up and KairosDB still knows; and names that came after its release, which are good but
  // not in its message.
  constexpr std::string_view kGivenUp = "US/Pacific-New";
  constexpr std::array<std::string_view, 4> kNew = {"America/Ciudad_Juarez", "America/Coyhaique", "Europe/Kyiv",
                                                    "Pacific/Kanton"};
  const auto zone = model::TimeZone::find(node.text == kGivenUp ? "US/Pacific" : node.text);
  if (zone) return *zone;
  std::vector<std::string> names = model::TimeZone::names();
  if (std::ranges::binary_search(names, "US/Pacific")) {
    names.insert(std::ranges::lower_bound(names, kGivenUp), std::string(kGivenUp));
  }
  std::erase_if(names, [&](const std::string& name) { return std::ranges::find(kNew, name) != kNew.end(); });
  std::string list;
  for (const std::string& name : names) list.append(list.empty() ? "" : ", ").append(name);
  return invalid(context + "." + std::string(node.text) + " is not a valid time zone, must be one of [" + list + "]");
}

Result<Length> length_of(const Node& node, std::int64_t otherwise, const std::string& context,
                         const std::string& what) {
  if (node.kind != Kind::object) return invalid(what + " must be an object");
  Length out;
  out.value = otherwise;
  if (const Node* value = node.find("value")) {
    VARVE_ASSIGN_OR_RETURN(out.value, whole_of(*value));
  }
  if (out.value < 0) return invalid(what + ".value must be greater than or equal to 0");
  const Node* unit = node.find("unit");
  if (unit == nullptr) return invalid(what + ".unit may not be null");
  VARVE_ASSIGN_OR_RETURN(out.unit, unit_of(*unit, context));
  return out;
}

std::string source_of(const Node& node) {
  std::string out;
  json::Writer json(out);
  if (node.kind == Kind::string) {
    json.value(node.text);
  } else if (node.kind == Kind::array) {
    json.begin_array();
    for (std::size_t i = 0; i < node.children.size() && out.size() < 100; ++i) json.raw(source_of(node.children[i]));
    json.end_array();
  } else if (node.kind == Kind::object) {
    json.begin_object();
    for (std::size_t i = 0; i < node.children.size() && out.size() < 100; ++i) {
      json.key(node.names[i]).raw(source_of(node.children[i]));
    }
    json.end_object();
  } else {
    json.raw(node.text);
  }
  return out;
}

std::unexpected<Error> unknown_property(std::string_view property, std::string_view of, std::string_view package,
                                        std::string_view java_class) {
  std::string message = "Property '";
  message.append(property).append("' was specified for object '").append(of);
  message.append("' but no matching setter was found on 'class org.kairosdb.core.").append(package);
  message.append(1, '.').append(java_class).append("'");
  return invalid(std::move(message));
}

}  // namespace varve::protocol::kairosdb
