// SPDX-License-Identifier: Apache-2.0
// Points of OTLP's metrics, as protobuf and JSON give them alike. MetricPoints: what they become.
//
// A series' raw name is made of its point's attributes, as they came, and a hash of resource, metric and unit: a name
// that was seen before is compared, or hashed, and not read again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codec/hash.h"
#include "model/line_group.h"
#include "model/metric_metadata.h"
#include "model/row.h"
#include "protocol/group_cursor.h"
#include "protocol/otlp/metric_labels.h"
#include "protocol/otlp/translation.h"
#include "protocol/outcome.h"

namespace varve::protocol::otlp {

// The times of the first and the last target_info of a resource, between which it does not end.
struct TargetSpan {
  model::Timestamp first = 0;
  model::Timestamp last = 0;
  bool operator==(const TargetSpan&) const = default;
};

// Of a resource, by its hash; nothing: it has none yet.
using TargetTime = std::function<std::optional<TargetSpan>(const codec::Hash128& resource)>;

// To be remembered once the batch is stored, which has what is new of it.
struct WrittenTarget {
  codec::Hash128 resource;
  TargetSpan span;
};

struct MetricOutcome {
  Outcome points;             // rejected ones by their number from 1; accepted counts samples
  std::size_t exemplars = 0;  // left out
  std::string note;           // what is not kept and is no point; for who reads the answer
  std::vector<WrittenTarget> targets;
};

struct Metric {
  std::string_view name;
  std::string_view unit;
  std::string_view description = {};
  MetricKind kind = MetricKind::gauge;
  std::int64_t temporality = 0;  // of sums and histograms: 1 delta, 2 cumulative
};

// Told of each metric whose points may be stored, also where they are not new; the name is OTLP's: it is translated
// (described_name()) where somebody needs it. What is referred to lives for the call only.
using DescribedSink = std::function<void(const Metric& metric)>;
model::MetricMetadata metadata_of(const Metric& metric);
// The name in front of _bucket, _sum and _count. Error: invalid.
Result<std::string> described_name(const Metric& metric, Translation translation);

struct Point {
  RawAttributes attributes;
  std::uint64_t time_ns = 0;
  std::uint32_t flags = 0;  // bit 0: no recorded value
  std::uint32_t exemplars = 0;
  model::LineGroup* guess = nullptr;  // MetricPoints::guess(), if its attributes are exactly these
};

struct NumberPoint : Point {
  std::optional<model::Value> value;
};

struct HistogramPoint : Point {
  std::uint64_t count = 0;
  std::optional<double> sum;
  std::vector<std::uint64_t> counts;  // of the buckets, each for itself
  std::vector<double> bounds;
};

// Of a summary; a parser may leave out what is beyond one more.
inline constexpr std::size_t kQuantilesMax = 1000;

struct SummaryPoint : Point {
  std::uint64_t count = 0;
  double sum = 0;
  std::vector<std::pair<double, double>> quantiles;  // with their values
};

// One request: resources, metrics and points in this order. What is said of a resource or a metric lives until the next
// one starts.
class MetricPoints {
 public:
  // `check_body`: is called before the request's first new name; its error refuses what is new. So a body that turns
  // out to be none at its end leaves no name behind. kOnlyRead: nothing is made of what is said.
  MetricPoints(const MetricNaming& naming, const TargetTime& target_time, std::size_t body_bytes,
               model::GroupSource& groups, model::RowBatch& batch, const DescribedSink& described,
               std::function<Status()> check_body);
  static constexpr std::nullptr_t kOnlyRead = nullptr;

  void start_resource(RawAttributes attributes);
  // Refuses the points of the resource that has started.
  void set_resource_error(Error error);
  // `status`: what went wrong when it was read; it refuses its points.
  void start_metric(const Metric& metric, const Status& status = {});
  // The line group that probably comes next, and the attributes that its points have; nullptr: nobody knows. A parser
  // that compares them with what it reads need not look where each attribute ends.
  [[nodiscard]] model::LineGroup* guess(std::string_view& guess_attributes) const;
  void add(const NumberPoint& point);
  void add(const HistogramPoint& point);
  void add(const SummaryPoint& point);
  void refuse(Error why, const Point& point = {});
  // Adds its target_info.
  void end_resource();

  [[nodiscard]] MetricOutcome take_outcome() { return std::move(outcome_); }

 private:
  // Which of a point's series: the point's own number, or a part of a histogram or a summary.
  enum class Part : std::uint8_t { value, sum, count, bucket, quantile, target };
  struct Series {
    Part part = Part::value;
    double bound = 0;  // of a bucket or a quantile
  };
  // The raw name's end: what is not attributes.
  struct Tail {
    std::array<char, 26> bytes;
    std::size_t size;
    [[nodiscard]] std::string_view view() const { return {bytes.data(), size}; }
  };

  bool start_point(const Point& point);
  void end_point(const Status& status);
  Status put(Series series, model::Value value);
  Status put_count(Series series, std::uint64_t count);
  Result<model::LineGroup*> group_of(Series series, model::Timestamp time, bool is_marker);
  Result<model::LineGroup*> define(Series series, model::Timestamp time, bool is_marker);
  [[nodiscard]] Tail tail_of(Series series) const;
  [[nodiscard]] model::LineGroup* guessed(std::string_view tail);
  Result<std::string> name_of(Part part);
  Status check_new(Part part);
  Status take_name_bytes(std::string_view metric, const model::TagViews& tags);
  void note_time();
  Result<bool> put_target(model::Timestamp time);
  void extend(std::optional<TargetSpan>& span, model::Timestamp time) const;

  const MetricNaming& naming_;
  const TargetTime& target_time_;
  const DescribedSink& described_;
  model::GroupSource& groups_;
  model::RowBatch& batch_;
  MetricOutcome outcome_;
  GroupCursor cursor_;
  MetricLabels labels_;
  const std::size_t rows_bytes_max_;
  std::size_t name_bytes_left_;  // of new names: one resource may name many series
  std::size_t position_ = 0;
  const std::function<Status()> check_body_;
  const bool only_read_;
  std::optional<Status> checked_;  // what it said

  codec::Hash128 resource_;
  bool has_attributes_ = false;
  Status resource_error_;
  std::vector<model::Timestamp> times_;  // of its points, at least half a lookback apart

  Metric metric_;
  Status metric_error_;
  codec::Hash128 metric_hash_;
  std::optional<Result<std::string>> name_;  // once it is made

  // The point at work.
  RawAttributes attributes_;
  std::string_view name_attributes_;  // in raw names: these, or their hash
  std::array<char, 16> attributes_hash_;
  bool is_hashed_ = false;
  bool is_marker_ = false;
  model::LineGroup* guess_ = nullptr;  // Point::guess
  model::Timestamp time_ = 0;
  model::RowBatch::Mark mark_{};
  std::size_t accepted_ = 0;

  std::string raw_;  // a raw name
};

}  // namespace varve::protocol::otlp
