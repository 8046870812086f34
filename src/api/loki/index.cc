// SPDX-License-Identifier: Apache-2.0
// How much there is of what a selector selects: streams, lines, bytes.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/loki/handlers.h"
#include "api/loki/metric_answer.h"
#include "language/logql/parser.h"
#include "language/logql/streams.h"

namespace varve::api {
namespace {

namespace logql = language::logql;
using protocol::json::Writer;

constexpr std::uint64_t kVolumesUnlessSaid = 100;

// Bytes by labels, those that are asked for, and by time. The largest ones count, by their sums.
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
    query::Expressions expressions;
    for (const std::string_view text : asking_.parameters.all("query")) {
      if (text.empty()) continue;
      VARVE_ASSIGN_OR_RETURN(const auto matchers, logql::parse_selector(text, expressions));
      for (const logql::Matcher& matcher : matchers) names_.insert(matcher.name);
    }
    return {};
  }

  // Labels that count.
  [[nodiscard]] logql::LabelsAsked labels() const {
    if (names_.empty()) return {};
    return {logql::LabelsAsked::Kind::named, {names_.begin(), names_.end()}};
  }

  Status add(const logql::Labels& labels, std::uint64_t bytes, std::int64_t at_ns) {
    Key key;
    for (const logql::Label& label : logql::stream_labels(labels)) {
      if (!names_.empty() && !names_.contains(label.name)) continue;
      if (by_name_) {
        VARVE_RETURN_IF_ERROR(add_bytes({{std::string(label.name), ""}}, bytes, at_ns));
      } else {
        key.emplace_back(label.name, label.value);
      }
    }
    return by_name_ ? Status{} : add_bytes(std::move(key), bytes, at_ns);
  }

  [[nodiscard]] std::string body(bool is_range, std::uint64_t limit) const {
    std::vector<const std::pair<const Key, Sum>*> sorted;
    for (const auto& one : sums_) sorted.push_back(&one);
    std::ranges::stable_sort(sorted, std::greater<>(), [](const auto* one) { return one->second.bytes; });
    if (sorted.size() > limit) sorted.resize(limit);
    std::string out;
    Writer json(out);
    json.begin_object().member("status", "success").key("data").begin_object();
    json.member("resultType", is_range ? "matrix" : "vector").key("result").begin_array();
    for (const auto* const one : sorted) {
      json.begin_object().key("metric").object(one->first).key(is_range ? "values" : "value");
      if (is_range) json.begin_array();
      for (const auto& [at_ns, bytes] : one->second.points) {
        json.begin_array().raw(loki_seconds(at_ns)).value(std::to_string(bytes)).end_array();
      }
      if (is_range) json.end_array();
      json.end_object();
    }
    json.end_array().key("stats").raw("{}").end_object().end_object();
    return out;
  }

 private:
  using Key = std::vector<std::pair<std::string, std::string>>;
  struct Sum {
    std::uint64_t bytes = 0;
    std::map<std::int64_t, std::uint64_t> points;
  };

  Status add_bytes(Key key, std::uint64_t bytes, std::int64_t at_ns) {
    const auto [found, is_new] = sums_.try_emplace(std::move(key));
    Sum& sum = found->second;
    sum.bytes += bytes;
    const auto [point, is_new_point] = sum.points.try_emplace(at_ns, 0);
    point->second += bytes;
    if (!is_new_point) return {};
    std::size_t held = kNodeBytes + sizeof *point;
    if (is_new) {
      held += kNodeBytes + sizeof *found;
      for (const auto& [name, value] : found->first) held += 2 * (sizeof(std::string) + name.size() + value.size());
    }
    return asking_.source.hold(held);
  }

  static constexpr std::size_t kNodeBytes = 48;  // of a tree
  const LokiAsking& asking_;
  bool by_name_ = false;
  std::set<std::string, std::less<>> names_;
  std::map<Key, Sum> sums_;
};

}  // namespace

Result<std::string> answer_stats(const LokiAsking& asking) {
  VARVE_ASSIGN_OR_RETURN(const auto span, asking.parameters.span(asking.now_ns, kHourNs));
  VARVE_ASSIGN_OR_RETURN(auto condition, asking.selected_by("query"));
  std::set<std::string> streams;
  std::uint64_t lines = 0, bytes = 0;
  std::string key;
  const auto add = [&](const logql::Labels& labels, std::uint64_t more_lines, std::uint64_t more_bytes) -> Status {
    lines += more_lines;
    bytes += more_bytes;
    key.clear();
    logql::append_labels(key, logql::stream_labels(labels));
    if (streams.insert(key).second) VARVE_RETURN_IF_ERROR(asking.source.hold(sizeof(std::string) + 2 * key.size()));
    return {};
  };
  VARVE_RETURN_IF_ERROR(asking.source.count({span, std::move(condition), {}, true}, add));
  std::string body;
  Writer json(body);
  json.begin_object().member("streams", streams.size()).member("chunks", streams.size());
  json.member("bytes", bytes).member("entries", lines).end_object();
  return body;
}

Result<std::string> answer_volume(const LokiAsking& asking) {
  VARVE_ASSIGN_OR_RETURN(const auto span, asking.parameters.span(asking.now_ns, kHourNs));
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t limit, asking.parameters.number("limit", kVolumesUnlessSaid, 1));
  VARVE_ASSIGN_OR_RETURN(auto condition, asking.selected_by("query"));
  Volumes volumes(asking);
  VARVE_RETURN_IF_ERROR(volumes.read_parameters());
  const auto add = [&](const logql::Labels& labels, std::uint64_t, std::uint64_t bytes) {
    return volumes.add(labels, bytes, span.end_ns);
  };
  VARVE_RETURN_IF_ERROR(asking.source.count({span, std::move(condition), volumes.labels(), true}, add));
  return volumes.body(false, limit);
}

// Each point is the volume from its time on, for a step.
Result<std::string> answer_volume_range(const LokiAsking& asking) {
  VARVE_ASSIGN_OR_RETURN(const auto span, asking.parameters.span(asking.now_ns, kHourNs));
  VARVE_ASSIGN_OR_RETURN(const auto asked, steps_of(asking.parameters, span));
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t limit, asking.parameters.number("limit", kVolumesUnlessSaid, 1));
  VARVE_ASSIGN_OR_RETURN(auto condition, asking.selected_by("query"));
  Volumes volumes(asking);
  VARVE_RETURN_IF_ERROR(volumes.read_parameters());
  const auto add = [&](const logql::Labels& labels, std::uint64_t, std::uint64_t bytes) {
    return volumes.add(labels, bytes, labels.time_ns() - (labels.time_ns() - span.first_ns) % asked.step_ns);
  };
  VARVE_RETURN_IF_ERROR(
      asking.source.count({span, std::move(condition), volumes.labels(), true, asked.step_ns, span.first_ns}, add));
  return volumes.body(true, limit);
}

Result<std::string> answer_patterns(const LokiAsking&) {
  return fail(Code::unsupported, "patterns are not supported: varve finds no patterns of lines");
}

}  // namespace varve::api
