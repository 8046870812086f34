// SPDX-License-Identifier: Apache-2.0
#include "devices/usage.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "devices/change.h"
#include "devices/table.h"
#include "protocol/rfc3339.h"

namespace varve::devices {
namespace {

using protocol::json::Kind;
using protocol::json::Node;

constexpr const char* kUsageFields[] = {"bytes", "average", "max", "p95", "utilisation"};
constexpr std::size_t kDateLength = 10;  // 2026-11-25

// Seconds, from milliseconds since 1970, from RFC 3339 or a day.
Result<std::string> seconds_of(const char* flag, const std::string& text) {
  std::int64_t ms = 0;
  const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), ms);
  if (error != std::errc() || behind != text.data() + text.size()) {
    const auto time = protocol::read_rfc3339(text.size() == kDateLength ? text + "T00:00:00Z" : text);
    if (!time) {
      return fail(Code::invalid, std::string(flag) + ": \"" + text.substr(0, 100) +
                                     "\": a time is 2026-11-25, 2026-11-25T12:00:00Z or ms since 1970");
    }
    ms = time->us / 1000;
  }
  return std::to_string(ms / 1000);
}

std::optional<double> number_in(const Node* node) {
  if (node == nullptr || node->kind != Kind::number) return std::nullopt;
  double number = 0;
  const auto [behind, error] = std::from_chars(node->text.data(), node->text.data() + node->text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// 12.3M; "-" where it is not known.
std::string short_number(std::optional<double> number) {
  if (!number) return "-";
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  double shown = *number;
  while (std::abs(shown) >= 999.95 && prefix + 1 < std::size(kPrefixes)) {
    shown /= 1000;
    ++prefix;
  }
  char text[40];
  std::snprintf(text, sizeof text, shown == std::floor(shown) && prefix == 0 ? "%.0f" : "%.1f", shown);
  return std::string(text) + kPrefixes[prefix];
}

std::string percent(std::optional<double> part) {
  if (!part) return "-";
  if (*part > 0 && *part < 0.0005) return "<0.1%";
  char text[40];
  std::snprintf(text, sizeof text, "%.1f%%", *part * 100);
  return text;
}

void append_direction(const Node* figures, std::vector<std::string>& row) {
  const auto field = [&](const char* name) { return number_in(figures == nullptr ? nullptr : figures->find(name)); };
  const auto bits = [&](const char* name) {
    const auto bytes = field(name);
    return short_number(bytes ? std::optional(*bytes * 8) : std::nullopt);
  };
  row.push_back(short_number(field("bytes")));
  row.push_back(bits("average"));
  row.push_back(bits("max"));
  row.push_back(bits("p95"));
  row.push_back(percent(field("utilisation")));
}

std::string text_in(const Node& node, const char* name) {
  const Node* const found = node.find(name);
  return found == nullptr || found->kind == Kind::null ? std::string() : std::string(found->text);
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

void append_csv(const Node& node, std::string& out) {
  for (const char* const name : {"device", "interface", "ifAlias", "speed", "coverage"}) {
    out += csv_cell(text_in(node, name)) + ",";
  }
  for (const char* const direction : {"in", "out"}) {
    const Node* const figures = node.find(direction);
    for (const char* const name : kUsageFields) {
      out += figures == nullptr ? std::string() : csv_cell(text_in(*figures, name));
      out += direction[0] == 'o' && name == std::end(kUsageFields)[-1] ? "\r\n" : ",";
    }
  }
}

}  // namespace

Result<std::string> usage_path(const Options& options) {
  std::string out = "/api/v1/snmp/usage?agg=" + (options.agg.empty() ? "300" : percent_encoded(options.agg));
  const auto add = [&out](const char* name, std::string_view value) {
    out += std::string("&") + name + "=" + percent_encoded(value);
  };
  if (options.begin) {
    VARVE_ASSIGN_OR_RETURN(const std::string begin, seconds_of("--begin", *options.begin));
    add("begin", begin);
  }
  if (options.end) {
    VARVE_ASSIGN_OR_RETURN(const std::string end, seconds_of("--end", *options.end));
    add("end", end);
  }
  for (const std::string& device : options.devices) add("device", device);
  for (const std::string& interface : options.interfaces) add("interface", interface);
  if (!options.alias_part.empty()) add("ifAlias__contains", options.alias_part);
  for (const auto& [key, value] : options.tags) add("tag", key + "=" + value);
  if (!options.sort.empty()) add("sort", options.sort);
  if (!options.limit.empty()) add("limit", options.limit);
  if (options.sum) add("sum", "1");
  return out;
}

std::string usage_text(const Node& answer) {
  std::vector<std::vector<std::string>> rows = {{"DEVICE", "INTERFACE", "ALIAS", "SPEED", "KNOWN", "IN", "AVG b/s",
                                                 "MAX", "P95", "USED", "OUT", "AVG b/s", "MAX", "P95", "USED"}};
  const auto add = [&rows](const Node& node, std::string device) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {std::move(device), text_in(node, "interface"), text_in(node, "ifAlias"),
           short_number(number_in(node.find("speed"))), percent(number_in(node.find("coverage")))};
    append_direction(node.find("in"), row);
    append_direction(node.find("out"), row);
  };
  if (const Node* const interfaces = answer.find("interfaces")) {
    for (const Node& interface : interfaces->children) add(interface, text_in(interface, "device"));
  }
  if (const Node* const sum = answer.find("sum")) add(*sum, "(sum)");
  return table(std::move(rows));
}

std::string usage_csv(const Node& answer) {
  std::string out = "device,interface,ifAlias,speed,coverage";
  for (const char* const direction : {"in", "out"}) {
    for (const char* const name : kUsageFields) out += std::string(",") + direction + "." + name;
  }
  out += "\r\n";
  if (const Node* const interfaces = answer.find("interfaces")) {
    for (const Node& interface : interfaces->children) append_csv(interface, out);
  }
  if (const Node* const sum = answer.find("sum")) append_csv(*sum, out);
  return out;
}

}  // namespace varve::devices
