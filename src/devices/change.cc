// SPDX-License-Identifier: Apache-2.0
#include "devices/change.h"

#include <map>

#include "base/hex.h"
#include "protocol/json/writer.h"

namespace varve::devices {
namespace {

void append_device_time(protocol::json::Writer& json, const char* key, const std::optional<std::string>& time) {
  if (!time) return;
  json.key(key);
  if (time->empty() || *time == "none") {
    json.null();
  } else {
    json.value(*time);
  }
}

}  // namespace

std::string percent_encoded(std::string_view name) {
  constexpr CharSet kPlain("-_", true);
  std::string out;
  append_escaped(out, name, '%', kPlain);
  return out;
}

std::string device_path(std::string_view name) { return "/api/v1/snmp/devices/" + percent_encoded(name); }

std::string device_json(const Options& options, const protocol::json::Node* before) {
  std::string out;
  protocol::json::Writer json(out);
  json.begin_object();
  if (before == nullptr) json.member("name", options.name);
  if (options.address) json.member("address", *options.address);
  if (options.credential) json.member("credential", *options.credential);
  if (options.oidsets) json.key("oidsets").array(*options.oidsets);
  if (options.active) json.member("active", *options.active);
  append_device_time(json, "begin", options.begin);
  append_device_time(json, "end", options.end);
  if (!options.tags.empty()) {
    std::map<std::string, std::string> tags;
    const auto* const had = before == nullptr ? nullptr : before->find("tags");
    for (std::size_t i = 0; had != nullptr && i < had->children.size(); ++i) {
      tags[std::string(had->names[i])] = had->children[i].text;
    }
    for (const auto& [key, value] : options.tags) {
      if (value.empty()) {
        tags.erase(key);
      } else {
        tags[key] = value;
      }
    }
    json.key("tags").object(tags);
  }
  json.end_object();
  return out;
}

}  // namespace varve::devices
