// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/outlets.h"

#include <algorithm>

#include "api/esmond/data.h"
#include "api/esmond/devices.h"
#include "api/esmond/lookups.h"
#include "api/esmond/rows.h"
#include "api/shared/query_answer.h"

namespace varve::api::esmond {
namespace {

using protocol::json::Writer;
using snmp::inventory::Device;
using snmp::inventory::HistoryKind;
using snmp::inventory::HistoryRow;
using snmp::inventory::Inventory;
using snmp::inventory::Oidset;

constexpr std::string_view kLoad = "outletLoadValue";
constexpr std::string_view kPduChildren[] = {"outlet"};
constexpr std::string_view kLookedUpOfPdus[] = {"name"};
constexpr std::string_view kLookedUpOfOutlets[] = {"outletID", "outletName"};

bool is_pdu(const Inventory& inventory, const Device& device) {
  return std::ranges::any_of(device.oidsets, [&](const std::string& name) {
    const Oidset* const set = find_oidset(inventory, name);
    return set != nullptr && set->history == HistoryKind::outlets;
  });
}

std::string uri_of_pdu(const Call& call, std::string_view device) { return call.root() + "pdu/" + at_encode(device); }

std::string uri_of_outlet(const Call& call, std::string_view device, std::string_view outlet) {
  return uri_of_pdu(call, device) + "/outlet/" + at_encode(outlet);
}

std::string_view outlet_name_of(const HistoryRow& row) {
  const auto* const text = std::get_if<std::string>(row.attributes.data());  // attributes_of() begins with outletName
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

void append_outlet(Writer& json, const Call& call, const Device& device, const HistoryRow& row) {
  const std::string uri = uri_of_outlet(call, device.name, row.name);
  json.begin_object();
  append_time(json, call, "begin_time", row.begin);
  json.key("children").begin_array();
  append_child(json, true, "load", uri + "/load");
  json.end_array().member("device_uri", uri_of_pdu(call, device.name) + "/");
  append_time(json, call, "end_time", row.end);
  json.member("id", id_of(device.name + "/" + row.name + "/" + std::to_string(row.begin))).member("leaf", false);
  json.member("outletID", row.name);
  const auto names = snmp::inventory::attributes_of(HistoryKind::outlets);
  for (std::size_t i = 0; i < names.size(); ++i) {
    append_attribute(json, names[i], row.attributes[i]);
  }
  json.member("resource_uri", uri).member("uri", uri).end_object();
}

Result<Response> listed_outlets(const Call& call, std::span<const Device* const> devices) {
  VARVE_ASSIGN_OR_RETURN(const Lookups lookups, Lookups::of(call.request, kLookedUpOfOutlets));
  VARVE_ASSIGN_OR_RETURN(const Span span, valid_span(call));
  VARVE_ASSIGN_OR_RETURN(const EsmondPage page, page_of(call, kEsmondListed));
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(call.parts.engine, call.request, "esmond_names"));
  std::string out;
  Writer json(out);
  json.begin_object().key("children").begin_array();
  std::size_t count = 0;
  for (const Device* const device : devices) {
    VARVE_RETURN_IF_ERROR(query->explain(query->check()));
    VARVE_ASSIGN_OR_RETURN(const auto rows, rows_of(call, device->name, HistoryKind::outlets, span));
    for (const HistoryRow& row : rows) {
      if (!lookups.fit("outletID", row.name) || !lookups.fit("outletName", outlet_name_of(row))) continue;
      const std::size_t place = count++;
      if (place < page.offset || (page.limit != 0 && place - page.offset >= page.limit)) continue;
      append_outlet(json, call, *device, row);
    }
  }
  json.end_array().key("meta").raw(meta_json(call, page, count)).end_object();
  return held_by(std::move(query), esmond_json(200, std::move(out)));
}

Result<Response> show_outlet(const Call& call, const Device& device) {
  VARVE_ASSIGN_OR_RETURN(const Span span, valid_span(call));
  VARVE_ASSIGN_OR_RETURN(auto rows, rows_of(call, device.name, HistoryKind::outlets, span));
  std::erase_if(rows, [&](const HistoryRow& row) { return row.name != call.names[2]; });
  const auto newest = std::ranges::max_element(rows, {}, &HistoryRow::begin);
  if (newest == rows.end()) {
    return fail(Code::invalid, "there is no outlet \"" + call.names[2].substr(0, 300) + "\" then");
  }
  std::string out;
  Writer json(out);
  append_outlet(json, call, device, *newest);
  return esmond_json(200, std::move(out));
}

// Samples as they are, their times rounded down to the oidset's frequency.
Result<Response> show_load(const Call& call, const Inventory& inventory, const Device& device) {
  const Oidset* set = nullptr;
  for (const std::string& name : device.oidsets) {
    const Oidset* const one = find_oidset(inventory, name);
    if (set == nullptr && one != nullptr && !one->history && one->find(kLoad) != nullptr) set = one;
  }
  if (set == nullptr) return fail(Code::invalid, "no oidset of the device has " + std::string(kLoad));
  VARVE_ASSIGN_OR_RETURN(const Span span, data_span(call, model::kSecondMs));
  VARVE_RETURN_IF_ERROR(check_span(call, span, model::kSecondMs, set->frequency_ms));
  const std::vector<std::string> path = {"snmp", device.name, set->name, std::string(kLoad), call.names[2]};
  const Source source = source_of(call.parts.engine, call.request.tenant, inventory, path, set->frequency_ms);
  VARVE_ASSIGN_OR_RETURN(auto query, begin_query(call.parts.engine, call.request, "esmond", source.raw.metric));
  const Target* const target = &source.raw;
  VARVE_ASSIGN_OR_RETURN(const auto found,
                         read_samples(call.parts.engine, call.request.tenant, {&target, 1},
                                      {span.begin * model::kSecondMs, (span.end + 1) * model::kSecondMs}, *query));
  std::string out;
  Writer json(out);
  json.begin_object().member("agg", std::to_string(set->frequency_ms / model::kSecondMs));
  json.member("begin_time", span.begin).member("cf", "raw").key("data");
  append_points(json, found[0], {.unit_ms = model::kSecondMs, .snapped_ms = set->frequency_ms});
  json.member("end_time", span.end).member("resource_uri", uri_of_outlet(call, device.name, call.names[2]) + "/load");
  json.end_object();
  return held_by(std::move(query), esmond_json(200, std::move(out)));
}

}  // namespace

Result<Response> list_pdus(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  VARVE_ASSIGN_OR_RETURN(const Lookups lookups, Lookups::of(call.request, kLookedUpOfPdus));
  VARVE_ASSIGN_OR_RETURN(const Span span, valid_span(call));
  VARVE_ASSIGN_OR_RETURN(const EsmondPage page, page_of(call, kEsmondListed));
  std::vector<const Device*> found;
  for (const auto& [name, device] : inventory->devices) {
    const bool fits = lookups.fit("name", name) && overlaps(span, device.begin, device.end);
    if (fits && is_pdu(*inventory, device)) found.push_back(&device);
  }
  std::string out;
  Writer json(out);
  json.begin_array();
  for (const Device* const device : page.of(std::span<const Device* const>(found))) {
    append_device(json, *device, uri_of_pdu(call, device->name), kPduChildren, false);
  }
  json.end_array();
  return esmond_json(200, std::move(out));
}

Result<Response> list_outlets(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  std::vector<const Device*> devices;
  for (const auto& [name, device] : inventory->devices) {
    if (is_pdu(*inventory, device)) devices.push_back(&device);
  }
  return listed_outlets(call, devices);
}

Result<Response> below_pdus(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  VARVE_ASSIGN_OR_RETURN(const Device* const device, device_of(call, *inventory));
  if (!is_pdu(*inventory, *device)) return fail(Code::invalid, "the device has no outlets");
  const std::size_t count = call.names.size();
  if (count == 1) {
    std::string out;
    Writer json(out);
    append_device(json, *device, uri_of_pdu(call, device->name), kPduChildren, true);
    return esmond_json(200, std::move(out));
  }
  if (call.names[1] == "outlet" && count == 2) return listed_outlets(call, {&device, 1});
  if (call.names[1] == "outlet" && count == 3) return show_outlet(call, *device);
  if (call.names[1] == "outlet" && count == 4 && call.names[3] == "load") return show_load(call, *inventory, *device);
  return fail(Code::not_found, "there is no path " + call.request.path.substr(0, 200));
}

}  // namespace varve::api::esmond
