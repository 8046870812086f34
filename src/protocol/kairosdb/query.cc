// SPDX-License-Identifier: Apache-2.0
#include "protocol/kairosdb/query.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "protocol/json/text.h"
#include "protocol/json/tree.h"

namespace varve::protocol::kairosdb {

namespace {

using json::Kind;
using json::Node;
using model::Timestamp;
using model::TimeUnit;

std::unexpected<Error> invalid(std::string message) { return fail(Code::invalid, std::move(message)); }

// 12, "12", 12.7 (cut to 12), "1e3". Out of the range of 64 bits: the nearest end.
Result<std::int64_t> number_of(const Node& node, const std::string& what) {
  if (node.kind == Kind::number || node.kind == Kind::string) {
    const char* const end = node.text.data() + node.text.size();
    std::int64_t whole = 0;
    if (const auto [at, error] = std::from_chars(node.text.data(), end, whole); error == std::errc{} && at == end) {
      return whole;
    }
    double real = 0;
    const auto [at, error] = std::from_chars(node.text.data(), end, real);
    if (at == end && error == std::errc{} && !std::isnan(real)) {
      if (real >= 0x1p63) return INT64_MAX;
      return real < -0x1p63 ? INT64_MIN : static_cast<std::int64_t>(real);
    }
  }
  return invalid(what + " must be a number, not '" + std::string(node.text) + "'");
}

// Back to JSON, for a message; cut after a line's worth.
std::string source_of(const Node& node) {
  if (node.kind != Kind::array && node.kind != Kind::object) {
    std::string out;
    if (node.kind != Kind::string) return std::string(node.text);
    json::append_string(out, node.text);
    return out;
  }
  std::string out(1, node.kind == Kind::array ? '[' : '{');
  for (std::size_t i = 0; i < node.children.size() && out.size() < 100; ++i) {
    if (i != 0) out += ',';
    if (node.kind == Kind::object) json::append_string(out, node.names[i]), out += ':';
    out += source_of(node.children[i]);
  }
  return out += node.kind == Kind::array ? ']' : '}';
}

Result<bool> flag_of(const Node* node, bool otherwise, const std::string& what) {
  if (node == nullptr) return otherwise;
  if (node->text == "true") return true;
  if (node->text == "false") return false;
  return invalid(what + " must be true or false");
}

Result<TimeUnit> unit_of(const Node& node, const std::string& context) {
  if (const auto unit = model::time_unit_of(node.text)) return *unit;
  return invalid(context + "." + std::string(node.text) +
                 " is not a valid time unit, must be one of "
                 "MILLISECONDS,SECONDS,MINUTES,HOURS,DAYS,WEEKS,MONTHS,YEARS");
}

// <which>_absolute or <which>_relative, if there is one.
Result<std::optional<Timestamp>> time_of(const Node& query, const std::string& which, Timestamp now) {
  if (const Node* absolute = query.find(which + "_absolute")) {
    const auto at = number_of(*absolute, which);
    if (!at)
      return invalid("java.lang.NumberFormatException: For input string: \"" + std::string(absolute->text) + "\"");
    return std::clamp(*at, model::kTimestampMin, model::kTimestampMax);
  }
  const Node* relative = query.find(which + "_relative");
  if (relative == nullptr) return std::optional<Timestamp>();
  if (relative->kind != Kind::object) return invalid("query." + which + "_relative must be an object");
  std::int64_t value = 0;
  if (const Node* node = relative->find("value")) {
    VARVE_TRY(value, number_of(*node, which + "_relative.value"));
  }
  if (value < 0) return invalid(which + "_relative.value must be greater than or equal to 0");
  const Node* unit_node = relative->find("unit");
  if (unit_node == nullptr) return invalid(which + "_relative.unit may not be null");
  VARVE_TRY(const TimeUnit unit, unit_of(*unit_node, "query"));
  return model::add_units(now, -value, unit);
}

// A time zone is only looked at by calendar windows, and those know UTC.
Status check_time_zone(const Node& query) {
  const Node* zone = query.find("time_zone");
  if (zone == nullptr) return {};
  static constexpr std::array<std::string_view, 7> kUtc = {"", "UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z", "Zulu"};
  if (zone->kind == Kind::string && std::ranges::find(kUtc, zone->text) != kUtc.end()) return {};
  return fail(Code::unsupported, "query." + std::string(zone->text) +
                                     " is not a valid time zone, must be one of [UTC] (others are not supported yet)");
}

struct KnownAggregator {
  std::string_view name;
  std::string_view java_class;  // KairosDB names it when a property is unknown
};
constexpr std::array<KnownAggregator, 7> kAggregators = {{{"avg", "AvgAggregator"},
                                                          {"sum", "SumAggregator"},
                                                          {"min", "MinAggregator"},
                                                          {"max", "MaxAggregator"},
                                                          {"count", "CountAggregator"},
                                                          {"first", "FirstAggregator"},
                                                          {"last", "LastAggregator"}}};
constexpr std::array<std::string_view, 5> kProperties = {"name", "sampling", "align_sampling", "align_start_time",
                                                         "align_end_time"};

Result<Aggregator> aggregator_of(const Node& node, const std::string& context) {
  const Node* name = node.find("name");
  if (name == nullptr || name->text.empty()) return invalid(context + " must have a name");
  const auto* known = std::ranges::find(kAggregators, name->text, &KnownAggregator::name);
  if (known == kAggregators.end())
    return invalid(context + "." + std::string(name->text) + " invalid aggregators name");
  for (const std::string_view property : node.names) {
    if (std::ranges::find(kProperties, property) != kProperties.end()) continue;
    return invalid("Property '" + std::string(property) + "' was specified for object '" + std::string(known->name) +
                   "' but no matching setter was found on 'class org.kairosdb.core.aggregator." +
                   std::string(known->java_class) + "'");
  }
  Aggregator out;
  out.name = known->name;
  if (const Node* sampling = node.find("sampling")) {
    if (sampling->kind != Kind::object) return invalid(context + ".sampling must be an object");
    if (const Node* value = sampling->find("value")) {
      VARVE_TRY(out.sampling_value, number_of(*value, context + ".sampling.value"));
    }
    if (out.sampling_value < 0) return invalid(context + ".sampling.value must be greater than or equal to 0");
    const Node* unit = sampling->find("unit");
    if (unit == nullptr) return invalid(context + ".sampling.unit may not be null");
    VARVE_TRY(out.sampling_unit, unit_of(*unit, context));
  }
  VARVE_TRY(out.align_sampling, flag_of(node.find("align_sampling"), true, context + ".align_sampling"));
  VARVE_TRY(out.align_start_time, flag_of(node.find("align_start_time"), false, context + ".align_start_time"));
  VARVE_TRY(out.align_end_time, flag_of(node.find("align_end_time"), false, context + ".align_end_time"));
  return out;
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

// As in KairosDB only the first grouper by tags counts.
Result<std::vector<std::string>> group_keys_of(const Node* list, const std::string& metric_context) {
  std::vector<std::string> keys;
  if (list == nullptr) return keys;
  if (list->kind != Kind::array) return invalid(metric_context + ".group_by must be an array");
  for (std::size_t i = 0; i < list->children.size(); ++i) {
    const Node& group = list->children[i];
    const std::string context = metric_context + ".group_by[" + std::to_string(i) + "]";
    const Node* name = group.find("name");
    if (name == nullptr || name->text.empty()) return invalid(context + " must have a name");
    if (name->text == "time" || name->text == "value" || name->text == "bin") {
      return fail(Code::unsupported, context + "." + std::string(name->text) + " is not supported yet");
    }
    if (name->text != "tag") return invalid(context + "." + std::string(name->text) + " invalid group_by name");
    const Node* tags = group.find("tags");
    if (tags == nullptr || tags->kind != Kind::array || tags->children.empty()) {
      return invalid(context + ".tags may not be empty");
    }
    if (!keys.empty()) continue;
    for (const Node& tag : tags->children) {
      if (tag.text.empty()) return invalid(context + ".tags may not hold an empty name");
      if (std::ranges::find(keys, tag.text) == keys.end()) keys.emplace_back(tag.text);
    }
  }
  return keys;
}

Result<QueryMetric> metric_of(const Node& node, const std::string& context) {
  QueryMetric out;
  const Node* name = node.find("name");
  if (name == nullptr) return invalid(context + ".name may not be null");
  if (name->text.empty()) return invalid(context + ".name may not be empty");
  out.name = name->text;
  VARVE_TRY(out.tags, filters_of(node.find("tags"), context));
  if (const Node* list = node.find("aggregators")) {
    if (list->kind != Kind::array) return invalid(context + ".aggregators must be an array");
    for (std::size_t i = 0; i < list->children.size(); ++i) {
      VARVE_TRY(auto aggregator, aggregator_of(list->children[i], context + ".aggregators[" + std::to_string(i) + "]"));
      out.aggregators.push_back(std::move(aggregator));
    }
  }
  VARVE_TRY(out.group_by, group_keys_of(node.find("group_by"), context));
  if (const Node* limit = node.find("limit")) {
    VARVE_TRY(const std::int64_t value, number_of(*limit, context + ".limit"));
    if (value < 0) return invalid(context + ".limit must be greater than or equal to 0");
    out.limit = static_cast<std::uint64_t>(value);
  }
  if (const Node* order = node.find("order")) {
    if (order->text != "asc" && order->text != "desc")
      return invalid(context + ".order must be either 'asc' or 'desc'");
    out.descending = order->text == "desc";
  }
  VARVE_TRY(out.exclude_tags, flag_of(node.find("exclude_tags"), false, context + ".exclude_tags"));
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

Result<Query> parse_query(std::string_view text, Timestamp now) {
  json::Reader reader(text);
  reader.set_lenient(true);
  VARVE_TRY(const Node root, json::read_tree(reader));
  if (root.kind != Kind::object) return invalid("Not a JSON Object: " + source_of(root));

  Query out;
  VARVE_TRY(const auto start, time_of(root, "start", now));
  VARVE_TRY(const auto end, time_of(root, "end", now));
  VARVE_CHECK_OK(check_time_zone(root));
  if (const Node* cache = root.find("cache_time")) {
    VARVE_TRY(const std::int64_t seconds, number_of(*cache, "cache_time"));
    if (seconds < 0) return invalid("cache_time must be greater than or equal to 0");
  }
  VARVE_CHECK_OK(check_plugins(root, ""));
  const Node* metrics = root.find("metrics");
  if (metrics == nullptr) return invalid("query.metric[] must have a size of at least 1");
  if (metrics->kind != Kind::array) return invalid("query.metrics must be an array");
  for (std::size_t i = 0; i < metrics->children.size(); ++i) {
    const std::string context = "query.metric[" + std::to_string(i) + "]";
    VARVE_TRY(auto metric, metric_of(metrics->children[i], context));
    VARVE_CHECK_OK(check_plugins(metrics->children[i], context));
    if (!start) return invalid(context + ".start_time relative or absolute time must be set");
    if (end && *end < *start) return invalid(context + ".end_time must be greater than the start time");
    out.metrics.push_back(std::move(metric));
  }
  // Both ends belong to the range.
  if (start) out.range = {*start, (end ? *end : model::kTimestampMax) + 1};
  return out;
}

}  // namespace varve::protocol::kairosdb
