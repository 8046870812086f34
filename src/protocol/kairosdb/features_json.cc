// SPDX-License-Identifier: Apache-2.0
// Features in the shape that KairosDB's own query builder and Grafana's read.
#include <algorithm>

#include "protocol/json/writer.h"
#include "protocol/kairosdb/features.h"

namespace varve::protocol::kairosdb {
namespace {

using json::Writer;

void append_properties(Writer& json, const std::vector<Property>& properties);

void append_options(Writer& json, const Property& property) {
  json.key("options").array(property.options);
  json.member("defaultValue", property.default_value).member("autocomplete", property.autocomplete);
}

void append_checks(Writer& json, const std::vector<Check>& checks) {
  json.key("validations").begin_array();
  for (const Check& check : checks) {
    json.begin_object().member("expression", check.expression).member("type", "js");
    json.member("message", check.message).end_object();
  }
  json.end_array();
}

// One that is made of others has no default, options or checks of its own.
void append_property(Writer& json, const Property& property) {
  json.begin_object().member("name", property.name).member("label", property.label);
  if (!property.description.empty()) json.member("description", property.description);
  json.member("optional", false).member("type", property.type);
  if (property.parts.empty()) append_options(json, property);
  json.member("multiline", false);
  if (property.parts.empty()) {
    append_checks(json, property.checks);
  } else {
    append_properties(json, property.parts);
  }
  json.end_object();
}

void append_properties(Writer& json, const std::vector<Property>& properties) {
  json.key("properties").begin_array();
  for (const Property& property : properties) append_property(json, property);
  json.end_array();
}

void append_features(Writer& json, std::span<const Feature* const> features) {
  json.begin_array();
  for (const Feature* feature : features) {
    json.begin_object().member("name", feature->name).member("label", feature->label);
    json.member("description", feature->description);
    append_properties(json, feature->properties);
    json.end_object();
  }
  json.end_array();
}

void append_group(Writer& json, std::string_view name, std::string_view label,
                  std::span<const Feature* const> features) {
  json.begin_object().member("name", name).member("label", label).key("properties");
  append_features(json, features);
  json.end_object();
}

std::vector<const Feature*> pointers(std::span<const Feature> features) {
  std::vector<const Feature*> out;
  for (const Feature& feature : features) out.push_back(&feature);
  return out;
}

}  // namespace

std::string features_json() {
  std::string out;
  Writer json(out);
  json.begin_array();
  append_group(json, "group_by", "Group By", pointers(group_by_features()));
  auto aggregators = pointers(aggregator_features());
  std::ranges::sort(aggregators, {}, &Feature::label);
  append_group(json, "aggregators", "Aggregator", aggregators);
  json.end_array();
  return out;
}

std::optional<std::string> features_json(std::string_view group) {
  std::string out;
  Writer json(out);
  if (group == "aggregators") {
    append_features(json, pointers(aggregator_features()));
  } else if (group == "group_by") {
    append_features(json, pointers(group_by_features()));
  } else {
    return std::nullopt;
  }
  return out;
}

}  // namespace varve::protocol::kairosdb
