// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/metric_points.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "model/too_old.h"
#include "protocol/json/text.h"
#include "protocol/messages/shared_bytes.h"
#include "protocol/messages/words.h"
#include "protocol/otlp/label_text.h"

namespace varve::protocol::otlp {
namespace {

using model::LineGroup;
using model::Timestamp;

constexpr std::int64_t kDelta = 1, kCumulative = 2;
constexpr std::uint32_t kNoRecordedValue = 1;
constexpr std::uint64_t kNsPerMs = 1'000'000;

constexpr std::size_t kMetricHashBytes = 16;
// A raw name has no more of attributes: else each bucket of a histogram would cost as much as they are long.
constexpr std::size_t kRawAttributesMax = 256;

std::array<char, 16> bytes_of_hash(const codec::Hash128& hash) {
  std::array<char, 16> bytes;
  std::memcpy(bytes.data(), &hash.low, sizeof hash.low);
  std::memcpy(bytes.data() + sizeof hash.low, &hash.high, sizeof hash.high);
  return bytes;
}

std::string_view view_of_hash(const std::array<char, 16>& bytes) { return {bytes.data(), bytes.size()}; }

bool has_temporality(MetricKind kind) {
  return kind == MetricKind::sum || kind == MetricKind::counter || kind == MetricKind::histogram;
}

Status check_metric(const Metric& metric) {
  if (metric.kind == MetricKind::exponential_histogram) {
    return fail(Code::unsupported, "'" + messages::shorten(metric.name) +
                                       "' is an exponential histogram, which is not stored yet; send explicit buckets");
  }
  if (has_temporality(metric.kind) && metric.temporality != kDelta && metric.temporality != kCumulative) {
    return fail(Code::invalid, "'" + messages::shorten(metric.name) + "' has no aggregation temporality");
  }
  return {};
}

model::MetricType type_of(MetricKind kind) {
  switch (kind) {
    case MetricKind::gauge:
    case MetricKind::sum: return model::MetricType::gauge;
    case MetricKind::counter: return model::MetricType::counter;
    case MetricKind::histogram:
    case MetricKind::exponential_histogram: return model::MetricType::histogram;
    case MetricKind::summary: return model::MetricType::summary;
  }
  return model::MetricType::unknown;
}

}  // namespace

model::MetricMetadata metadata_of(const Metric& metric) {
  return {type_of(metric.kind), metric.name, metric.description, metric.unit};
}

Result<std::string> described_name(const Metric& metric, Translation translation) {
  if (!json::is_utf8(metric.name) || !json::is_utf8(metric.unit)) {
    return fail(Code::invalid, "the metric's name or unit is not UTF-8");
  }
  return metric_name(metric.name, metric.unit, metric.kind, translation);
}

MetricPoints::MetricPoints(const MetricNaming& naming, const TargetTime& target_time, std::size_t body_bytes,
                           model::GroupSource& groups, model::RowBatch& batch, const DescribedSink& described,
                           std::function<Status()> check_body)
    : naming_(naming),
      target_time_(target_time),
      described_(described),
      groups_(groups),
      batch_(batch),
      labels_(naming),
      rows_bytes_max_(messages::rows_bytes_max(body_bytes)),
      name_bytes_left_(rows_bytes_max_),
      check_body_(std::move(check_body)),
      only_read_(!check_body_) {}

void MetricPoints::start_resource(RawAttributes attributes) {
  resource_ = codec::hash128(attributes);
  has_attributes_ = !attributes.empty();
  resource_error_ = {};
  times_.clear();
  labels_.start_resource(attributes);
}

void MetricPoints::set_resource_error(Error error) { resource_error_ = fail(std::move(error)); }

void MetricPoints::start_metric(const Metric& metric, const Status& status) {
  if (only_read_) return;
  metric_ = metric;
  name_.reset();
  metric_error_ = !resource_error_ ? resource_error_ : !status ? status : check_metric(metric);
  const std::size_t unit_bytes = metric.unit.size();
  raw_.assign(view_of_hash(bytes_of_hash(resource_)));
  raw_ += static_cast<char>(metric.kind);
  raw_.append(reinterpret_cast<const char*>(&unit_bytes), sizeof unit_bytes).append(metric.unit).append(metric.name);
  metric_hash_ = codec::hash128(raw_);
  if (described_ && metric_error_) described_(metric_);
}

// --- points

// False: it is refused.
bool MetricPoints::start_point(const Point& point) {
  if (only_read_) [[unlikely]]
    return false;
  outcome_.exemplars += point.exemplars;
  ++position_;
  if (!metric_error_ || point.time_ns == 0) [[unlikely]] {
    outcome_.points.reject(position_,
                           !metric_error_ ? metric_error_.error() : Error{Code::invalid, "the point has no time"});
    return false;
  }
  attributes_ = name_attributes_ = point.attributes;
  guess_ = point.guess;
  is_hashed_ = attributes_.size() > kRawAttributesMax;
  if (is_hashed_) {
    attributes_hash_ = bytes_of_hash(codec::hash128(attributes_));
    name_attributes_ = view_of_hash(attributes_hash_);
  }
  is_marker_ = (point.flags & kNoRecordedValue) != 0;
  time_ = static_cast<Timestamp>(point.time_ns / kNsPerMs);
  mark_ = batch_.mark();
  accepted_ = outcome_.points.accepted;
  return true;
}

// A point is stored whole or not at all.
void MetricPoints::end_point(const Status& status) {
  if (status) return note_time();
  batch_.rollback(mark_);
  outcome_.points.accepted = accepted_;
  outcome_.points.reject(position_, status.error());
}

void MetricPoints::refuse(Error why, const Point& point) {
  if (only_read_) return;
  outcome_.exemplars += point.exemplars;
  outcome_.points.reject(++position_, metric_error_ ? std::move(why) : metric_error_.error());
}

void MetricPoints::add(const NumberPoint& point) {
  if (!start_point(point)) return;
  if (!point.value && !is_marker_) return end_point(fail(Code::invalid, "the point has no value"));
  end_point(put({}, point.value.value_or(model::Value::of_double(0))));
}

void MetricPoints::add(const HistogramPoint& point) {
  if (!start_point(point)) return;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto put_all = [&]() -> Status {
    if (point.sum) VARVE_RETURN_IF_ERROR(put({Part::sum}, model::Value::of_double(*point.sum)));
    VARVE_RETURN_IF_ERROR(put_count({Part::count}, point.count));
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < std::min(point.bounds.size(), point.counts.size()); ++i) {
      below += point.counts[i];
      VARVE_RETURN_IF_ERROR(put_count({Part::bucket, point.bounds[i]}, below));
    }
    return put_count({Part::bucket, kInfinity}, point.count);
  };
  end_point(put_all());
}

void MetricPoints::add(const SummaryPoint& point) {
  if (!start_point(point)) return;
  const auto put_all = [&]() -> Status {
    if (point.quantiles.size() > kQuantilesMax) {
      return fail(Code::too_large, "more than " + std::to_string(kQuantilesMax) + " quantiles");
    }
    VARVE_RETURN_IF_ERROR(put({Part::sum}, model::Value::of_double(point.sum)));
    VARVE_RETURN_IF_ERROR(put_count({Part::count}, point.count));
    for (const auto& [quantile, value] : point.quantiles) {
      VARVE_RETURN_IF_ERROR(put({Part::quantile, quantile}, model::Value::of_double(value)));
    }
    return {};
  };
  end_point(put_all());
}

Status MetricPoints::put_count(Series series, std::uint64_t count) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return put(series, count <= kMost ? model::Value::of_long(static_cast<std::int64_t>(count))
                                    : model::Value::of_double(static_cast<double>(count)));
}

Status MetricPoints::put(Series series, model::Value value) {
  const bool is_marker =
      is_marker_ || (value.type == model::ValueType::double_ && value.bits == model::kStaleMarkerBits);
  if (batch_.bytes().size() > rows_bytes_max_) [[unlikely]] {
    return fail(Code::too_large, "samples of the request have more than eight times its size");
  }
  VARVE_ASSIGN_OR_RETURN(LineGroup * group, group_of(series, time_, is_marker));
  if (group == nullptr) return {};
  if (is_marker) {
    batch_.add_stale_markers(*group, time_);
  } else {
    batch_.add(*group, time_, value);
    ++outcome_.points.accepted;
  }
  cursor_.step(group);
  return {};
}

// --- names

MetricPoints::Tail MetricPoints::tail_of(Series series) const {
  Tail tail;
  const auto hash = bytes_of_hash(metric_hash_);
  std::memcpy(tail.bytes.data(), hash.data(), hash.size());
  tail.size = hash.size();
  if (series.part != Part::value) {
    tail.bytes[tail.size++] = static_cast<char>(series.part);
    std::memcpy(tail.bytes.data() + tail.size, &series.bound, sizeof series.bound);
    tail.size += sizeof series.bound;
  }
  if (is_hashed_) tail.bytes[tail.size++] = 'h';
  return tail;
}

LineGroup* MetricPoints::guess(std::string_view& guess_attributes) const {
  LineGroup* group = cursor_.guess();
  if (group == nullptr || group->raw_name == nullptr || group->name_bytes < kMetricHashBytes) return nullptr;
  guess_attributes = {group->raw_name, group->name_bytes - kMetricHashBytes};
  return guess_attributes.size() <= kRawAttributesMax ? group : nullptr;
}

LineGroup* MetricPoints::guessed(std::string_view tail) {
  LineGroup* group = cursor_.guess();
  const std::size_t bytes = name_attributes_.size();
  if (group == nullptr || group->name_bytes != bytes + tail.size()) return nullptr;
  if (group->raw_name == nullptr) {
    raw_.assign(name_attributes_).append(tail);
    return codec::hash128(raw_) == group->hash ? group : nullptr;
  }
  const bool same =
      std::memcmp(group->raw_name + bytes, tail.data(), tail.size()) == 0 &&
      (group == guess_ || bytes == 0 || std::memcmp(group->raw_name, name_attributes_.data(), bytes) == 0);
  return same ? group : nullptr;
}

// The line group of a series in which a sample of that time is kept; nullptr of a marker whose series is not known.
Result<LineGroup*> MetricPoints::group_of(Series series, Timestamp time, bool is_marker) {
  const Tail tail = tail_of(series);
  LineGroup* group = guessed(tail.view());
  if (group == nullptr) [[unlikely]] {
    raw_.assign(name_attributes_).append(tail.view());
    group = groups_.find(raw_, {});
    if (group == nullptr) return define(series, time, is_marker);
  }
  if (const Timestamp from = batch_.kept_from(*group); time < from) [[unlikely]] {
    const auto name = name_of(series.part);
    return fail(model::too_old(name ? *name : std::string(), time, from, "nanoseconds"));
  }
  return group;
}

// `raw_` is its raw name. A sample that is too old leaves no name, nor does a marker.
Result<LineGroup*> MetricPoints::define(Series series, Timestamp time, bool is_marker) {
  VARVE_RETURN_IF_ERROR(check_new(series.part));
  VARVE_ASSIGN_OR_RETURN(const std::string metric, name_of(series.part));
  const std::string bound = bound_text(series.bound);
  const model::TagView own = series.part == Part::bucket     ? model::TagView{"le", bound}
                             : series.part == Part::quantile ? model::TagView{"quantile", bound}
                                                             : model::TagView{};
  VARVE_ASSIGN_OR_RETURN(const model::TagViews tags,
                         series.part == Part::target ? labels_.of_target() : labels_.of_point(attributes_, own));
  const std::string_view metrics[] = {metric};
  if (const Timestamp from = batch_.kept_from(groups_.kept(tags, metrics)); time < from) {
    return fail(model::too_old(metric, time, from, "nanoseconds"));
  }
  if (is_marker) {
    VARVE_ASSIGN_OR_RETURN(const bool known, groups_.knows(tags, metrics));
    if (!known) return nullptr;
  }
  VARVE_RETURN_IF_ERROR(take_name_bytes(metric, tags));
  return groups_.define(raw_, {}, tags, metrics);
}

// May a new series get a name? Of a histogram or a summary all may, or none does: before the first part of it, the one
// is looked at whose name and tags are the longest.
Status MetricPoints::check_new(Part part) {
  if (!checked_) checked_ = check_body_();
  VARVE_RETURN_IF_ERROR(*checked_);
  if (part != Part::sum && part != Part::count) return {};
  const bool is_histogram = metric_.kind == MetricKind::histogram;
  VARVE_ASSIGN_OR_RETURN(const std::string metric, name_of(is_histogram ? Part::bucket : Part::quantile));
  VARVE_ASSIGN_OR_RETURN(const model::TagViews tags,
                         labels_.of_point(attributes_, {is_histogram ? "le" : "quantile", "+Inf"}));
  const std::string_view metrics[] = {metric};
  return groups_.check(tags, metrics);
}

Result<std::string> MetricPoints::name_of(Part part) {
  if (part == Part::target) return std::string("target_info");
  if (!name_) name_ = described_name(metric_, naming_.translation);
  if (!*name_) return *name_;
  switch (part) {
    case Part::sum: return **name_ + "_sum";
    case Part::count: return **name_ + "_count";
    case Part::bucket: return **name_ + "_bucket";
    default: return *name_;
  }
}

Status MetricPoints::take_name_bytes(std::string_view metric, const model::TagViews& tags) {
  std::size_t bytes = metric.size();
  for (const auto& tag : tags) bytes += tag.key.size() + tag.value.size();
  if (bytes > name_bytes_left_) {
    return fail(Code::too_large,
                "the new names of the request, with their attributes, are more than eight times as long as it");
  }
  name_bytes_left_ -= bytes;
  return {};
}

// --- target_info

void MetricPoints::note_time() {
  if (!times_.empty() && time_ >= times_.back() && time_ - times_.back() < naming_.target_info_ms) [[likely]]
    return;
  times_.push_back(time_);
}

// Two intervals are PromQL's lookback: what is farther apart is not one span.
void MetricPoints::extend(std::optional<TargetSpan>& span, Timestamp time) const {
  const std::int64_t lookback_ms = 2 * naming_.target_info_ms;
  if (!span || time - span->last > lookback_ms) {
    span = TargetSpan{time, time};
  } else if (time > span->last) {
    span->last = time;
  } else if (time < span->first && span->first - time <= lookback_ms) {
    span->first = time;
  }
}

void MetricPoints::end_resource() {
  if (!resource_error_ || !has_attributes_ || times_.empty()) return;
  const auto known = target_time_ ? target_time_(resource_) : std::nullopt;
  std::optional<TargetSpan> span = known;
  std::ranges::sort(times_);
  for (const Timestamp time : times_) {
    if (span && time >= span->first && time - span->last < naming_.target_info_ms) continue;
    const auto put = put_target(time);
    if (!put) outcome_.note = "target_info is not stored: " + put.error().message;
    extend(span, time);  // also where there is nothing to write: it is not looked for with every request
    if (!put || !*put) break;
  }
  if (span && span != known) outcome_.targets.push_back({resource_, *span});
}

// False: the resource has none.
Result<bool> MetricPoints::put_target(Timestamp time) {
  metric_hash_ = resource_;
  attributes_ = name_attributes_ = {};
  is_hashed_ = false;
  guess_ = nullptr;
  const Tail tail = tail_of({Part::target});
  raw_.assign(tail.view());
  LineGroup* group = groups_.find(raw_, {});
  if (group == nullptr) {
    VARVE_ASSIGN_OR_RETURN(const model::TagViews tags, labels_.of_target());
    if (tags.empty()) return false;
  }
  VARVE_ASSIGN_OR_RETURN(group, group_of({Part::target}, time, false));
  batch_.add(*group, time, model::Value::of_double(1));
  ++outcome_.points.accepted;
  return true;
}

}  // namespace varve::protocol::otlp
