// SPDX-License-Identifier: Apache-2.0
#include "protocol/opentsdb/query_names.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "protocol/json/tree.h"
#include "protocol/opentsdb/query_error.h"

namespace varve::protocol::opentsdb {

namespace {

using json::Kind;
using json::Node;

// Both forms of a request behind one question: what is the text of this field?
class Fields {
 public:
  explicit Fields(Parameters parameters) : parameters_(parameters) {}
  explicit Fields(const Node& object) : object_(&object) {}

  [[nodiscard]] std::string_view text(std::string_view in_url, std::string_view in_json) const {
    if (object_ == nullptr) {
      const std::string* value = find_parameter(parameters_, in_url);
      return value == nullptr ? std::string_view() : std::string_view(*value);
    }
    const Node* node = object_->find(in_json);
    return node == nullptr ? std::string_view() : node->text;
  }
  [[nodiscard]] bool flag(std::string_view in_url, std::string_view in_json) const {
    return object_ == nullptr ? flag_of(parameters_, in_url) : text(in_url, in_json) == "true";
  }
  [[nodiscard]] Result<std::int64_t> number(std::string_view in_url, std::string_view in_json, std::int64_t otherwise,
                                            std::int64_t most) const {
    const std::string_view written = text(in_url, in_json);
    if (written.empty()) return otherwise;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
    if (error == std::errc{} && end == written.data() + written.size() && value >= 0) return std::min(value, most);
    return invalid(std::string(object_ == nullptr ? in_url : in_json) + " must be a whole number, not '" +
                   std::string(written) + "'");
  }

 private:
  Parameters parameters_;
  const Node* object_ = nullptr;
};

// Reads the body and gives its object to `read`; the texts live as long as that.
template <class Out>
Result<Out> with_object(std::string_view text, Result<Out> (*read)(const Node&)) {
  json::Reader reader(text);
  VARVE_ASSIGN_OR_RETURN(const Node root, json::read_strict(reader));
  if (root.kind != Kind::object) return invalid("the request must be a JSON object");
  return read(root);
}

constexpr std::int64_t kMost = 1'000'000'000;

Result<Suggest> suggest_of(const Fields& fields) {
  constexpr std::array<std::string_view, 3> kTypes = {"metrics", "tagk", "tagv"};
  const std::string type = lower(fields.text("type", "type"));
  if (type.empty()) return invalid("Missing parameter type: one of metrics, tagk, tagv");
  const auto* const found = std::ranges::find(kTypes, type);
  if (found == kTypes.end()) return invalid("Invalid type '" + type + "': it must be metrics, tagk or tagv");
  Suggest out;
  out.type = static_cast<Suggest::Type>(found - kTypes.begin());
  out.prefix = fields.text("q", "q");
  VARVE_ASSIGN_OR_RETURN(const auto max, fields.number("max", "max", 25, kMost));
  out.max = static_cast<std::size_t>(max);
  return out;
}

Status add_pair(std::string_view key, std::string_view value, Lookup& out) {
  if (key.empty() || value.empty()) return invalid("a tag of a lookup needs a key and a value; * means any");
  if (key != "*" || value != "*") out.pairs.emplace_back(key, value);  // *=* says nothing
  return {};
}

Result<Lookup> lookup_of(const Fields& fields) {
  Lookup out;
  VARVE_ASSIGN_OR_RETURN(const auto limit, fields.number("limit", "limit", 25, kMost));
  VARVE_ASSIGN_OR_RETURN(const auto start, fields.number("start_index", "startIndex", 0, kMost));
  out.limit = static_cast<std::size_t>(limit);
  out.start_index = static_cast<std::size_t>(start);
  return out;
}

// cpu, cpu{host=a,dc=*}, {*=a}
Status read_lookup_text(std::string_view text, Lookup& out) {
  const std::size_t open = text.find('{');
  out.metric = text.substr(0, open);
  if (out.metric == "*") out.metric.clear();
  if (open == std::string_view::npos) return {};
  if (!text.ends_with('}')) return invalid("Missing '}' in: " + std::string(text));
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view pair = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) return invalid("invalid tag: " + std::string(pair));
    VARVE_RETURN_IF_ERROR(add_pair(pair.substr(0, equals), pair.substr(equals + 1), out));
  }
  return {};
}

Result<Lookup> lookup_of_json(const Node& root) {
  VARVE_ASSIGN_OR_RETURN(Lookup out, lookup_of(Fields(root)));
  out.metric = Fields(root).text("m", "metric");
  if (out.metric == "*") out.metric.clear();
  const Node* tags = root.find("tags");
  if (tags == nullptr) return out;
  if (tags->kind != Kind::array) return invalid("tags must be an array of {\"key\":…,\"value\":…}");
  for (const Node& pair : tags->children) {
    const Fields fields(pair);
    VARVE_RETURN_IF_ERROR(add_pair(fields.text("", "key"), fields.text("", "value"), out));
  }
  return out;
}

Result<LastQuery> last_of(const Fields& fields) {
  LastQuery out;
  out.resolve = fields.flag("resolve", "resolveNames");
  VARVE_ASSIGN_OR_RETURN(out.back_scan_hours, fields.number("back_scan", "backScan", 0, 10'000'000));
  return out;
}

std::unexpected<Error> no_ids() {
  return fail(Code::unsupported, "tsuids are not supported: name the metric and its tags");
}

Result<LastQuery> last_of_json(const Node& root) {
  VARVE_ASSIGN_OR_RETURN(LastQuery out, last_of(Fields(root)));
  const Node* queries = root.find("queries");
  if (queries == nullptr || queries->children.empty()) return invalid("Missing queries");
  for (const Node& node : queries->children) {
    if (const Node* ids = node.find("tsuids"); ids != nullptr && !ids->children.empty()) return no_ids();
    LastQuery::Series series;
    series.metric = Fields(node).text("metric", "metric");
    if (series.metric.empty()) return invalid("Missing the metric");
    if (const Node* tags = node.find("tags")) {
      for (std::size_t i = 0; i < tags->names.size(); ++i) {
        VARVE_ASSIGN_OR_RETURN(auto filter, filter_of_tag(tags->names[i], tags->children[i].text, true));
        series.filters.push_back(std::move(filter));
      }
    }
    out.series.push_back(std::move(series));
  }
  return out;
}

}  // namespace

Result<Suggest> parse_suggest(Parameters parameters) { return suggest_of(Fields(parameters)); }
Result<Suggest> parse_suggest(std::string_view json) {
  return with_object<Suggest>(json, [](const Node& root) { return suggest_of(Fields(root)); });
}

Result<Lookup> parse_lookup(Parameters parameters) {
  const Fields fields(parameters);
  VARVE_ASSIGN_OR_RETURN(Lookup out, lookup_of(fields));
  const std::string_view text = fields.text("m", "m");
  if (text.empty()) return invalid("Missing parameter m: a metric, a metric with tags, or tags in braces");
  VARVE_RETURN_IF_ERROR(read_lookup_text(text, out));
  return out;
}
Result<Lookup> parse_lookup(std::string_view json) { return with_object<Lookup>(json, lookup_of_json); }

Result<LastQuery> parse_last(Parameters parameters) {
  VARVE_ASSIGN_OR_RETURN(LastQuery out, last_of(Fields(parameters)));
  for (const auto& [name, value] : parameters) {
    if (name == "tsuids") return no_ids();
    if (name != "timeseries") continue;
    VARVE_ASSIGN_OR_RETURN(auto metric, parse_metric(value));
    if (metric.metric.empty()) return invalid("Missing the metric in timeseries=" + value);
    out.series.push_back({std::string(metric.metric), std::move(metric.filters)});
  }
  if (out.series.empty()) return invalid("Missing a parameter timeseries");
  return out;
}
Result<LastQuery> parse_last(std::string_view json) { return with_object<LastQuery>(json, last_of_json); }

}  // namespace varve::protocol::opentsdb
