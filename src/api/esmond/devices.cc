// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/devices.h"

#include "api/esmond/lookups.h"
#include "protocol/json/tree.h"
#include "snmp/inventory/inventory_json.h"

namespace varve::api::esmond {
namespace {

using protocol::json::Kind;
using protocol::json::Node;
using protocol::json::Writer;
using snmp::inventory::Device;
using snmp::inventory::Faults;
using snmp::inventory::Inventory;

constexpr std::string_view kLookedUpOfDevices[] = {"name"};
constexpr std::string_view kChildren[] = {"interface", "system", "all"};

// Seconds, or a time as text; 0 and the end of all time say that there is no limit.
void read_epoch(const Node& body, std::string_view name, std::optional<model::Timestamp>& to, Faults& faults) {
  const Node* const node = body.find(name);
  if (node == nullptr) return;
  std::optional<model::Timestamp> read;
  snmp::inventory::read_time(*node, std::string(name), read, faults);
  if (!read) return;
  const std::int64_t unit = node->kind == Kind::number ? model::kSecondMs : 1;
  to = *read > 0 && *read < kForEverSeconds * model::kSecondMs / unit ? std::optional(*read * unit) : std::nullopt;
}

void read_device(const Node& body, Device& onto, Faults& faults) {
  if (!snmp::inventory::is_object(body, "the body", faults)) return;
  if (const Node* const active = body.find("active")) {
    snmp::inventory::read_switch(*active, "active", true, onto.active, faults);
  }
  for (const char* name : {"begin", "begin_time"}) read_epoch(body, name, onto.begin, faults);
  for (const char* name : {"end", "end_time"}) read_epoch(body, name, onto.end, faults);
  if (const Node* const oidsets = body.find("oidsets")) {
    snmp::inventory::read_list(*oidsets, "oidsets", onto.oidsets, faults, snmp::inventory::read_text);
  }
}

std::unexpected<Error> no_device(const std::string& name) {
  return fail(Code::invalid, "there is no device \"" + name.substr(0, 300) + "\"");
}

}  // namespace

void append_child(Writer& json, bool is_leaf, std::string_view name, std::string_view uri) {
  json.begin_object().member("leaf", is_leaf).member("name", name).member("uri", uri).end_object();
}

std::string uri_of_device(const Call& call, std::string_view device) {
  return call.root() + "device/" + at_encode(device);
}

void append_device(Writer& json, const Device& device, const std::string& uri,
                   std::span<const std::string_view> children, bool with_uri) {
  json.begin_object().member("active", device.active);
  json.member("begin_time", device.begin ? epoch_of(device.begin) : 0).key("children").begin_array();
  for (const std::string_view child : children) append_child(json, false, child, uri + "/" + std::string(child));
  json.end_array().member("end_time", epoch_of(device.end)).member("id", id_of(device.name)).member("leaf", false);
  json.member("name", device.name).key("oidsets").array(device.oidsets).member("resource_uri", uri + "/");
  if (with_uri) json.member("uri", uri);
  json.end_object();
}

Result<const Device*> device_of(const Call& call, const Inventory& inventory) {
  const auto found = inventory.devices.find(call.names[0]);
  if (found == inventory.devices.end()) return no_device(call.names[0]);
  return &found->second;
}

Result<Response> list_devices(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  VARVE_ASSIGN_OR_RETURN(const Lookups lookups, Lookups::of(call.request, kLookedUpOfDevices));
  VARVE_ASSIGN_OR_RETURN(const Span span, valid_span(call));
  VARVE_ASSIGN_OR_RETURN(const EsmondPage page, page_of(call, kEsmondListed));
  std::vector<const Device*> found;
  for (const auto& [name, device] : inventory->devices) {
    if (lookups.fit("name", name) && overlaps(span, device.begin, device.end)) found.push_back(&device);
  }
  std::string out;
  Writer json(out);
  json.begin_array();
  for (const Device* const device : page.of(std::span<const Device* const>(found))) {
    append_device(json, *device, uri_of_device(call, device->name), kChildren, false);
  }
  json.end_array();
  return esmond_json(200, std::move(out));
}

Result<Response> show_device(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  VARVE_ASSIGN_OR_RETURN(const Device* const device, device_of(call, *inventory));
  std::string out;
  Writer json(out);
  append_device(json, *device, uri_of_device(call, device->name), kChildren, true);
  return esmond_json(200, std::move(out));
}

Result<Response> change_device(const Call& call) {
  if (call.names.size() != 1) return fail(Code::not_found, "only a device can be put");
  protocol::json::Reader reader(call.request.body);
  VARVE_ASSIGN_OR_RETURN(const Node body, protocol::json::read_strict(reader));
  bool is_there = false;
  VARVE_ASSIGN_OR_RETURN(const auto edited,
                         call.parts.inventory.change(call.request.tenant, false, [&](Inventory& to, Faults& faults) {
                           const auto found = to.devices.find(call.names[0]);
                           is_there = found != to.devices.end();
                           if (is_there) {
                             read_device(body, found->second, faults);
                           }
                         }));
  if (!is_there) return no_device(call.names[0]);
  if (edited.faults.empty()) return Response::empty(204);
  return fail(Code::invalid, snmp::inventory::joined(edited.faults));
}

}  // namespace varve::api::esmond
