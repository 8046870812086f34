// SPDX-License-Identifier: Apache-2.0
// What KairosDB's query language offers, described for query builders: each aggregator and each way of grouping with
// its properties, their types, defaults and the checks that a builder makes (JavaScript, on `value`).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace varve::protocol::kairosdb {

struct Check {
  std::string_view expression, message;
};

struct Property {
  std::string_view name, label, description;
  std::string_view type;  // in KairosDB's words; "Object" with `parts` is made of those
  std::string_view default_value = {};
  std::vector<std::string_view> options = {};
  std::vector<Check> checks = {};
  std::string_view autocomplete = {};
  std::vector<Property> parts = {};
};

struct Feature {
  std::string_view name, label, description;
  std::vector<Property> properties;
};

// By name.
std::span<const Feature> aggregator_features();
std::span<const Feature> group_by_features();
// Does it make points of windows?
bool is_range_aggregator(std::string_view name);

// All of it: an array of the two groups; in it aggregators stand by label.
std::string features_json();
// One group's: "aggregators" or "group_by"; nullopt: there is no such group.
std::optional<std::string> features_json(std::string_view group);

}  // namespace varve::protocol::kairosdb
