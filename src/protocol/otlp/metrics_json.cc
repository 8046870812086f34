// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "protocol/json/number.h"
#include "protocol/otlp/json_walk.h"
#include "protocol/otlp/metrics.h"

namespace varve::protocol::otlp {
namespace {

using json::Element;
using json::Kind;
using json::Node;

// Members of points; others are left out.
enum PointMember : std::uint8_t {
  kTime,
  kFlags,
  kAttributes,
  kExemplars,
  kAsInt,
  kAsDouble,
  kCount,
  kSum,
  kBucketCounts,
  kBounds,
  kQuantiles,
  kPointMembers
};
constexpr std::array<std::string_view, kPointMembers> kPointNames = {
    "timeUnixNano", "flags", "attributes",   "exemplars",      "asInt",         "asDouble",
    "count",        "sum",   "bucketCounts", "explicitBounds", "quantileValues"};

struct NamedKind {
  std::string_view member;
  MetricKind kind;
};
constexpr NamedKind kMetricKinds[] = {{"gauge", MetricKind::gauge},
                                      {"sum", MetricKind::sum},
                                      {"histogram", MetricKind::histogram},
                                      {"exponentialHistogram", MetricKind::exponential_histogram},
                                      {"summary", MetricKind::summary}};

Result<double> real_number(const Node& node, std::string_view name) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (node.kind == Kind::string || node.kind == Kind::number) {
    if (const auto number = json::to_double(node.text)) return *number;
    if (node.text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (node.text == "Infinity") return kInfinity;
    if (node.text == "-Infinity") return -kInfinity;
  }
  return wrong_member(name, "a number");
}

Result<double> real_in(const Node& object, std::string_view name) {
  const Node* node = object.find(name);
  return node == nullptr ? 0.0 : real_number(*node, name);
}

template <class Number>
Status take_list(const Node& list, std::string_view name, std::vector<Number>& to,
                 Result<Number> (*read)(const Node&, std::string_view)) {
  if (list.kind != Kind::array) return wrong_member(name, "a list");
  for (const Node& item : list.children) {
    VARVE_ASSIGN_OR_RETURN(to.emplace_back(), read(item, "an item of " + std::string(name)));
  }
  return {};
}

Result<std::int64_t> temporality_of(const Node& node) {
  constexpr std::string_view kPrefix = "AGGREGATION_TEMPORALITY_";
  if (node.kind == Kind::string && node.text.starts_with(kPrefix)) {
    const std::string_view name = node.text.substr(kPrefix.size());
    return name == "DELTA" ? 1 : name == "CUMULATIVE" ? 2 : 0;
  }
  VARVE_ASSIGN_OR_RETURN(const auto number, whole_number<std::int32_t>(node, "aggregationTemporality"));
  return std::int64_t{number};
}

// What a metric says beside its points.
struct MetricFrame {
  Metric metric;
  Status error;
  std::string_view kind;       // the member that has the data
  const char* data = nullptr;  // behind the opening brace
  const char* points = nullptr;
};

class JsonMetrics {
 public:
  JsonMetrics(std::string_view body, const MetricNaming& naming, const TargetTime& target_time,
              model::GroupSource& groups, model::RowBatch& batch, const DescribedSink& described,
              std::function<Status()> check_body)
      : walk_(body), points_(naming, target_time, body.size(), groups, batch, described, std::move(check_body)) {}

  Result<MetricOutcome> read() {
    VARVE_RETURN_IF_ERROR(walk_.read_body("resourceMetrics", [&] { return read_resource_metrics(); }));
    return points_.take_outcome();
  }

 private:
  json::Reader& reader() { return walk_.reader(); }

  Status read_resource_metrics() {
    reader().clear_texts();  // those of the resource before
    points_.start_resource({});
    const auto take_resource = [&](const Node& resource) {
      if (resource.kind == Kind::null) return;
      if (resource.kind != Kind::object)
        return points_.set_resource_error({Code::invalid, "resource is not an object"});
      const Node* attributes = resource.find("attributes");
      if (attributes == nullptr) return;
      if (attributes->kind != Kind::array) {
        return points_.set_resource_error({Code::invalid, "attributes is not a list"});
      }
      points_.start_resource({attributes->begin, reader().at()});
    };
    VARVE_RETURN_IF_ERROR(
        walk_.read_object("resource", take_resource, "scopeMetrics", [&] { return read_scope_metrics(); }));
    points_.end_resource();
    return {};
  }

  Status read_scope_metrics() {
    return walk_.read_object({}, {}, "metrics", [&] { return read_metric(); });
  }

  // Names may stand behind the points, so these are read last. Of several kinds of data the last one counts.
  Status read_metric() {
    MetricFrame frame;
    VARVE_RETURN_IF_ERROR(walk_.read_members([&](std::string_view name, const Element& value) -> Status {
      if (name == "name" || name == "unit" || name == "description") return take_text(name, value, frame);
      for (const NamedKind& one : kMetricKinds) {
        if (name != one.member || value.kind == Kind::null) continue;
        if (value.kind != Kind::object) return wrong_member(name, "an object");
        frame.metric.kind = one.kind;
        frame.kind = one.member;
        frame.data = value.begin + 1;
      }
      reader().skip(value);
      return {};
    }));
    if (frame.data == nullptr) return {};
    const char* const behind = reader().at();
    reader().seek(frame.data);
    VARVE_RETURN_IF_ERROR(read_data(frame));
    reader().seek(behind);
    return {};
  }

  Status take_text(std::string_view name, const Element& value, MetricFrame& frame) {
    if (value.kind == Kind::string) {
      auto& to = name == "name" ? frame.metric.name : name == "unit" ? frame.metric.unit : frame.metric.description;
      to = value.text;
    } else if (value.kind != Kind::null) {
      frame.error = wrong_member(name, "a text");
    }
    reader().skip(value);
    return {};
  }

  Status read_data(MetricFrame& frame) {
    VARVE_RETURN_IF_ERROR(walk_.read_members([&](std::string_view name, const Element& value) -> Status {
      if (value.kind == Kind::null) return {};
      if (name == "dataPoints") {
        if (value.kind != Kind::array) return wrong_member(name, "a list");
        frame.points = value.begin + 1;
        reader().skip(value);
        return {};
      }
      const bool is_temporality = name == "aggregationTemporality";
      const bool is_monotonic = name == "isMonotonic" && frame.kind == "sum";
      if (!is_temporality && !is_monotonic) {
        reader().skip(value);
        return {};
      }
      VARVE_ASSIGN_OR_RETURN(const Node node, json::read_node(reader(), value));
      if (is_temporality) take_temporality(node, frame);
      if (is_monotonic) take_monotonic(node, frame);
      return {};
    }));
    points_.start_metric(frame.metric, frame.error);
    if (frame.points == nullptr) return {};
    reader().seek(frame.points);
    return walk_.read_list("dataPoints", [&] { return read_point(frame); });
  }

  static void take_temporality(const Node& node, MetricFrame& frame) {
    if (const auto read = temporality_of(node)) {
      frame.metric.temporality = *read;
    } else {
      frame.error = fail(read.error());
    }
  }

  static void take_monotonic(const Node& node, MetricFrame& frame) {
    if (node.kind != Kind::boolean) {
      frame.error = wrong_member("isMonotonic", "true or false");
    } else {
      frame.metric.kind = node.text == "true" ? MetricKind::counter : MetricKind::sum;
    }
  }

  // Notes where its members stand, and then reads those that its kind has.
  Status read_point(const MetricFrame& frame) {
    members_ = {};
    attributes_ = {};
    bool first = true;
    for (std::string_view name; reader().next_name(first, name);) {
      const auto at = static_cast<std::size_t>(std::ranges::find(kPointNames, name) - kPointNames.begin());
      const Element value = reader().value();
      if (reader().failed()) break;
      reader().skip(value);
      if (at == kPointMembers || value.kind == Kind::null) continue;
      members_[at] = value;
      if (at == kAttributes) attributes_ = {value.begin, reader().at()};
    }
    VARVE_RETURN_IF_ERROR(walk_.ended());
    if (const Status added = add_point(frame.metric.kind); !added) points_.refuse(added.error());
    return {};
  }

  // Error: the point is not added, and counts for nothing yet.
  Status add_point(MetricKind kind) {
    switch (kind) {
      case MetricKind::gauge:
      case MetricKind::sum:
      case MetricKind::counter: return add_number();
      case MetricKind::histogram: return add_histogram();
      case MetricKind::summary: return add_summary();
      case MetricKind::exponential_histogram: break;
    }
    return fail(Code::unsupported, "it is not stored");  // its metric says why
  }

  [[nodiscard]] bool has(PointMember member) const { return members_[member].kind != Kind::none; }

  // Absent: 0.
  template <class Number>
  Result<Number> whole_of(PointMember member) const {
    if (!has(member)) return Number{0};
    return whole_number<Number>(leaf_of(member), kPointNames[member]);
  }
  Result<double> real_of(PointMember member) const {
    return has(member) ? real_number(leaf_of(member), kPointNames[member]) : 0.0;
  }
  [[nodiscard]] Node leaf_of(PointMember member) const {
    Node node;
    node.kind = members_[member].kind;
    node.text = members_[member].text;
    return node;
  }

  template <class Number>
  Status read_list(PointMember member, std::vector<Number>& to,
                   Result<Number> (*read_one)(const Node&, std::string_view)) {
    if (!has(member)) return {};
    VARVE_ASSIGN_OR_RETURN(const Node list, walk_.read_at(members_[member].begin));
    return take_list(list, kPointNames[member], to, read_one);
  }

  Status read_common(Point& to) {
    VARVE_ASSIGN_OR_RETURN(to.time_ns, whole_of<std::uint64_t>(kTime));
    VARVE_ASSIGN_OR_RETURN(to.flags, whole_of<std::uint32_t>(kFlags));
    if (has(kAttributes) && members_[kAttributes].kind != Kind::array) return wrong_member("attributes", "a list");
    to.attributes = attributes_;
    if (!has(kExemplars)) return {};
    VARVE_ASSIGN_OR_RETURN(const Node exemplars, walk_.read_at(members_[kExemplars].begin));
    to.exemplars = static_cast<std::uint32_t>(exemplars.children.size());
    return {};
  }

  Status add_number() {
    NumberPoint point;
    VARVE_RETURN_IF_ERROR(read_common(point));
    if (has(kAsInt) && has(kAsDouble)) return fail(Code::invalid, "the point has both asInt and asDouble");
    if (has(kAsInt)) {
      VARVE_ASSIGN_OR_RETURN(const auto number, whole_of<std::int64_t>(kAsInt));
      point.value = model::Value::of_long(number);
    }
    if (has(kAsDouble)) {
      VARVE_ASSIGN_OR_RETURN(const double number, real_of(kAsDouble));
      point.value = model::Value::of_double(number);
    }
    points_.add(point);
    return {};
  }

  Status add_histogram() {
    HistogramPoint point;
    VARVE_RETURN_IF_ERROR(read_common(point));
    VARVE_ASSIGN_OR_RETURN(point.count, whole_of<std::uint64_t>(kCount));
    if (has(kSum)) {
      VARVE_ASSIGN_OR_RETURN(point.sum, real_of(kSum));
    }
    VARVE_RETURN_IF_ERROR(read_list(kBucketCounts, point.counts, whole_number<std::uint64_t>));
    VARVE_RETURN_IF_ERROR(read_list(kBounds, point.bounds, real_number));
    points_.add(point);
    return {};
  }

  Status add_summary() {
    SummaryPoint point;
    VARVE_RETURN_IF_ERROR(read_common(point));
    VARVE_ASSIGN_OR_RETURN(point.count, whole_of<std::uint64_t>(kCount));
    VARVE_ASSIGN_OR_RETURN(point.sum, real_of(kSum));
    VARVE_RETURN_IF_ERROR(read_list<Quantile>(kQuantiles, point.quantiles, quantile_of));
    points_.add(point);
    return {};
  }

  using Quantile = std::pair<double, double>;
  static Result<Quantile> quantile_of(const Node& from, std::string_view name) {
    if (from.kind != Kind::object) return wrong_member(name, "an object");
    Quantile at;
    VARVE_ASSIGN_OR_RETURN(at.first, real_in(from, "quantile"));
    VARVE_ASSIGN_OR_RETURN(at.second, real_in(from, "value"));
    return at;
  }

  JsonWalk walk_;
  MetricPoints points_;
  std::array<Element, kPointMembers> members_;  // of a point; none: it has no such member
  RawAttributes attributes_;
};

}  // namespace

Result<MetricOutcome> parse_metrics_json(std::string_view body, const MetricNaming& naming,
                                         const TargetTime& target_time, model::GroupSource& groups,
                                         model::RowBatch& batch, const DescribedSink& described) {
  const auto check_body = [&]() -> Status {
    const auto read = JsonMetrics(body, naming, target_time, groups, batch, described, MetricPoints::kOnlyRead).read();
    return read ? Status() : fail(read.error());
  };
  return JsonMetrics(body, naming, target_time, groups, batch, described, check_body).read();
}

}  // namespace varve::protocol::otlp
