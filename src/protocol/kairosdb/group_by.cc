// SPDX-License-Identifier: Apache-2.0
#include "protocol/kairosdb/group_by.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "protocol/json/writer.h"

namespace varve::protocol::kairosdb {

namespace {

using json::Kind;
using json::Node;

Status check_properties(const Node& node, std::string_view java_class, std::initializer_list<std::string_view> known) {
  for (const std::string_view name : node.names) {
    if (name == "name" || std::ranges::find(known, name) != known.end()) continue;
    return unknown_property(name, node.find("name")->text, "groupby", java_class);
  }
  return {};
}

Result<std::vector<std::string>> tags_of(const Node& node, const std::string& context) {
  VARVE_RETURN_IF_ERROR(check_properties(node, "TagGroupBy", {"tags"}));
  const Node* tags = node.find("tags");
  if (tags == nullptr) return invalid(context + ".tags may not be null");
  if (tags->kind != Kind::array || tags->children.empty()) {
    return invalid(context + ".tags may not be empty");
  }
  std::vector<std::string> keys;
  for (const Node& tag : tags->children) {
    if (tag.text.empty()) return invalid(context + ".tags may not hold an empty name");
    if (std::ranges::find(keys, tag.text) == keys.end()) keys.emplace_back(tag.text);
  }
  return keys;
}

Result<GroupByTime> time_of(const Node& node, const std::string& context) {
  VARVE_RETURN_IF_ERROR(check_properties(node, "TimeGroupBy", {"range_size", "group_count"}));
  GroupByTime out;
  const Node* size = node.find("range_size");
  if (size != nullptr) {
    VARVE_ASSIGN_OR_RETURN(out.range_size, length_of(*size, 0, context, context + ".range_size"));
  }
  if (const Node* count = node.find("group_count")) {
    VARVE_ASSIGN_OR_RETURN(out.group_count, whole_of(*count));
  }
  if (size == nullptr) return invalid(context + ".rangeSize may not be null");
  if (out.group_count < 1) return invalid(context + ".groupCount must be greater than or equal to 1");
  return out;
}

Result<GroupByValue> value_of(const Node& node, const std::string& context) {
  VARVE_RETURN_IF_ERROR(check_properties(node, "ValueGroupBy", {"range_size"}));
  GroupByValue out;
  if (const Node* size = node.find("range_size")) {
    VARVE_ASSIGN_OR_RETURN(out.range_size, whole_of(*size));
  }
  if (out.range_size < 1) return invalid(context + ".rangeSize must be greater than or equal to 1");
  return out;
}

Result<GroupByBin> bin_of(const Node& node, const std::string& context) {
  VARVE_RETURN_IF_ERROR(check_properties(node, "BinGroupBy", {"bins"}));
  const Node* bins = node.find("bins");
  if (bins == nullptr) return invalid(context + ".bins may not be null");
  if (bins->kind != Kind::array || bins->children.empty()) return invalid(context + ".bins may not be empty");
  GroupByBin out;
  for (const Node& bin : bins->children) {
    VARVE_ASSIGN_OR_RETURN(const double bound, real_of(bin, context + ".bins"));
    out.bins.push_back(bound);
  }
  return out;
}

std::string_view name_of(model::TimeUnit unit) {
  static constexpr std::array<std::string_view, 8> kNames = {"MILLISECONDS", "SECONDS", "MINUTES", "HOURS",
                                                             "DAYS",         "WEEKS",   "MONTHS",  "YEARS"};
  return kNames[static_cast<std::size_t>(unit)];
}

}  // namespace

Result<GroupBy> group_by_of(const Node* list, const std::string& metric_context) {
  GroupBy out;
  if (list == nullptr) return out;
  if (list->kind != Kind::array) return invalid(metric_context + ".group_by must be an array");
  for (std::size_t i = 0; i < list->children.size(); ++i) {
    const Node& node = list->children[i];
    const std::string context = metric_context + ".group_by[" + std::to_string(i) + "]";
    const Node* name = node.find("name");
    if (name == nullptr || name->text.empty()) return invalid(context + " must have a name");
    if (name->text == "tag") {
      VARVE_ASSIGN_OR_RETURN(auto tags, tags_of(node, context));
      if (out.tags.empty()) out.tags = std::move(tags);
    } else if (name->text == "time") {
      VARVE_ASSIGN_OR_RETURN(const GroupByTime by_time, time_of(node, context));
      out.splitters.emplace_back(by_time);
    } else if (name->text == "value") {
      VARVE_ASSIGN_OR_RETURN(const GroupByValue by_value, value_of(node, context));
      out.splitters.emplace_back(by_value);
    } else if (name->text == "bin") {
      VARVE_ASSIGN_OR_RETURN(GroupByBin by_bin, bin_of(node, context));
      out.splitters.emplace_back(std::move(by_bin));
    } else {
      return invalid(context + "." + std::string(name->text) + " invalid group_by name");
    }
  }
  return out;
}

std::string opening_of(const Splitter& splitter) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (const auto* by_time = std::get_if<GroupByTime>(&splitter)) {
    json.member("name", "time").key("range_size").begin_object();
    json.member("value", by_time->range_size.value).member("unit", name_of(by_time->range_size.unit)).end_object();
    json.member("group_count", by_time->group_count).key("group").begin_object().key("group_number");
  } else if (const auto* by_value = std::get_if<GroupByValue>(&splitter)) {
    json.member("name", "value").member("range_size", by_value->range_size);
    json.key("group").begin_object().key("group_number");
  } else {
    json.member("name", "bin").key("bins").array(std::get<GroupByBin>(splitter).bins);
    json.key("group").begin_object().key("bin_number");
  }
  return out;
}

}  // namespace varve::protocol::kairosdb
