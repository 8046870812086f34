// SPDX-License-Identifier: Apache-2.0
// How much there is of what a selector selects: streams, lines, bytes.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/loki/asking.h"
#include "api/loki/metric_answer.h"
#include "language/logql/parser.h"
#include "language/logql/streams.h"

namespace varve::api {
namespace {

namespace logql = language::logql;
using protocol::json::Writer;

constexpr std::uint64_t kVolumesUnlessSaid = 100;

Result<std::string> answer_stats(const LokiAsking& asking) {
  VARVE_ASSIGN_OR_RETURN(const auto span, asking.parameters.span(asking.now_ns, kHourNs));
  VARVE_ASSIGN_OR_RETURN(const auto condition, asking.selected_by("query"));
  std::set<std::string> streams;
  std::uint64_t lines = 0, bytes = 0;
  logql::Labels labels;
  std::string key;
  VARVE_RETURN_IF_ERROR(asking.source().find(span, condition, false, [&](message::RowView row) -> Result<bool> {
    labels.read(row);
    ++lines;
    bytes += labels.line().size();
    key.clear();
    logql::append_labels(key, logql::stream_labels(labels));
    if (streams.insert(key).second) VARVE_RETURN_IF_ERROR(asking.hold(sizeof(std::string) + 2 * key.size()));
    return true;
  }));
  std::string body;
  Writer json(body);
  json.begin_object().member("streams", streams.size()).member("chunks", streams.size());
  json.member("bytes", bytes).member("entries", lines).end_object();
  return body;
}

// Bytes by labels: those that are asked for.
class Volumes {
 public:
  explicit Volumes(const LokiAsking& asking) : asking_(asking) {}

  Status read_parameters() {
    const auto by = asking_.parameters.get("aggregateBy").value_or("series");
    if (by != "series" && by != "labels") return fail(Code::invalid, "invalid aggregation option");
    by_name_ = by == "labels";
    std::string_view targets = asking_.parameters.get("targetLabels").value_or("");
    while (!targets.empty()) {
      const std::size_t end = std::min(targets.find(','), targets.size());
      if (end > 0) names_.emplace(targets.substr(0, end));
      targets.remove_prefix(std::min(end + 1, targets.size()));
    }
    if (!names_.empty()) return {};
    for (const std::string_view text : asking_.parameters.all("query")) {
      if (text.empty()) continue;
      VARVE_ASSIGN_OR_RETURN(const auto matchers, logql::parse_selector(text));
      for (const logql::Matcher& matcher : matchers) names_.insert(matcher.name);
    }
    return {};
  }

  Status add(const logql::Labels& labels) {
    Key key;
    for (const logql::Label& label : logql::stream_labels(labels)) {
      if (!names_.empty() && !names_.contains(label.name)) continue;
      if (by_name_) {
        VARVE_RETURN_IF_ERROR(add_bytes({{std::string(label.name), ""}}, labels.line().size()));
      } else {
        key.emplace_back(label.name, label.value);
      }
    }
    return by_name_ ? Status{} : add_bytes(std::move(key), labels.line().size());
  }

  std::string body(std::int64_t at_ns, std::uint64_t limit) const {
    std::vector<std::pair<Key, std::uint64_t>> sorted(bytes_.begin(), bytes_.end());
    std::ranges::stable_sort(sorted, std::greater<>(), [](const auto& one) { return one.second; });
    if (sorted.size() > limit) sorted.resize(limit);
    std::string out;
    Writer json(out);
    json.begin_object().member("status", "success").key("data").begin_object().member("resultType", "vector");
    json.key("result").begin_array();
    for (const auto& [labels, bytes] : sorted) {
      json.begin_object().key("metric").object(labels).key("value").begin_array().raw(loki_seconds(at_ns));
      json.value(std::to_string(bytes)).end_array().end_object();
    }
    json.end_array().key("stats").raw("{}").end_object().end_object();
    return out;
  }

 private:
  using Key = std::vector<std::pair<std::string, std::string>>;

  Status add_bytes(Key key, std::size_t bytes) {
    const auto [found, is_new] = bytes_.try_emplace(std::move(key), 0);
    found->second += bytes;
    if (!is_new) return {};
    std::size_t held = sizeof *found;
    for (const auto& [name, value] : found->first) held += 2 * (sizeof(std::string) + name.size() + value.size());
    return asking_.hold(held);
  }

  const LokiAsking& asking_;
  bool by_name_ = false;
  std::set<std::string, std::less<>> names_;
  std::map<Key, std::uint64_t> bytes_;
};

Result<std::string> answer_volume(const LokiAsking& asking) {
  VARVE_ASSIGN_OR_RETURN(const auto span, asking.parameters.span(asking.now_ns, kHourNs));
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t limit, asking.parameters.number("limit", kVolumesUnlessSaid, 1));
  VARVE_ASSIGN_OR_RETURN(const auto condition, asking.selected_by("query"));
  Volumes volumes(asking);
  VARVE_RETURN_IF_ERROR(volumes.read_parameters());
  logql::Labels labels;
  VARVE_RETURN_IF_ERROR(asking.source().find(span, condition, false, [&](message::RowView row) -> Result<bool> {
    labels.read(row);
    VARVE_RETURN_IF_ERROR(volumes.add(labels));
    return true;
  }));
  return volumes.body(span.end_ns, limit);
}

}  // namespace

void add_loki_index(Router& router, const LokiContext& context) {
  add_loki_route(router, context, "/loki/api/v1/index/stats", answer_stats);
  add_loki_route(router, context, "/loki/api/v1/index/volume", answer_volume);
}

}  // namespace varve::api
