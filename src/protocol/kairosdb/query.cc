// SPDX-License-Identifier: Apache-2.0
#include "protocol/kairosdb/query.h"

#include <algorithm>
#include <optional>
#include <span>

#include "protocol/json/tree.h"
#include "protocol/kairosdb/query_node.h"

namespace varve::protocol::kairosdb {

namespace {

using json::Kind;
using json::Node;
using model::Timestamp;
using model::TimeUnit;

struct Times {
  std::optional<Timestamp> start, end;
};

// <which>_absolute or <which>_relative, if there is one.
Result<std::optional<Timestamp>> time_of(const Node& query, const std::string& which, Timestamp now) {
  if (const Node* absolute = query.find(which + "_absolute")) {
    VARVE_ASSIGN_OR_RETURN(const std::int64_t at, whole_of(*absolute));
    return model::nearest_timestamp(at);
  }
  const Node* relative = query.find(which + "_relative");
  if (relative == nullptr) return std::optional<Timestamp>();
  VARVE_ASSIGN_OR_RETURN(const Length length, length_of(*relative, 0, "query", which + "_relative"));
  return model::nearest_timestamp(model::add_units(now, -length.value, length.unit));
}

Result<std::vector<TagFilter>> filters_of(const Node* tags, const std::string& context) {
  std::vector<TagFilter> out;
  if (tags == nullptr) return out;
  if (tags->kind != Kind::object) {
    return invalid("java.lang.IllegalStateException: Not a JSON Object: " + source_of(*tags));
  }
  for (std::size_t i = 0; i < tags->names.size(); ++i) {
    const std::string place = context + ".tags[" + std::to_string(i) + "]";
    TagFilter filter;
    filter.key = tags->names[i];
    if (filter.key.empty()) return invalid(place + " name must not be empty");
    const Node& values = tags->children[i];
    const std::span<const Node> list = values.kind == Kind::array ? std::span(values.children) : std::span(&values, 1);
    for (const Node& value : list) {
      if (value.kind == Kind::null || value.text.empty()) {
        return invalid(place + "." + filter.key + " value must not be null or empty");
      }
      filter.values.emplace_back(value.text);
    }
    if (!filter.values.empty()) out.push_back(std::move(filter));
  }
  return out;
}

// What KairosDB checks first is said first.
Result<QueryMetric> metric_of(const Node& node, const Times& times, model::TimeZone zone, const std::string& context) {
  QueryMetric out;
  const Node* name = node.find("name");
  if (name == nullptr) return invalid(context + ".name may not be null");
  if (name->text.empty()) return invalid(context + ".name may not be empty");
  out.name = name->text;
  VARVE_ASSIGN_OR_RETURN(out.tags, filters_of(node.find("tags"), context));
  if (!times.start) return invalid(context + ".start_time relative or absolute time must be set");
  if (times.end && *times.end < *times.start) {
    return invalid(context + ".end_time must be greater than the start time");
  }
  if (const Node* list = node.find("aggregators")) {
    if (list->kind != Kind::array) return invalid(context + ".aggregators must be an array");
    for (std::size_t i = 0; i < list->children.size(); ++i) {
      VARVE_ASSIGN_OR_RETURN(
          auto aggregator, aggregator_of(list->children[i], zone, context + ".aggregators[" + std::to_string(i) + "]"));
      out.aggregators.push_back(std::move(aggregator));
    }
  }
  VARVE_ASSIGN_OR_RETURN(out.group_by, group_by_of(node.find("group_by"), context));
  if (const Node* limit = node.find("limit")) {
    VARVE_ASSIGN_OR_RETURN(const std::int64_t value, whole_of(*limit));
    if (value < 0) return invalid(context + ".limit must be greater than or equal to 0");
    out.limit = static_cast<std::uint64_t>(value);
  }
  if (const Node* order = node.find("order")) {
    if (order->text != "asc" && order->text != "desc")
      return invalid(context + ".order must be either 'asc' or 'desc'");
    out.descending = order->text == "desc";
  }
  if (const Node* exclude = node.find("exclude_tags")) {
    VARVE_ASSIGN_OR_RETURN(out.exclude_tags, flag_of(*exclude, context + ".exclude_tags"));
  }
  return out;
}

Status check_plugins(const Node& owner, const std::string& context) {
  const Node* plugins = owner.find("plugins");
  if (plugins == nullptr || plugins->children.empty()) return {};
  const Node* name = plugins->children[0].find("name");
  const std::string place = context + ".plugins[0]";
  if (name == nullptr) return invalid(place + " must have a name");
  return invalid(place + "." + std::string(name->text) + " invalid query plugin name");
}

}  // namespace

Result<Query> parse_query(std::string_view text, Timestamp now, std::size_t metrics_max) {
  json::Reader reader(text);
  reader.set_lenient(true);
  const json::ItemsMost most{"metrics", metrics_max, "query.metrics_max"};
  VARVE_ASSIGN_OR_RETURN(const Node root, json::read_tree(reader, &most));
  if (root.kind != Kind::object) return invalid("Not a JSON Object: " + source_of(root));

  Query out;
  Times times;
  VARVE_ASSIGN_OR_RETURN(times.start, time_of(root, "start", now));
  VARVE_ASSIGN_OR_RETURN(times.end, time_of(root, "end", now));
  model::TimeZone zone;
  if (const Node* name = root.find("time_zone")) {
    VARVE_ASSIGN_OR_RETURN(zone, zone_of(*name, "query"));
  }
  if (const Node* cache = root.find("cache_time")) {
    VARVE_ASSIGN_OR_RETURN(const std::int64_t seconds, whole_of(*cache));
    if (seconds < 0) return invalid("cache_time must be greater than or equal to 0");
  }
  VARVE_RETURN_IF_ERROR(check_plugins(root, ""));
  const Node* metrics = root.find("metrics");
  if (metrics == nullptr) return invalid("query.metric[] must have a size of at least 1");
  if (metrics->kind != Kind::array) return invalid("query.metrics must be an array");
  for (std::size_t i = 0; i < metrics->children.size(); ++i) {
    const std::string context = "query.metric[" + std::to_string(i) + "]";
    VARVE_ASSIGN_OR_RETURN(auto metric, metric_of(metrics->children[i], times, zone, context));
    VARVE_RETURN_IF_ERROR(check_plugins(metrics->children[i], context));
    out.metrics.push_back(std::move(metric));
  }
  // Both ends belong to the range.
  if (times.start) out.range = {*times.start, times.end.value_or(model::kTimestampMax) + 1};
  return out;
}

}  // namespace varve::protocol::kairosdb
