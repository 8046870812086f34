// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/interfaces.h"

#include <algorithm>
#include <set>

#include "api/esmond/devices.h"
#include "api/esmond/lookups.h"
#include "api/esmond/rows.h"
#include "api/shared/query_answer.h"

namespace varve::api::esmond {
namespace {

using protocol::json::Writer;
using snmp::inventory::Attribute;
using snmp::inventory::Device;
using snmp::inventory::HistoryKind;
using snmp::inventory::HistoryRow;
using snmp::inventory::Inventory;

constexpr std::string_view kHidden = ":hide:";
constexpr std::string_view kTexts[] = {"ifAlias", "ifDescr", "ipAddr", "ifPhysAddress"};
constexpr std::string_view kLookedUp[] = {"ifName", "ifAlias", "ifDescr", "ipAddr", "ifPhysAddress", "device__name"};

std::string_view text_of(const HistoryRow& row, std::string_view name) {
  const Attribute* const attribute = attribute_of(HistoryKind::interfaces, row, name);
  const auto* const text = attribute == nullptr ? nullptr : std::get_if<std::string>(attribute);
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

bool may_see(const Call& call, const HistoryRow& row) {
  return call.is_known || !text_of(row, "ifAlias").contains(kHidden);
}

// Names of what is measured of the device's interfaces, each once, in the order of its oidsets.
std::vector<std::string> aliases_of(const Inventory& inventory, const Device& device) {
  std::vector<std::string> out;
  for (const std::string& name : device.oidsets) {
    const auto* const set = find_oidset(inventory, name);
    if (set == nullptr) continue;
    for (const auto& object : set->objects) {
      if (!object.alias.empty() && std::ranges::find(out, object.alias) == out.end()) out.push_back(object.alias);
    }
  }
  return out;
}

void append_interface(Writer& json, const Call& call, const Device& device, const std::vector<std::string>& aliases,
                      const HistoryRow& row) {
  const std::string device_uri = uri_of_device(call, device.name) + "/";
  const std::string uri = uri_of_interface(call, device.name, row.name);
  json.begin_object();
  append_time(json, call, "begin_time", row.begin);
  json.key("children").begin_array();
  for (const std::string& alias : aliases) append_child(json, true, alias, uri + "/" + alias);
  json.end_array().member("device", call.is_v1 ? device_uri : device.name).member("device_uri", device_uri);
  append_time(json, call, "end_time", row.end);
  json.member("id", id_of(device.name + "/" + row.name + "/" + std::to_string(row.begin)));
  for (const char* name : {"ifAdminStatus", "ifAlias", "ifDescr", "ifHighSpeed", "ifIndex", "ifMtu"}) {
    append_attribute(json, name, *attribute_of(HistoryKind::interfaces, row, name));
  }
  json.member("ifName", row.name);
  for (const char* name : {"ifOperStatus", "ifPhysAddress", "ifSpeed", "ifType", "ipAddr"}) {
    append_attribute(json, name, *attribute_of(HistoryKind::interfaces, row, name));
  }
  json.member("leaf", false).member("resource_uri", uri).member("uri", uri).end_object();
}

// Of several devices, in their order, those that the request asks for.
Result<Response> listed_interfaces(const Call& call, const Inventory& inventory,
                                   std::span<const Device* const> devices) {
  VARVE_ASSIGN_OR_RETURN(const Lookups lookups, Lookups::of(call.request, kLookedUp));
  VARVE_ASSIGN_OR_RETURN(const Span span, valid_span(call));
  VARVE_ASSIGN_OR_RETURN(const EsmondPage page, page_of(call, kEsmondListed));
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(call.parts.engine, call.request, "esmond_names"));
  std::string out;
  Writer json = Writer(out).begin_object();
  json.key("children").begin_array();
  std::size_t count = 0;
  for (const Device* const device : devices) {
    if (!lookups.fit("device__name", device->name)) continue;
    VARVE_RETURN_IF_ERROR(query->explain(query->check()));
    VARVE_ASSIGN_OR_RETURN(const auto rows, rows_of(call, device->name, HistoryKind::interfaces, span));
    const std::vector<std::string> aliases = aliases_of(inventory, *device);
    const std::size_t before = out.size();
    for (const HistoryRow& row : rows) {
      const bool fits = lookups.fit("ifName", row.name) && std::ranges::all_of(kTexts, [&](std::string_view name) {
                          return lookups.fit(name, text_of(row, name));
                        });
      if (!fits || !may_see(call, row)) continue;
      const std::size_t place = count++;
      if (place < page.offset || (page.limit != 0 && place - page.offset >= page.limit)) continue;
      append_interface(json, call, *device, aliases, row);
    }
    VARVE_RETURN_IF_ERROR(query->explain(query->budget().charge(out.size() - before)));
  }
  json.end_array().key("meta").raw(meta_json(call, page, count)).end_object();
  return held_by(std::move(query), esmond_json(200, std::move(out)));
}

}  // namespace

std::string uri_of_interface(const Call& call, std::string_view device, std::string_view interface) {
  return uri_of_device(call, device) + "/interface/" + at_encode(interface);
}

Result<bool> is_hidden(const Call& call, const std::string& device, const std::string& interface, Span span) {
  if (call.is_known) return false;
  VARVE_ASSIGN_OR_RETURN(const auto rows, rows_of(call, device, HistoryKind::interfaces, span));
  return std::ranges::any_of(rows, [&](const HistoryRow& row) { return row.name == interface && !may_see(call, row); });
}

Result<Response> list_interfaces_of_device(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  VARVE_ASSIGN_OR_RETURN(const Device* const device, device_of(call, *inventory));
  return listed_interfaces(call, *inventory, {&device, 1});
}

Result<Response> list_interfaces(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  std::vector<const Device*> devices;
  for (const auto& [name, device] : inventory->devices) devices.push_back(&device);
  return listed_interfaces(call, *inventory, devices);
}

Result<Response> show_interface(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  VARVE_ASSIGN_OR_RETURN(const Device* const device, device_of(call, *inventory));
  VARVE_ASSIGN_OR_RETURN(const Span span, valid_span(call));
  VARVE_ASSIGN_OR_RETURN(auto rows, rows_of(call, device->name, HistoryKind::interfaces, span));
  std::erase_if(rows, [&](const HistoryRow& row) { return row.name != call.names[2]; });
  const auto newest = std::ranges::max_element(rows, {}, &HistoryRow::begin);  // rows of a name do not overlap
  if (newest == rows.end()) {
    return fail(Code::invalid, "there is no interface \"" + call.names[2].substr(0, 300) + "\" then");
  }
  if (!may_see(call, *newest)) return fail(Code::not_found, "there is no such interface");
  std::string out;
  Writer json(out);
  append_interface(json, call, *device, aliases_of(*inventory, *device), *newest);
  return esmond_json(200, std::move(out));
}

}  // namespace varve::api::esmond
