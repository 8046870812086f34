// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/index_text.h"
#include "snmp/inventory/inventory_json.h"

namespace varve::snmp::inventory {
namespace {

using protocol::json::Writer;

template <class Of>
void write_named(Writer& json, const char* key, const Named<Of>& named) {
  json.key(key).begin_object();
  for (const auto& [name, of] : named) {
    json.key(name).begin_object();
    write_fields(json, of);
    json.end_object();
  }
  json.end_object();
}

void write_time(Writer& json, const char* key, std::optional<model::Timestamp> time) {
  json.key(key);
  if (time) {
    json.value(*time);
  } else {
    json.null();
  }
}

void write_layout(Writer& json, const Layout& layout) {
  json.begin_object().key("index").begin_array();
  for (const IndexPart& part : layout.index) {
    json.begin_object().member("name", part.name).member("kind", to_text(part.kind));
    if (!part.names.empty()) json.key("names").object(part.names);
    json.end_object();
  }
  json.end_array().key("columns").begin_array();
  for (const Column& column : layout.columns) {
    json.begin_object().member("name", column.name).member("oid", to_text(column.oid)).key("index").array(column.index);
    json.end_object();
  }
  json.end_array().key("tags").begin_array();
  for (const TagRule& tag : layout.tags) {
    json.begin_object().member("name", tag.name).member("value", tag.value);
    if (!tag.until.empty()) json.member("until", tag.until);
    if (!tag.after.empty()) json.member("after", tag.after);
    if (!tag.replace.empty()) json.key("replace").object(tag.replace);
    if (!tag.otherwise.empty()) json.member("otherwise", tag.otherwise);
    json.end_object();
  }
  json.end_array().key("where").begin_array();
  for (const RowRule& rule : layout.where) {
    json.begin_object().member("column", rule.column).member(rule.negated ? "is_not" : "is", rule.value).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

void write_fields(Writer& json, const Device& device) {
  json.member("address", device.address).member("credential", device.credential);
  json.key("oidsets").array(device.oidsets).member("active", device.active);
  write_time(json, "begin", device.begin);
  write_time(json, "end", device.end);
  json.key("tags").object(device.tags);
}

void write_fields(Writer& json, const Oidset& oidset) {
  json.member("frequency", duration_text(oidset.frequency_ms)).member("correlator", oidset.correlator);
  json.key("aggregates").begin_array();
  for (const std::int64_t width : oidset.aggregates_ms) json.value(duration_text(width));
  json.end_array();
  if (oidset.history) json.member("history", to_text(*oidset.history));
  json.key("objects").begin_array();
  for (const Object& object : oidset.objects) {
    json.begin_object().member("name", object.name).member("oid", to_text(object.oid));
    json.member("type", to_text(object.type)).member("aggregate", object.aggregate);
    if (!object.alias.empty()) json.member("alias", object.alias);
    if (object.stand_in) {
      json.key("stand_in").begin_object().member("name", object.stand_in->name);
      json.member("oid", to_text(object.stand_in->oid)).end_object();
    }
    json.end_object();
  }
  json.end_array();
}

void write_fields(Writer& json, const Correlator& correlator) {
  json.key("layouts").begin_array();
  for (const Layout& layout : correlator.layouts) write_layout(json, layout);
  json.end_array();
}

std::string to_json(const Inventory& inventory) {
  std::string out;
  Writer json(out);
  json.begin_object();
  write_named(json, "correlators", inventory.correlators);
  write_named(json, "oidsets", inventory.oidsets);
  write_named(json, "devices", inventory.devices);
  json.end_object();
  return out;
}

}  // namespace varve::snmp::inventory
