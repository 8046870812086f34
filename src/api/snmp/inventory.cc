// SPDX-License-Identifier: Apache-2.0
#include "api/snmp/inventory.h"

#include "api/shared/routes.h"
#include "api/snmp/answers.h"
#include "protocol/json/tree.h"
#include "snmp/inventory/esmond_fixture.h"
#include "snmp/inventory/inventory_json.h"

namespace varve::api {
namespace {

using protocol::json::Node;
using protocol::json::Writer;
using snmp::inventory::Correlator;
using snmp::inventory::Device;
using snmp::inventory::Faults;
using snmp::inventory::Inventory;
using snmp::inventory::Oidset;
using Edited = snmp::inventory::InventoryStore::Edited;

struct SnmpCall {
  const SnmpContext& context;
  const Request& request;
  std::string name;  // of the path; "" where it has none

  // As of now, whoever changed it.
  [[nodiscard]] Result<std::shared_ptr<const Inventory>> inventory() const {
    VARVE_RETURN_IF_ERROR(context.inventory.refresh());
    return context.inventory.of(request.tenant);
  }
};

// What is different about devices, oidsets and correlators. Devices are never built in.
struct Devices {
  using Of = Device;
  static constexpr const char* kKey = "devices";
  static constexpr const char* kOne = "device";
  template <class In>
  static auto& in(In& inventory) {
    return inventory.devices;
  }
  static void append(Writer& json, const SnmpCall& call, const Device& device, bool) {
    auto status = call.context.statuses.find(call.request.tenant, device.name);
    // As its first poll will say, to who has just added it.
    if (device.active && status.last_error.empty() && call.context.poll_now &&
        call.context.inventory.lacks_credentials()) {
      status.last_error =
          snmp::inventory::no_credential(device.credential) + ": snmp.credentials, their file, is not set";
    }
    append_device(json, device, status);
  }
};
template <class T>
struct Definitions {
  using Of = T;
  static void append(Writer& json, const SnmpCall&, const T& of, bool is_built_in) {
    append_definition(json, of, is_built_in);
  }
};
struct Oidsets : Definitions<Oidset> {
  static constexpr const char* kKey = "oidsets";
  static constexpr const char* kOne = "oidset";
  template <class In>
  static auto& in(In& inventory) {
    return inventory.oidsets;
  }
};
struct Correlators : Definitions<Correlator> {
  static constexpr const char* kKey = "correlators";
  static constexpr const char* kOne = "correlator";
  template <class In>
  static auto& in(In& inventory) {
    return inventory.correlators;
  }
};

template <class Kind>
std::string shown(const SnmpCall& call, const typename Kind::Of& of, bool is_built_in) {
  std::string out;
  Writer json(out);
  Kind::append(json, call, of, is_built_in);
  return out;
}

template <class Kind>
const typename Kind::Of* built_in_of(const std::string& name) {
  const auto& all = Kind::in(snmp::inventory::built_in());
  const auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

template <class Kind>
Response none_such(const SnmpCall& call) {
  return call.request.error(404, std::string("there is no ") + Kind::kOne + " \"" + call.name.substr(0, 300) + "\"");
}

template <class Kind>
Result<Response> list_all(const SnmpCall& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  const auto& own = Kind::in(*inventory);
  std::map<std::string_view, std::pair<const typename Kind::Of*, bool>> all;  // whether it is built in
  for (const auto& [name, of] : Kind::in(snmp::inventory::built_in())) all[name] = {&of, true};
  for (const auto& [name, of] : own) all[name] = {&of, false};
  std::string out;
  Writer json(out);
  json.begin_object().key(Kind::kKey).begin_array();
  for (const auto& [name, of] : all) Kind::append(json, call, *of.first, of.second);
  json.end_array().end_object();
  return Response::own_json(200, std::move(out));
}

// One of the tenant's own, or else the built-in one.
template <class Kind>
Response answer_of_one(const SnmpCall& call, const Inventory& inventory, const std::string& name, int status) {
  const auto& own = Kind::in(inventory);
  if (const auto found = own.find(name); found != own.end()) {
    return Response::own_json(status, shown<Kind>(call, found->second, false));
  }
  if (const auto* const found = built_in_of<Kind>(name))
    return Response::own_json(status, shown<Kind>(call, *found, true));
  return none_such<Kind>(call);
}

template <class Kind>
Result<Response> show_one(const SnmpCall& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  return answer_of_one<Kind>(call, *inventory, call.name, 200);
}

// Reads a body onto the definition of a name, as an import of it alone would: with the same defaults and faults.
template <class Kind>
void read_one(const Node& body, const std::string& name, Inventory& inventory, Faults& faults) {
  Node root;
  root.kind = protocol::json::Kind::object;
  root.names = {Kind::kKey};
  Node& named = root.children.emplace_back();
  named.kind = protocol::json::Kind::object;
  named.names = {name};
  named.children = {body};
  read_import(root, false, inventory, faults);
}

template <class Kind>
Response answer_of_change(const SnmpCall& call, const std::string& name, const Edited& edited, int status) {
  if (!edited.faults.empty()) return faults_response(edited.faults);
  // Where somebody removed it just now, there is none.
  return answer_of_one<Kind>(call, *call.context.inventory.of(call.request.tenant), name, status);
}

template <class Kind>
Result<Response> add_one(const SnmpCall& call) {
  protocol::json::Reader reader(call.request.body);
  VARVE_ASSIGN_OR_RETURN(const Node body, protocol::json::read_strict(reader));
  const Node* const named = body.find("name");
  if (named == nullptr || named->kind != protocol::json::Kind::string) {
    return faults_response({"name: a text is missing"});
  }
  const std::string name(named->text);
  bool is_there = false;
  VARVE_ASSIGN_OR_RETURN(const Edited edited,
                         call.context.inventory.change(call.request.tenant, false, [&](Inventory& to, Faults& faults) {
                           is_there = Kind::in(to).contains(name);
                           if (!is_there) read_one<Kind>(body, name, to, faults);
                         }));
  if (is_there) {
    return call.request.error(409,
                              std::string("there is a ") + Kind::kOne + " \"" + name + "\" already; PUT changes it");
  }
  return answer_of_change<Kind>(call, name, edited, 201);
}

template <class Kind>
Result<Response> change_one(const SnmpCall& call) {
  protocol::json::Reader reader(call.request.body);
  VARVE_ASSIGN_OR_RETURN(const Node body, protocol::json::read_strict(reader));
  bool is_there = false;
  VARVE_ASSIGN_OR_RETURN(const Edited edited,
                         call.context.inventory.change(call.request.tenant, false, [&](Inventory& to, Faults& faults) {
                           is_there = Kind::in(to).contains(call.name);
                           read_one<Kind>(body, call.name, to, faults);
                         }));
  return answer_of_change<Kind>(call, call.name, edited, is_there ? 200 : 201);
}

template <class Kind>
Result<Response> remove_one(const SnmpCall& call) {
  bool is_there = false;
  VARVE_ASSIGN_OR_RETURN(const Edited edited,
                         call.context.inventory.change(call.request.tenant, false, [&](Inventory& from, Faults&) {
                           is_there = Kind::in(from).erase(call.name) != 0;
                         }));
  if (!edited.faults.empty()) return faults_response(edited.faults);
  if (is_there) return Response::empty(204);
  if (built_in_of<Kind>(call.name) == nullptr) return none_such<Kind>(call);
  return call.request.error(409, std::string("the ") + Kind::kOne + " \"" + call.name + "\" is built in; it stays");
}

bool is_on(const Request& request, std::string_view name) {
  const auto said = request.param(name);
  return said && (said->empty() || *said == "1" || *said == "true");
}

Result<Response> import_all(const SnmpCall& call) {
  protocol::json::Reader reader(call.request.body);
  VARVE_ASSIGN_OR_RETURN(const Node body, protocol::json::read_strict(reader));
  std::vector<std::string> credentials;
  const bool prune = is_on(call.request, "prune");
  VARVE_ASSIGN_OR_RETURN(const Edited edited,
                         call.context.inventory.change(call.request.tenant, is_on(call.request, "check"),
                                                       [&](Inventory& onto, Faults& faults) {
                                                         if (body.kind == protocol::json::Kind::array) {
                                                           read_fixture(body, prune, onto, credentials, faults);
                                                         } else {
                                                           read_import(body, prune, onto, faults);
                                                         }
                                                       }));
  if (!edited.faults.empty()) return faults_response(edited.faults);
  return Response::own_json(200, counts_json(edited.counts, credentials));
}

Result<Response> export_all(const SnmpCall& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  return Response::own_json(200, to_json(*inventory));
}

Result<Response> poll_one(const SnmpCall& call) {
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  const auto found = inventory->devices.find(call.name);
  if (found == inventory->devices.end()) return none_such<Devices>(call);
  const std::string oidset(call.request.param("oidset").value_or(""));
  if (!oidset.empty() && find_oidset(*inventory, oidset) == nullptr) {
    return call.request.error(404, "there is no oidset \"" + oidset.substr(0, 300) + "\"");
  }
  if (!call.context.poll_now) {
    return call.request.error(503, "this process does not poll devices; ask one whose roles have poll");
  }
  VARVE_ASSIGN_OR_RETURN(const auto sets,
                         call.context.poll_now(call.request.tenant, *inventory, found->second, oidset));
  return Response::own_json(200, polled_json(call.name, sets));
}

using SnmpWork = Result<Response> (*)(const SnmpCall&);

struct InventoryParts {
  SnmpContext context;
  Endpoint endpoint;
};

template <SnmpWork work>
Result<Response> snmp_call(const InventoryParts& parts, const Request& request) {
  const SnmpCall call{parts.context, request, std::string(request.captured("name"))};
  if (!protocol::json::is_utf8(call.name)) return request.error(404, "a name is UTF-8");
  return work(call);
}
template <SnmpWork work>
constexpr OnPool<InventoryParts> kSnmpCall{snmp_call<work>, &InventoryParts::endpoint};

constexpr Route<InventoryParts> kInventoryRoutes[] = {
    {Method::get, "/api/v1/snmp/devices", kSnmpCall<list_all<Devices>>},
    {Method::post, "/api/v1/snmp/devices", kSnmpCall<add_one<Devices>>, Effect::writes},
    {Method::get, "/api/v1/snmp/devices/{name}", kSnmpCall<show_one<Devices>>},
    {Method::put, "/api/v1/snmp/devices/{name}", kSnmpCall<change_one<Devices>>, Effect::writes},
    {Method::delete_, "/api/v1/snmp/devices/{name}", kSnmpCall<remove_one<Devices>>, Effect::writes},
    {Method::get, "/api/v1/snmp/oidsets", kSnmpCall<list_all<Oidsets>>},
    {Method::post, "/api/v1/snmp/oidsets", kSnmpCall<add_one<Oidsets>>, Effect::writes},
    {Method::get, "/api/v1/snmp/oidsets/{name}", kSnmpCall<show_one<Oidsets>>},
    {Method::put, "/api/v1/snmp/oidsets/{name}", kSnmpCall<change_one<Oidsets>>, Effect::writes},
    {Method::delete_, "/api/v1/snmp/oidsets/{name}", kSnmpCall<remove_one<Oidsets>>, Effect::writes},
    {Method::get, "/api/v1/snmp/correlators", kSnmpCall<list_all<Correlators>>},
    {Method::post, "/api/v1/snmp/correlators", kSnmpCall<add_one<Correlators>>, Effect::writes},
    {Method::get, "/api/v1/snmp/correlators/{name}", kSnmpCall<show_one<Correlators>>},
    {Method::put, "/api/v1/snmp/correlators/{name}", kSnmpCall<change_one<Correlators>>, Effect::writes},
    {Method::delete_, "/api/v1/snmp/correlators/{name}", kSnmpCall<remove_one<Correlators>>, Effect::writes},
    {Method::post, "/api/v1/snmp/import", kSnmpCall<import_all>, Effect::writes},
    {Method::get, "/api/v1/snmp/export", kSnmpCall<export_all>},
    // It sends a secret to where the device is said to be, so it is for those who may say where that is.
    {Method::post, "/api/v1/snmp/devices/{name}/poll", kSnmpCall<poll_one>, Effect::writes},
};

}  // namespace

void add_snmp_inventory(Router& router, const SnmpContext& context) {
  const auto parts = std::make_shared<const InventoryParts>(InventoryParts{context, Endpoint(context.pool, status_of)});
  add_routes(router, parts, kInventoryRoutes, http::plain_error);
}

}  // namespace varve::api
