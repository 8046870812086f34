// SPDX-License-Identifier: Apache-2.0
#include "devices/print.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <vector>

#include "base/printable.h"
#include "devices/table.h"

namespace varve::devices {
namespace {

using protocol::json::Kind;
using protocol::json::Node;

std::string_view field(const Node& node, std::string_view name) {
  const Node* const found = node.find(name);
  return found == nullptr ? std::string_view() : found->text;
}

// How long something took, with the two digits that people look at: 0.8 ms, 12 ms, 1.5 s.
std::string short_time(std::string_view seconds_text) {
  double seconds = 0;
  const auto [behind, error] = std::from_chars(seconds_text.data(), seconds_text.data() + seconds_text.size(), seconds);
  if (error != std::errc()) return std::string(seconds_text) + " s";
  const double shown = seconds < 1 ? seconds * 1000 : seconds;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", shown < 9.95 ? 1 : 0, shown);
  std::string out = text;
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out + (seconds < 1 ? " ms" : " s");
}

// 2026-11-25T12:00:00.000Z; "-" where there is no time.
std::string time_text(std::string_view ms_text) {
  std::int64_t ms = 0;
  const auto [behind, error] = std::from_chars(ms_text.data(), ms_text.data() + ms_text.size(), ms);
  if (ms_text.empty() || error != std::errc() || behind != ms_text.data() + ms_text.size()) return "-";
  const auto seconds = static_cast<std::time_t>(ms >= 0 ? ms / 1000 : (ms - 999) / 1000);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return std::string(ms_text);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(((ms % 1000) + 1000) % 1000));
  return std::string(text, size) + fraction;
}

std::string joined(const Node* list, std::string_view between) {
  std::string out;
  for (std::size_t i = 0; list != nullptr && i < list->children.size(); ++i) {
    if (i > 0) out += between;
    if (list->kind == Kind::object) out.append(list->names[i]).append("=");
    out += list->children[i].text;
  }
  return out;
}

}  // namespace

std::string list_text(const Node& answer) {
  std::vector<std::vector<std::string>> rows = {{"NAME", "ADDRESS", "STATE", "LAST POLL", "INTERFACES", "OIDSETS"}};
  if (const Node* const devices = answer.find("devices")) {
    for (const Node& device : devices->children) {
      const bool active = field(device, "active") != "false";
      rows.push_back({std::string(field(device, "name")), std::string(field(device, "address")),
                      active ? std::string(field(device, "state")) : "inactive", time_text(field(device, "last_poll")),
                      std::string(field(device, "interfaces")), joined(device.find("oidsets"), ",")});
    }
  }
  return table(std::move(rows));
}

std::string device_text(const Node& device) {
  std::string out;
  for (std::size_t i = 0; i < device.children.size(); ++i) {
    const Node& value = device.children[i];
    const std::string_view name = device.names[i];
    std::string text(value.text);
    if (value.kind == Kind::array || value.kind == Kind::object) text = joined(&value, ", ");
    if (value.kind == Kind::null) text = "-";
    if (value.kind == Kind::number && (name == "begin" || name == "end" || name == "last_poll"))
      text = time_text(value.text);
    out += std::string(name) + ": " + printable(text) + "\n";
  }
  return out;
}

bool has_failed(const Node& polled) {
  const Node* const sets = polled.find("sets");
  return sets != nullptr &&
         std::ranges::any_of(sets->children, [](const Node& set) { return !field(set, "error").empty(); });
}

std::string polled_text(const Node& answer) {
  std::string out;
  const Node* const sets = answer.find("sets");
  for (std::size_t i = 0; sets != nullptr && i < sets->children.size(); ++i) {
    const Node& set = sets->children[i];
    const Node* const objects = set.find("objects");
    const std::size_t count = objects == nullptr ? 0 : objects->children.size();
    out += "# " + std::string(field(set, "oidset")) + ": " + std::to_string(count) +
           (count == 1 ? " object in " : " objects in ") + short_time(field(set, "seconds")) + "\n";
    if (const auto error = field(set, "error"); !error.empty()) out += "# error: " + printable(error) + "\n";
    if (const Node* const reports = set.find("reports")) {
      for (const Node& report : reports->children) out += "# " + printable(report.text) + "\n";
    }
    std::vector<std::vector<std::string>> rows;
    for (std::size_t k = 0; k < count; ++k) {
      const Node& object = objects->children[k];
      std::string tags;
      if (const Node* const all = object.find("tags")) {
        for (std::size_t t = 0; t < all->children.size(); ++t) {
          tags += (t == 0 ? "" : ",") + std::string(all->names[t]) + "=\"" + std::string(all->children[t].text) + "\"";
        }
      }
      rows.push_back({std::string(field(object, "metric")) + "{" + tags + "}", std::string(field(object, "value")),
                      std::string(field(object, "oid"))});
    }
    out += table(std::move(rows));
  }
  return out;
}

std::string counts_text(const Node& answer, bool only_check) {
  std::string out;
  for (const char* const kind : {"devices", "oidsets", "correlators"}) {
    const Node* const counts = answer.find(kind);
    if (counts == nullptr) continue;
    out += std::string(kind) + ": " + std::string(field(*counts, "added")) + " added, " +
           std::string(field(*counts, "changed")) + " changed, " + std::string(field(*counts, "removed")) +
           " removed\n";
  }
  if (only_check) out += "nothing was changed (--check)\n";
  if (const Node* const names = answer.find("credentials"); names != nullptr && !names->children.empty()) {
    out += "to be filled in, in the server's file snmp.credentials: " + joined(names, ", ") + "\n";
  }
  return out;
}

}  // namespace varve::devices
