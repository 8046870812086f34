// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/esmond_fixture.h"

#include <algorithm>
#include <map>

#include "snmp/inventory/inventory_json.h"
#include "snmp/inventory/json_fields.h"
#include "snmp/inventory/known_objects.h"
#include "snmp/inventory/utf8_text.h"

namespace varve::snmp::inventory {
namespace {

using protocol::json::Kind;
using protocol::json::Node;

// The oidsets of esmond's fixture in the order of their keys, for a file that has devices only.
constexpr std::string_view kSetsByKey[] = {
    "FastPoll",     "FastPollHC",    "IfRefPoll",    "JnxFirewall",   "CiscoCPU",           "JnxCOS",
    "Errors",       "InfFastPollHC", "InfIfRefPoll", "LSPOpStatus",   "SentryPoll",         "ALUFastPollHC",
    "ALUIfRefPoll", "ALUErrors",     "ALUSAPPoll",   "ALUSAPRefPoll", "SentryOutletRefPoll"};

// By the name without "Correlator". esmond leaves interfaces without ifAlias out; here that is a rule of the user's
// (ifNameDescribed).
constexpr std::pair<std::string_view, std::string_view> kCorrelators[] = {{"IfDescr", "ifName"},
                                                                          {"IfName", "ifName"},
                                                                          {"Index", "index"},
                                                                          {"InfIfDescr", "infIfDescr"},
                                                                          {"InfIfName", "infIfDescr"},
                                                                          {"ALUIfDescr", "aluIfDescr"},
                                                                          {"ALUIfName", "aluIfDescr"},
                                                                          {"ALUSAP", "aluSap"},
                                                                          {"JnxFirewall", "jnxFirewall"},
                                                                          {"JnxCOS", "jnxCos"},
                                                                          {"CiscoCPU", "ciscoCpu"},
                                                                          {"Sentry", "sentry"},
                                                                          {"Emerson", "emerson"},
                                                                          {"Oid", ""}};

constexpr model::Timestamp kEndOfTimeMs = 253'000'000'000'000;  // in the year 9987: esmond's "for ever"

std::string_view text_in(const Node* fields, std::string_view name) {
  const Node* const found = fields == nullptr ? nullptr : fields->find(name);
  return found == nullptr ? std::string_view() : found->text;
}

// What stands behind NAME= among the arguments, which blanks separate.
std::string_view argument(std::string_view arguments, std::string_view name) {
  while (!arguments.empty()) {
    const std::size_t end = std::min(arguments.find(' '), arguments.size());
    const std::string_view one = arguments.substr(0, end);
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) return one.substr(name.size() + 1);
    arguments.remove_prefix(std::min(end + 1, arguments.size()));
  }
  return {};
}

class Fixture {
 public:
  Fixture(Inventory& onto, std::vector<std::string>& credentials, Faults& faults)
      : onto_(onto), credentials_(credentials), faults_(faults) {}

  void read(const Node& root, bool prune) {
    if (!is_list(root, "the body", faults_)) return;
    for (std::size_t i = 0; i < root.children.size(); ++i) file(root.children[i], at("", i));
    if (prune && models_.contains("oidset")) onto_.oidsets.clear();
    if (prune && models_.contains("device")) onto_.devices.clear();
    for (const auto& [key, fields] : models_["oidset"]) add_oidset(key, fields);
    for (const auto& [key, fields] : models_["device"]) add_device(key, fields);
  }

 private:
  using Key = std::string_view;
  using Models = std::map<Key, const Node*>;

  void file(const Node& node, const std::string& place) {
    const std::string_view model = text_in(&node, "model");
    const Node* const fields = node.find("fields");
    if (model.empty() || fields == nullptr || fields->kind != Kind::object) {
      faults_.push_back(place + ": no \"model\" and \"fields\" of a fixture");
      return;
    }
    const std::string_view kind = model.substr(model.rfind('.') + 1);
    const Key pk = text_in(&node, "pk");
    models_[kind].emplace(pk.empty() ? node.text : pk, fields);
    const auto member = [&](std::map<Key, std::vector<Key>>& of, std::string_view one, std::string_view other) {
      of[text_in(fields, one)].push_back(text_in(fields, other));
    };
    if (kind == "oidsetmember") member(members_, "oid_set", "oid");
    if (kind == "deviceoidsetmap") member(sets_, "device", "oid_set");
    if (kind == "devicetagmap") member(tags_, "device", "device_tag");
  }

  const Node* find(std::string_view kind, Key key) const {
    const auto of = models_.find(kind);
    if (of == models_.end()) return nullptr;
    const auto found = of->second.find(key);
    return found == of->second.end() ? nullptr : found->second;
  }

  void add_oidset(Key key, const Node* fields) {
    const std::string name(text_in(fields, "name"));
    const std::string place = "oidsets." + name;
    Oidset set;
    if (const auto known = built_in().oidsets.find(name); known != built_in().oidsets.end()) set = known->second;
    set.name = name;
    if (const Node* const frequency = fields->find("frequency")) {
      read_duration(*frequency, place + ".frequency", set.frequency_ms, faults_);
    }
    const std::string_view arguments = text_in(fields, "poller_args");
    if (const std::string_view said = argument(arguments, "correlator"); !said.empty()) {
      set.correlator = correlator_of(said, set.correlator, place);
    }
    set.aggregates_ms = aggregates_of(argument(arguments, "aggregates"), place);
    if (argument(arguments, "translator") == "IfRefTranslator") {
      set.history = HistoryKind::interfaces;
      if (set.correlator.empty()) set.correlator = "ifNameOrDescr";
    }
    set.objects.clear();
    for (const Key object : members_[key]) add_object(object, place, set);
    // The order of objects means nothing to esmond.
    const auto known = built_in().oidsets.find(name);
    if (known != built_in().oidsets.end() && same(known->second, set)) {
      onto_.oidsets.erase(name);
    } else {
      onto_.oidsets.insert_or_assign(name, std::move(set));
    }
  }

  static bool same(Oidset one, Oidset other) {
    std::ranges::sort(one.objects, {}, &Object::name);
    std::ranges::sort(other.objects, {}, &Object::name);
    return one == other;
  }

  std::string correlator_of(std::string_view said, const std::string& built_in_one, const std::string& place) {
    std::string_view name = said;
    if (name.ends_with("Correlator")) name.remove_suffix(10);
    for (const auto& [esmonds, ours] : kCorrelators) {
      if (esmonds != name) continue;
      // FastPoll of ours takes ifDescr where there is no ifName.
      return ours == "ifName" && built_in_one == "ifNameOrDescr" ? built_in_one : std::string(ours);
    }
    faults_.push_back(place + ".correlator: \"" + std::string(said) + "\" is none of esmond's");
    return {};
  }

  std::vector<std::int64_t> aggregates_of(std::string_view text, const std::string& place) {
    std::vector<std::int64_t> out;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(','), text.size());
      const auto seconds = whole(text.substr(0, end));
      std::int64_t ms = 0;
      if (!seconds || __builtin_mul_overflow(*seconds, model::kSecondMs, &ms)) {
        faults_.push_back(place + ".aggregates: \"" + std::string(text.substr(0, end)) +
                          "\" is not a number of seconds");
        return {};
      }
      out.push_back(ms);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
  }

  void add_object(Key key, const std::string& place, Oidset& set) {
    const Node* const fields = find("oid", key);
    if (fields == nullptr) {
      faults_.push_back(place + ".objects: there is no api.oid " + std::string(key));
      return;
    }
    std::string_view name = text_in(fields, "name");
    if (const std::size_t module = name.rfind("::"); module != std::string_view::npos) name.remove_prefix(module + 2);
    auto object = object_of(name);
    if (!object) {
      faults_.push_back(place + ".objects: the oid of \"" + std::string(name) +
                        "\" is not known here; define the set by itself");
      return;
    }
    object->aggregate = text_in(fields, "aggregate") == "true";
    object->alias = text_in(fields, "endpoint_alias");
    set.objects.push_back(std::move(*object));
  }

  void add_device(Key key, const Node* fields) {
    const std::string name(text_in(fields, "name"));
    const std::string place = "devices." + name;
    const auto [found, is_new] = onto_.devices.try_emplace(name);
    Device& device = found->second;
    device.name = name;
    if (is_new) device.address = name;
    if (const Node* const active = fields->find("active"))
      read_switch(*active, place + ".active", true, device.active, faults_);
    if (const Node* const begin = fields->find("begin_time"))
      read_time(*begin, place + ".begin_time", device.begin, faults_);
    if (const Node* const end = fields->find("end_time")) read_time(*end, place + ".end_time", device.end, faults_);
    if (device.end && *device.end >= kEndOfTimeMs) device.end.reset();
    if (const std::string_view community = text_in(fields, "community"); !community.empty()) {
      device.credential = credential_of(community, name);
    }
    device.oidsets.clear();
    for (const Key set : sets_[key]) add_set(set, place, device);
    for (const Key tag : tags_[key]) device.tags[std::string(text_in(find("devicetag", tag), "name"))] = "";
  }

  void add_set(Key key, const std::string& place, Device& device) {
    std::string name(text_in(find("oidset", key), "name"));
    const auto number = whole(key);
    if (name.empty() && number && *number >= 1 && *number <= static_cast<std::int64_t>(std::size(kSetsByKey))) {
      name = kSetsByKey[static_cast<std::size_t>(*number - 1)];
    }
    if (name.empty()) {
      faults_.push_back(place + ".oidsets: there is no api.oidset " + std::string(key));
    } else if (std::ranges::find(device.oidsets, name) == device.oidsets.end()) {
      device.oidsets.push_back(std::move(name));
    }
  }

  std::string credential_of(std::string_view community, const std::string& device) {
    std::string& name = by_community_[community];
    if (name.empty()) {
      name = utf8_text("community-of-" + device, kNameBytesMax);
      credentials_.push_back(name);
    }
    return name;
  }

  Inventory& onto_;
  std::vector<std::string>& credentials_;
  Faults& faults_;
  std::map<std::string_view, Models> models_;
  std::map<Key, std::vector<Key>> members_, sets_, tags_;
  std::map<std::string_view, std::string> by_community_;
};

}  // namespace

void read_fixture(const Node& root, bool prune, Inventory& onto, std::vector<std::string>& credentials,
                  Faults& faults) {
  Fixture(onto, credentials, faults).read(root, prune);
}

}  // namespace varve::snmp::inventory
