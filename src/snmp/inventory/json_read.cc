// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/inventory_json.h"

#include <set>

#include "snmp/inventory/index_text.h"

namespace varve::snmp::inventory {
namespace {

using protocol::json::Kind;
using protocol::json::Node;
using Place = const std::string&;

// What is shown and not set.
template <class Of>
void pass(const Node&, Place, Of&, Faults&) {}

void read_oid(const Node& node, Place place, Oid& to, Faults& faults) {
  std::string text;
  const std::size_t before = faults.size();
  read_text(node, place, text, faults);
  if (faults.size() > before) return;
  auto oid = parse_oid(text);
  if (!oid) {
    faults.push_back(place + ": \"" + text.substr(0, 100) +
                     "\" is not an oid; write numbers with dots: 1.3.6.1.2.1.1.3.0");
    return;
  }
  to = std::move(*oid);
}

void read_pairs(const Node& node, Place place, std::vector<std::pair<std::string, std::string>>& to, Faults& faults) {
  to.clear();
  if (node.kind == Kind::null || !is_object(node, place, faults)) return;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    auto& [key, value] = to.emplace_back(node.names[i], std::string());
    read_text(node.children[i], at(place, key), value, faults);
  }
}

// A field of a plain member: FIELD(Device, address, read_text)
#define VARVE_FIELD(of, member, read) \
  {#member, [](const Node& n, Place p, of& o, Faults& f) { read(n, p, o.member, f); }}

constexpr Field<Device> kDeviceFields[] = {
    VARVE_FIELD(Device, address, read_text),
    {"credential",
     [](const Node& n, Place p, Device& d, Faults& f) {
       read_text(n, p, d.credential, f);
       if (d.credential.empty()) d.credential = kDefaultCredential;
     }},
    {"oidsets", [](const Node& n, Place p, Device& d, Faults& f) { read_list(n, p, d.oidsets, f, read_text); }},
    {"active", [](const Node& n, Place p, Device& d, Faults& f) { read_switch(n, p, true, d.active, f); }},
    VARVE_FIELD(Device, begin, read_time),
    VARVE_FIELD(Device, end, read_time),
    {"tags",
     [](const Node& n, Place p, Device& d, Faults& f) {
       std::vector<std::pair<std::string, std::string>> tags;
       read_pairs(n, p, tags, f);
       d.tags = {tags.begin(), tags.end()};
     }},
    {"name", pass<Device>},
    {"state", pass<Device>},
    {"last_poll", pass<Device>},
    {"last_error", pass<Device>},
    {"left_out", pass<Device>},
    {"unknown_increases", pass<Device>},
    {"interfaces", pass<Device>},
};

constexpr Field<StandIn> kStandInFields[] = {VARVE_FIELD(StandIn, name, read_text),
                                             VARVE_FIELD(StandIn, oid, read_oid)};

void read_type(const Node& node, Place place, ObjectType& to, Faults& faults) {
  std::string text;
  const std::size_t before = faults.size();
  read_text(node, place, text, faults);
  if (faults.size() > before) return;
  const auto type = object_type_of(text);
  if (type) {
    to = *type;
    return;
  }
  faults.push_back(place + ": \"" + text.substr(0, 100) +
                   "\" is not a type; allowed is Counter32, Counter64, Gauge32, TimeTicks, Integer32, IpAddress, "
                   "DisplayString, PhysAddress or ObjectIdentifier");
}

void read_stand_in(const Node& node, Place place, std::optional<StandIn>& to, Faults& faults) {
  to.reset();
  if (node.kind != Kind::null) read_fields(node, place, kStandInFields, to.emplace(), faults);
}

constexpr Field<Object> kObjectFields[] = {
    VARVE_FIELD(Object, name, read_text),
    VARVE_FIELD(Object, oid, read_oid),
    VARVE_FIELD(Object, type, read_type),
    {"aggregate", [](const Node& n, Place p, Object& o, Faults& f) { read_switch(n, p, false, o.aggregate, f); }},
    VARVE_FIELD(Object, alias, read_text),
    VARVE_FIELD(Object, stand_in, read_stand_in),
};

void read_object(const Node& node, Place place, Object& to, Faults& faults) {
  const std::size_t before = faults.size();
  read_fields(node, place, kObjectFields, to, faults);
  if (faults.size() == before && node.find("type") == nullptr) faults.push_back(place + ".type: it is missing");
}

void read_history(const Node& node, Place place, std::optional<HistoryKind>& to, Faults& faults) {
  std::string text;
  read_text(node, place, text, faults);
  to = history_kind_of(text);
  if (!text.empty() && !to) {
    faults.push_back(place + ": \"" + text.substr(0, 100) +
                     "\" is not kept; allowed is interfaces, saps, outlets or lsps");
  }
}

constexpr Field<Oidset> kOidsetFields[] = {
    {"frequency", [](const Node& n, Place p, Oidset& o, Faults& f) { read_duration(n, p, o.frequency_ms, f); }},
    VARVE_FIELD(Oidset, correlator, read_text),
    {"aggregates",
     [](const Node& n, Place p, Oidset& o, Faults& f) { read_list(n, p, o.aggregates_ms, f, read_duration); }},
    {"objects", [](const Node& n, Place p, Oidset& o, Faults& f) { read_list(n, p, o.objects, f, read_object); }},
    VARVE_FIELD(Oidset, history, read_history),
    {"name", pass<Oidset>},
    {"built_in", pass<Oidset>},
};

void read_kind(const Node& node, Place place, IndexKind& to, Faults& faults) {
  std::string text;
  read_text(node, place, text, faults);
  if (const auto kind = index_kind_of(text)) {
    to = *kind;
    return;
  }
  faults.push_back(place + ": \"" + text.substr(0, 100) +
                   "\" is not a kind; allowed is number, text, rest, rest_text, address or alu_port");
}

constexpr Field<IndexPart> kPartFields[] = {VARVE_FIELD(IndexPart, name, read_text),
                                            VARVE_FIELD(IndexPart, kind, read_kind),
                                            VARVE_FIELD(IndexPart, names, read_pairs)};
constexpr Field<Column> kColumnFields[] = {
    VARVE_FIELD(Column, name, read_text),
    VARVE_FIELD(Column, oid, read_oid),
    {"index", [](const Node& n, Place p, Column& c, Faults& f) { read_list(n, p, c.index, f, read_text); }},
};
constexpr Field<TagRule> kTagFields[] = {
    VARVE_FIELD(TagRule, name, read_text),     VARVE_FIELD(TagRule, value, read_text),
    VARVE_FIELD(TagRule, until, read_text),    VARVE_FIELD(TagRule, after, read_text),
    VARVE_FIELD(TagRule, replace, read_pairs), VARVE_FIELD(TagRule, otherwise, read_text)};
constexpr Field<RowRule> kRuleFields[] = {
    VARVE_FIELD(RowRule, column, read_text),
    {"is",
     [](const Node& n, Place p, RowRule& r, Faults& f) {
       r.negated = false;
       read_text(n, p, r.value, f);
     }},
    {"is_not",
     [](const Node& n, Place p, RowRule& r, Faults& f) {
       r.negated = true;
       read_text(n, p, r.value, f);
     }},
};
#undef VARVE_FIELD

void read_rule(const Node& node, Place place, RowRule& to, Faults& faults) {
  read_fields(node, place, kRuleFields, to, faults);
  if ((node.find("is") == nullptr) == (node.find("is_not") == nullptr)) {
    faults.push_back(place + ": either \"is\" or \"is_not\" says what the text must be");
  }
}

template <class Of, std::size_t n>
auto reader_of(const Field<Of> (&fields)[n]) {
  return [&fields](const Node& node, Place place, Of& to, Faults& faults) {
    read_fields(node, place, fields, to, faults);
  };
}

constexpr Field<Layout> kLayoutFields[] = {
    {"index",
     [](const Node& n, Place p, Layout& l, Faults& f) { read_list(n, p, l.index, f, reader_of(kPartFields)); }},
    {"columns",
     [](const Node& n, Place p, Layout& l, Faults& f) { read_list(n, p, l.columns, f, reader_of(kColumnFields)); }},
    {"tags", [](const Node& n, Place p, Layout& l, Faults& f) { read_list(n, p, l.tags, f, reader_of(kTagFields)); }},
    {"where", [](const Node& n, Place p, Layout& l, Faults& f) { read_list(n, p, l.where, f, read_rule); }},
};
constexpr Field<Correlator> kCorrelatorFields[] = {
    {"layouts",
     [](const Node& n, Place p, Correlator& c, Faults& f) { read_list(n, p, c.layouts, f, reader_of(kLayoutFields)); }},
    {"name", pass<Correlator>},
    {"built_in", pass<Correlator>},
};

void give_default_oidsets(Device& device) {
  device.oidsets.assign(std::begin(kDefaultOidsets), std::end(kDefaultOidsets));
}

void begin_new(const Named<Device>&, Device& device) { give_default_oidsets(device); }
template <class Of>
void begin_new(const Named<Of>& built_in, Of& of) {
  if (const auto found = built_in.find(of.name); found != built_in.end()) of = found->second;
}

// One of the three parts of an import.
template <class Of>
void read_named(const Node* node, Place place, bool prune, const Named<Of>& built_in, Named<Of>& onto, Faults& faults) {
  if (node == nullptr || !is_object(*node, place, faults)) return;
  std::set<std::string_view> named(node->names.begin(), node->names.end());
  if (prune) std::erase_if(onto, [&](const auto& entry) { return !named.contains(entry.first); });
  for (std::size_t i = 0; i < node->children.size(); ++i) {
    const std::string name(node->names[i]);
    const auto [found, is_new] = onto.try_emplace(name);
    if (is_new) {
      found->second.name = name;
      begin_new(built_in, found->second);
    }
    read_onto(node->children[i], at(place, name), found->second, faults);
    // What says the same as the built-in one is that one.
    const auto same = built_in.find(name);
    if (same != built_in.end() && same->second == found->second) onto.erase(found);
  }
}

}  // namespace

void read_onto(const Node& node, Place place, Device& onto, Faults& faults) {
  read_fields(node, place, kDeviceFields, onto, faults);
}
void read_onto(const Node& node, Place place, Oidset& onto, Faults& faults) {
  read_fields(node, place, kOidsetFields, onto, faults);
}
void read_onto(const Node& node, Place place, Correlator& onto, Faults& faults) {
  read_fields(node, place, kCorrelatorFields, onto, faults);
}

void read_import(const Node& root, bool prune, Inventory& onto, Faults& faults) {
  if (!is_object(root, "", faults)) return;
  for (const std::string_view name : root.names) {
    if (name != "devices" && name != "oidsets" && name != "correlators") {
      add_unknown_field("", name, "devices, oidsets, correlators", faults);
    }
  }
  read_named(root.find("correlators"), "correlators", prune, built_in().correlators, onto.correlators, faults);
  read_named(root.find("oidsets"), "oidsets", prune, built_in().oidsets, onto.oidsets, faults);
  read_named(root.find("devices"), "devices", prune, built_in().devices, onto.devices, faults);
}

}  // namespace varve::snmp::inventory
