// SPDX-License-Identifier: Apache-2.0
#include "protocol/opentsdb/query.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/time_zone.h"
#include "protocol/json/tree.h"
#include "protocol/opentsdb/query_error.h"

namespace varve::protocol::opentsdb {

namespace {

using json::Kind;
using json::Node;

Result<bool> bool_of(const Node& object, std::string_view name) {
  const Node* node = object.find(name);
  if (node == nullptr || node->text == "false") return false;
  if (node->text == "true") return true;
  return invalid(std::string(name) + " must be true or false");
}

// A string or a number, as it is written; "" if it is not there.
Result<std::string_view> text_of(const Node& object, std::string_view name) {
  const Node* node = object.find(name);
  if (node == nullptr) return std::string_view();
  if (node->kind == Kind::string || node->kind == Kind::number) return node->text;
  return invalid(std::string(name) + " must be a string");
}

// 65535, "65535", 6.5535e4
Result<std::int64_t> whole_of(const Node& object, std::string_view name, std::int64_t otherwise) {
  VARVE_ASSIGN_OR_RETURN(const std::string_view text, text_of(object, name));
  if (text.empty()) return otherwise;
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  if (const auto [at, error] = std::from_chars(text.data(), end, whole); at == end && error == std::errc{})
    return whole;
  double real = 0;
  const auto [at, error] = std::from_chars(text.data(), end, real);
  if (at != end || error != std::errc{} || !(std::abs(real) < 0x1p63)) {
    return invalid(std::string(name) + " must be a whole number");
  }
  return static_cast<std::int64_t>(real);
}

Status check_time_zone(std::string_view zone) {
  if (model::is_utc_name(zone, model::UtcNames::common)) return {};
  return fail(Code::unsupported, "the time zone must be UTC, not '" + std::string(zone) + "'");
}

Result<model::TimeRange> range_of(std::string_view start, std::string_view end, model::Timestamp now) {
  if (start.empty()) return invalid("Missing start time");
  VARVE_ASSIGN_OR_RETURN(const model::Timestamp first, parse_time(start, now));
  model::Timestamp last = now;
  if (!end.empty()) {
    VARVE_ASSIGN_OR_RETURN(last, parse_time(end, now));
  }
  if (last < first) {
    return invalid("End time [" + std::to_string(last) + "] must be greater than the start time [" +
                   std::to_string(first) + "]");
  }
  return model::TimeRange{first, last + 1};  // both ends belong to it
}

Result<RateOptions> rate_of(const Node* node) {
  RateOptions out;
  if (node == nullptr) return out;
  if (node->kind != Kind::object) return invalid("rateOptions must be an object");
  VARVE_ASSIGN_OR_RETURN(out.counter, bool_of(*node, "counter"));
  VARVE_ASSIGN_OR_RETURN(out.counter_max, whole_of(*node, "counterMax", out.counter_max));
  VARVE_ASSIGN_OR_RETURN(out.reset_value, whole_of(*node, "resetValue", 0));
  VARVE_ASSIGN_OR_RETURN(out.drop_resets, bool_of(*node, "dropResets"));
  VARVE_ASSIGN_OR_RETURN(out.delta_only, bool_of(*node, "deltaOnly"));
  return out;
}

Status add_filters(const Node& query, std::vector<Filter>& out) {
  if (const Node* tags = query.find("tags")) {
    if (tags->kind != Kind::object) return invalid("tags must be an object");
    for (std::size_t i = 0; i < tags->names.size(); ++i) {
      if (tags->children[i].kind == Kind::null) continue;
      VARVE_ASSIGN_OR_RETURN(auto filter, filter_of_tag(tags->names[i], tags->children[i].text, true));
      out.push_back(std::move(filter));
    }
  }
  const Node* filters = query.find("filters");
  if (filters == nullptr) return {};
  if (filters->kind != Kind::array) return invalid("filters must be an array");
  for (const Node& node : filters->children) {
    if (node.kind != Kind::object) return invalid("a filter must be an object");
    VARVE_ASSIGN_OR_RETURN(const std::string_view type, text_of(node, "type"));
    VARVE_ASSIGN_OR_RETURN(const std::string_view key, text_of(node, "tagk"));
    VARVE_ASSIGN_OR_RETURN(const std::string_view text, text_of(node, "filter"));
    VARVE_ASSIGN_OR_RETURN(const bool group_by, bool_of(node, "groupBy"));
    VARVE_ASSIGN_OR_RETURN(auto filter, make_filter(type, key, text, group_by));
    out.push_back(std::move(filter));
  }
  return {};
}

Result<SubQuery> sub_query_of(const Node& node) {
  if (node.kind != Kind::object) return invalid("each of the queries must be an object");
  SubQuery out;
  if (const Node* ids = node.find("tsuids"); ids != nullptr && !ids->children.empty()) {
    return fail(Code::unsupported, "queries by tsuids are not supported: name the metric and its tags");
  }
  VARVE_ASSIGN_OR_RETURN(out.metric, text_of(node, "metric"));
  if (out.metric.empty()) return invalid("Missing the metric");
  VARVE_ASSIGN_OR_RETURN(out.aggregator, text_of(node, "aggregator"));
  VARVE_ASSIGN_OR_RETURN(const std::string_view downsample, text_of(node, "downsample"));
  if (!downsample.empty()) {
    VARVE_ASSIGN_OR_RETURN(out.downsample, parse_downsample(downsample));
  }
  VARVE_ASSIGN_OR_RETURN(const bool rate, bool_of(node, "rate"));
  if (rate) {
    VARVE_ASSIGN_OR_RETURN(out.rate, rate_of(node.find("rateOptions")));
  }
  VARVE_RETURN_IF_ERROR(add_filters(node, out.filters));
  VARVE_ASSIGN_OR_RETURN(out.explicit_tags, bool_of(node, "explicitTags"));
  return out;
}

void use_calendar(Query& query) {
  for (SubQuery& sub : query.queries) {
    if (sub.downsample) sub.downsample->calendar = true;
  }
}

std::unexpected<Error> no_delete() {
  return fail(Code::unsupported, "a query does not delete; see the delete endpoints");
}

}  // namespace

const std::string* find_parameter(Parameters parameters, std::string_view name) {
  const auto found = std::ranges::find(parameters, name, [](const auto& p) { return std::string_view(p.first); });
  return found == parameters.end() ? nullptr : &found->second;
}

bool flag_of(Parameters parameters, std::string_view name) {
  const std::string* value = find_parameter(parameters, name);
  return value != nullptr && *value != "false";
}

Result<Query> parse_query(std::string_view text, Parameters parameters, model::Timestamp now) {
  json::Reader reader(text);
  VARVE_ASSIGN_OR_RETURN(const Node root, json::read_strict(reader));
  if (root.kind != Kind::object) return invalid("the query must be a JSON object");
  Query out;
  VARVE_ASSIGN_OR_RETURN(const std::string_view start, text_of(root, "start"));
  VARVE_ASSIGN_OR_RETURN(const std::string_view end, text_of(root, "end"));
  VARVE_ASSIGN_OR_RETURN(out.range, range_of(start, end, now));
  VARVE_ASSIGN_OR_RETURN(const std::string_view zone, text_of(root, "timezone"));
  VARVE_RETURN_IF_ERROR(check_time_zone(zone));
  VARVE_ASSIGN_OR_RETURN(const bool deletes, bool_of(root, "delete"));
  if (deletes) return no_delete();
  VARVE_ASSIGN_OR_RETURN(out.ms, bool_of(root, "msResolution"));
  VARVE_ASSIGN_OR_RETURN(out.show_query, bool_of(root, "showQuery"));
  VARVE_ASSIGN_OR_RETURN(out.show_summary, bool_of(root, "showSummary"));
  out.arrays = flag_of(parameters, "arrays");
  const Node* queries = root.find("queries");
  if (queries == nullptr || queries->kind != Kind::array || queries->children.empty()) {
    return invalid("Missing queries");
  }
  for (const Node& node : queries->children) {
    VARVE_ASSIGN_OR_RETURN(auto query, sub_query_of(node));
    out.queries.push_back(std::move(query));
  }
  VARVE_ASSIGN_OR_RETURN(const bool calendar, bool_of(root, "useCalendar"));
  if (calendar) use_calendar(out);
  return out;
}

Result<Query> parse_query(Parameters parameters, model::Timestamp now) {
  const auto text = [&](std::string_view name) -> std::string_view {
    const std::string* value = find_parameter(parameters, name);
    return value == nullptr ? std::string_view() : std::string_view(*value);
  };
  Query out;
  VARVE_ASSIGN_OR_RETURN(out.range, range_of(text("start"), text("end"), now));
  VARVE_RETURN_IF_ERROR(check_time_zone(text("tz")));
  if (flag_of(parameters, "delete")) return no_delete();
  if (find_parameter(parameters, "tsuid") != nullptr || find_parameter(parameters, "tsuids") != nullptr) {
    return fail(Code::unsupported, "queries by tsuids are not supported: name the metric and its tags");
  }
  for (const auto& [name, value] : parameters) {
    if (name != "m") continue;
    VARVE_ASSIGN_OR_RETURN(auto query, parse_m(value));
    out.queries.push_back(std::move(query));
  }
  if (out.queries.empty()) return invalid("Missing a parameter m");
  out.ms = flag_of(parameters, "ms");
  out.arrays = flag_of(parameters, "arrays");
  out.show_query = flag_of(parameters, "show_query");
  out.show_summary = flag_of(parameters, "show_summary");
  if (flag_of(parameters, "use_calendar")) use_calendar(out);
  return out;
}

}  // namespace varve::protocol::opentsdb
