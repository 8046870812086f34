// SPDX-License-Identifier: Apache-2.0
#include "api/snmp/answers.h"

#include "snmp/inventory/inventory_json.h"
#include "snmp/inventory/utf8_text.h"

namespace varve::api {
namespace {

using protocol::json::Writer;
using snmp::inventory::ChangeCount;
using snmp::inventory::DeviceState;
using snmp::inventory::PolledObject;

std::string_view state_text(DeviceState state) {
  switch (state) {
    case DeviceState::up: return "up";
    case DeviceState::down: return "down";
    case DeviceState::unknown: break;
  }
  return "unknown";
}

void append_count(Writer& json, const char* key, const ChangeCount& count) {
  json.key(key).begin_object().member("added", count.added).member("changed", count.changed);
  json.member("removed", count.removed).end_object();
}

void append_polled(Writer& json, const PolledObject& object) {
  json.begin_object().member("metric", object.metric).key("tags").object(object.tags).member("oid", object.oid);
  json.member("time", object.time).key("value");
  std::visit([&](const auto& value) { json.value(value); }, object.value);
  json.end_object();
}

}  // namespace

void append_device(Writer& json, const snmp::inventory::Device& device, const snmp::inventory::DeviceStatus& status) {
  json.begin_object().member("name", device.name);
  write_fields(json, device);
  json.member("state", state_text(status.state)).key("last_poll");
  if (status.last_poll) {
    json.value(*status.last_poll);
  } else {
    json.null();
  }
  json.member("last_error", status.last_error).member("interfaces", status.interfaces);
  json.key("left_out").array(status.left_out).key("unknown_increases").begin_object();
  for (std::size_t why = 0; why < status.unknown_increases.size(); ++why) {
    json.member(counter::kWhyUnknown[why], status.unknown_increases[why]);
  }
  json.end_object().end_object();
}

std::string counts_json(const snmp::inventory::ChangeCounts& counts, const std::vector<std::string>& credentials) {
  std::string out;
  Writer json(out);
  json.begin_object();
  append_count(json, "devices", counts.devices);
  append_count(json, "oidsets", counts.oidsets);
  append_count(json, "correlators", counts.correlators);
  if (!credentials.empty()) json.key("credentials").array(credentials);
  json.end_object();
  return out;
}

Response faults_response(const std::vector<std::string>& faults) {
  std::string out;
  Writer(out).begin_object().member("error", snmp::inventory::joined(faults)).key("errors").array(faults).end_object();
  return Response::own_json(400, std::move(out));
}

std::string polled_json(const std::string& device, const std::vector<snmp::inventory::PolledSet>& sets) {
  std::string out;
  Writer json(out);
  json.begin_object().member("device", device).key("sets").begin_array();
  for (const snmp::inventory::PolledSet& set : sets) {
    json.begin_object().member("oidset", set.oidset).member("seconds", set.seconds).member("error", set.error);
    json.key("reports").array(set.reports).key("objects").begin_array();
    for (const PolledObject& object : set.objects) append_polled(json, object);
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace varve::api
