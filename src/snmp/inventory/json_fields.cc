// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/json_fields.h"

#include <charconv>
#include <utility>

#include "model/duration.h"
#include "protocol/rfc3339.h"

namespace varve::snmp::inventory {
namespace {

using protocol::json::Kind;
using protocol::json::Node;

std::string shown(const Node& node) {
  if (node.kind == Kind::string) return "\"" + std::string(node.text.substr(0, 100)) + "\"";
  if (node.kind == Kind::object) return "an object";
  if (node.kind == Kind::array) return "a list";
  return node.kind == Kind::null ? "null" : std::string(node.text.substr(0, 100));
}

void wrong(const Node& node, const std::string& place, std::string_view wanted, Faults& faults) {
  faults.push_back(place + ": " + shown(node) + " is not " + std::string(wanted));
}

bool is_plain(const Node& node) { return node.kind == Kind::string || node.kind == Kind::number; }

// A day alone, or a time without a zone, is UTC.
std::optional<model::Timestamp> written_time(std::string_view text) {
  const std::string whole_day = text.size() == 10 ? std::string(text) + "T00:00:00" : std::string(text);
  const auto written = protocol::begins_as_rfc3339(whole_day);
  if (!written || written->end != whole_day.size()) return std::nullopt;
  const std::int64_t ms = written->local.us / 1000 - (written->local.us % 1000 < 0 ? 1 : 0);
  return ms - std::int64_t{written->ahead_s.value_or(0)} * model::kSecondMs;
}

}  // namespace

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t out = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc() || behind != end) return std::nullopt;
  return out;
}

std::string joined(const Faults& faults) {
  std::string out;
  for (const std::string& fault : faults) out += (out.empty() ? "" : "; ") + fault;
  return out;
}

void read_text(const Node& node, const std::string& place, std::string& to, Faults& faults) {
  if (node.kind != Kind::string && node.kind != Kind::null) return wrong(node, place, "a text", faults);
  to = node.kind == Kind::null ? std::string_view() : node.text;
}

void read_switch(const Node& node, const std::string& place, bool otherwise, bool& to, Faults& faults) {
  if (node.kind != Kind::boolean && node.kind != Kind::null) return wrong(node, place, "true or false", faults);
  to = node.kind == Kind::null ? otherwise : node.text == "true";
}

void read_duration(const Node& node, const std::string& place, std::int64_t& to_ms, Faults& faults) {
  constexpr std::int64_t kSecondsMax = std::int64_t{1} << 40;
  if (is_plain(node)) {
    if (const auto seconds = whole(node.text); seconds && *seconds > 0 && *seconds < kSecondsMax) {
      to_ms = *seconds * model::kSecondMs;
      return;
    }
    const auto duration = model::parse_duration(node.text);
    if (const auto ms = duration ? model::duration_ms(*duration) : std::nullopt; ms && *ms > 0) {
      to_ms = *ms;
      return;
    }
  }
  wrong(node, place, "a duration such as 30s, 5m or 1h", faults);
}

void read_time(const Node& node, const std::string& place, std::optional<model::Timestamp>& to, Faults& faults) {
  if (node.kind == Kind::null) return to.reset();
  if (is_plain(node)) {
    auto time = whole(node.text);
    if (!time && node.kind == Kind::string) time = written_time(node.text);
    if (time && *time >= model::kTimestampMin && *time <= model::kTimestampMax) {
      to = *time;
      return;
    }
  }
  wrong(node, place, "a time: milliseconds since 1970, or 2026-11-25T12:00:00Z", faults);
}

std::string duration_text(std::int64_t ms) {
  constexpr std::pair<std::int64_t, char> kUnits[] = {
      {model::kDayMs, 'd'}, {model::kHourMs, 'h'}, {model::kMinuteMs, 'm'}, {model::kSecondMs, 's'}};
  for (const auto& [unit, letter] : kUnits) {
    if (ms % unit == 0 && ms != 0) return std::to_string(ms / unit) + letter;
  }
  return std::to_string(ms) + "ms";
}

std::string at(const std::string& place, std::string_view field) {
  return place.empty() ? std::string(field) : place + "." + std::string(field);
}
std::string at(const std::string& place, std::size_t number) { return place + "[" + std::to_string(number) + "]"; }

bool is_object(const Node& node, const std::string& place, Faults& faults) {
  if (node.kind == Kind::object) return true;
  wrong(node, place.empty() ? "the body" : place, "an object {…}", faults);
  return false;
}

bool is_list(const Node& node, const std::string& place, Faults& faults) {
  if (node.kind == Kind::array) return true;
  wrong(node, place, "a list […]", faults);
  return false;
}

void add_unknown_field(const std::string& place, std::string_view name, std::string known, Faults& faults) {
  faults.push_back(at(place, name.substr(0, 100)) + ": no such field; there are " + std::move(known));
}

}  // namespace varve::snmp::inventory
