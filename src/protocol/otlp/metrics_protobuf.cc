// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/bytes.h"
#include "protocol/otlp/metrics.h"
#include "protocol/protobuf_view.h"

namespace varve::protocol::otlp {
namespace {

using protozero::pbf_reader;
using protozero::tag_and_type;

constexpr auto kPart = protozero::pbf_wire_type::length_delimited;
constexpr auto kFixed = protozero::pbf_wire_type::fixed64;
constexpr auto kVarint = protozero::pbf_wire_type::varint;

// Fields of one number out of a message: the bytes of the message where they stand together, as senders write them,
// else a copy.
class Gathered {
 public:
  void clear() {
    together_ = {};
    copy_.clear();
  }
  // The field's tag and length and bytes, [begin, end).
  void add(const char* begin, const char* end) {
    if (!copy_.empty()) {
      copy_.append(begin, end);
    } else if (together_.empty()) {
      together_ = {begin, end};
    } else if (together_.data() + together_.size() == begin) {
      together_ = {together_.data(), end};
    } else {
      copy_.assign(together_).append(begin, end);
    }
  }
  [[nodiscard]] std::string_view bytes() const { return copy_.empty() ? together_ : std::string_view(copy_); }

 private:
  std::string_view together_;
  std::string copy_;
};

// Skips the field that `message` is at and adds it whole; `begin`: where its tag stands.
void gather(pbf_reader& message, const char* begin, Gathered& to) {
  message.skip();
  to.add(begin, message.data().data());
}

// Where attributes end that begin at `at`, if they are those of `guess` and there are no more behind them.
const char* end_of_guess(const char* at, const char* end, std::string_view guess) {
  if (guess.empty() || static_cast<std::size_t>(end - at) < guess.size()) return nullptr;
  if (std::memcmp(at, guess.data(), guess.size()) != 0) return nullptr;
  at += guess.size();
  return at == end || *at != 0x3a ? at : nullptr;
}

// The usual point: fields with tags of one byte and lengths of one byte, attributes together. False: anything else.
// `guess`: the attributes that point.guess says.
bool read_usual_number(std::string_view bytes, std::string_view guess, NumberPoint& point) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  const char* attributes = nullptr;
  const char* attributes_end = nullptr;
  while (at != end) {
    const auto left = end - at;
    switch (*at) {
      case 0x11:  // the start of what is counted
      case 0x19:
      case 0x21:
      case 0x31: {
        if (left < 9) return false;
        const auto bits = load_le<std::uint64_t>(at + 1);
        if (*at == 0x19) point.time_ns = bits;
        if (*at == 0x21) point.value = model::Value{model::ValueType::double_, bits, {}};
        if (*at == 0x31) point.value = model::Value{model::ValueType::long_, bits, {}};
        at += 9;
        break;
      }
      case 0x3a: {
        if (const char* const behind = attributes == nullptr ? end_of_guess(at, end, guess) : nullptr) {
          attributes = at;
          attributes_end = at = behind;
          break;
        }
        point.guess = nullptr;
        if (left < 2 || at[1] < 0 || at[1] > left - 2) return false;
        if (attributes == nullptr) {
          attributes = at;
        } else if (attributes_end != at) {
          return false;
        }
        attributes_end = at += 2 + at[1];
        break;
      }
      case 0x40:
        if (left < 2 || at[1] < 0) return false;
        point.flags = static_cast<std::uint32_t>(at[1]);
        at += 2;
        break;
      default: return false;
    }
  }
  point.attributes = {attributes, attributes_end};
  if (point.attributes.size() != guess.size()) point.guess = nullptr;
  return true;
}

class ProtobufMetrics {
 public:
  ProtobufMetrics(const MetricNaming& naming, const TargetTime& target_time, std::size_t body_bytes,
                  model::GroupSource& groups, model::RowBatch& batch, const DescribedSink& described,
                  std::function<Status()> check_body)
      : points_(naming, target_time, body_bytes, groups, batch, described, std::move(check_body)) {}

  MetricOutcome read(std::string_view body) {
    pbf_reader request(body.data(), body.size());
    while (request.next(1, kPart)) read_resource_metrics(request.get_message());
    return points_.take_outcome();
  }

 private:
  using ReadPoint = void (ProtobufMetrics::*)(std::string_view bytes);

  // The resource may stand behind what it is of, so it is looked for first; with senders it is the first field.
  void read_resource_metrics(const pbf_reader& metrics) {
    resource_.clear();
    if (pbf_reader first = metrics; first.next(1, kPart)) {
      pbf_reader resource = first.get_message();
      for (const char* begin = resource.data().data(); resource.next(); begin = resource.data().data()) {
        if (resource.tag_and_type() == tag_and_type(1, kPart)) {
          gather(resource, begin, resource_);
        } else {
          resource.skip();
        }
      }
    }
    points_.start_resource(resource_.bytes());
    pbf_reader scopes = metrics;
    while (scopes.next(2, kPart)) {
      pbf_reader scope = scopes.get_message();
      while (scope.next(2, kPart)) read_metric(scope.get_message());
    }
    points_.end_resource();
  }

  // Of several kinds of data the last one counts.
  void read_metric(pbf_reader from) {
    Metric metric;
    ReadPoint read_point = nullptr;
    std::string_view data;
    const auto take = [&](MetricKind kind, ReadPoint reader) {
      metric.kind = kind;
      read_point = reader;
      data = protobuf_view(from.get_view());
    };
    while (from.next()) {
      switch (from.tag_and_type()) {
        case tag_and_type(1, kPart): metric.name = protobuf_view(from.get_view()); break;
        case tag_and_type(2, kPart): metric.description = protobuf_view(from.get_view()); break;
        case tag_and_type(3, kPart): metric.unit = protobuf_view(from.get_view()); break;
        case tag_and_type(5, kPart): take(MetricKind::gauge, &ProtobufMetrics::read_number); break;
        case tag_and_type(7, kPart): take(MetricKind::sum, &ProtobufMetrics::read_number); break;
        case tag_and_type(9, kPart): take(MetricKind::histogram, &ProtobufMetrics::read_histogram); break;
        case tag_and_type(10, kPart): take(MetricKind::exponential_histogram, &ProtobufMetrics::refuse_one); break;
        case tag_and_type(11, kPart): take(MetricKind::summary, &ProtobufMetrics::read_summary); break;
        default: from.skip();
      }
    }
    if (read_point == nullptr) return;
    if (metric.kind != MetricKind::gauge && metric.kind != MetricKind::summary) {
      read_kind(pbf_reader(data.data(), data.size()), metric);
    }
    points_.start_metric(metric);
    pbf_reader points(data.data(), data.size());
    while (points.next(1, kPart)) read_or_refuse(read_point, protobuf_view(points.get_view()));
  }

  void read_or_refuse(ReadPoint read_point, std::string_view point) try {
    if (broken_ < kBrokenMax) [[likely]]
      return (this->*read_point)(point);
    points_.refuse({Code::invalid, "there are so many broken points that no more of them are read"});
  } catch (const protozero::exception&) {
    ++broken_;
    points_.refuse({Code::invalid, "the point is not valid protobuf"});
  }

  // What a sum says behind its points.
  static void read_kind(pbf_reader data, Metric& metric) {
    const bool is_sum = metric.kind == MetricKind::sum;
    while (data.next()) {
      if (data.tag_and_type() == tag_and_type(2, kVarint)) {
        metric.temporality = data.get_enum();
      } else if (is_sum && data.tag_and_type() == tag_and_type(3, kVarint)) {
        metric.kind = data.get_bool() ? MetricKind::counter : MetricKind::sum;
      } else {
        data.skip();
      }
    }
  }

  void read_number(std::string_view bytes) {
    NumberPoint point;
    std::string_view guess;
    point.guess = points_.guess(guess);
    if (read_usual_number(bytes, guess, point)) [[likely]]
      return points_.add(point);
    read_any_number(bytes);
  }

  void read_any_number(std::string_view bytes) {
    NumberPoint point;
    attributes_.clear();
    pbf_reader from(bytes.data(), bytes.size());
    for (const char* begin = bytes.data(); from.next(); begin = from.data().data()) {
      switch (from.tag_and_type()) {
        case tag_and_type(3, kFixed): point.time_ns = from.get_fixed64(); break;
        case tag_and_type(4, kFixed): point.value = model::Value::of_double(from.get_double()); break;
        case tag_and_type(5, kPart): take_exemplar(from, point); break;
        case tag_and_type(6, kFixed): point.value = model::Value::of_long(from.get_sfixed64()); break;
        case tag_and_type(7, kPart): gather(from, begin, attributes_); break;
        case tag_and_type(8, kVarint): point.flags = from.get_uint32(); break;
        default: from.skip();
      }
    }
    point.attributes = attributes_.bytes();
    points_.add(point);
  }

  void read_histogram(std::string_view bytes) {
    histogram_.counts.clear();
    histogram_.bounds.clear();
    static_cast<Point&>(histogram_) = {};
    histogram_.count = 0;
    histogram_.sum.reset();
    attributes_.clear();
    pbf_reader from(bytes.data(), bytes.size());
    for (const char* begin = bytes.data(); from.next(); begin = from.data().data()) {
      switch (from.tag_and_type()) {
        case tag_and_type(3, kFixed): histogram_.time_ns = from.get_fixed64(); break;
        case tag_and_type(4, kFixed): histogram_.count = from.get_fixed64(); break;
        case tag_and_type(5, kFixed): histogram_.sum = from.get_double(); break;
        case tag_and_type(6, kPart):
          for (const std::uint64_t count : from.get_packed_fixed64()) histogram_.counts.push_back(count);
          break;
        case tag_and_type(6, kFixed): histogram_.counts.push_back(from.get_fixed64()); break;
        case tag_and_type(7, kPart):
          for (const double bound : from.get_packed_double()) histogram_.bounds.push_back(bound);
          break;
        case tag_and_type(7, kFixed): histogram_.bounds.push_back(from.get_double()); break;
        case tag_and_type(8, kPart): take_exemplar(from, histogram_); break;
        case tag_and_type(9, kPart): gather(from, begin, attributes_); break;
        case tag_and_type(10, kVarint): histogram_.flags = from.get_uint32(); break;
        default: from.skip();
      }
    }
    histogram_.attributes = attributes_.bytes();
    points_.add(histogram_);
  }

  void read_summary(std::string_view bytes) {
    SummaryPoint point;
    attributes_.clear();
    pbf_reader from(bytes.data(), bytes.size());
    for (const char* begin = bytes.data(); from.next(); begin = from.data().data()) {
      switch (from.tag_and_type()) {
        case tag_and_type(3, kFixed): point.time_ns = from.get_fixed64(); break;
        case tag_and_type(4, kFixed): point.count = from.get_fixed64(); break;
        case tag_and_type(5, kFixed): point.sum = from.get_double(); break;
        case tag_and_type(6, kPart): {
          const auto quantile = quantile_of(from.get_message());
          if (point.quantiles.size() <= kQuantilesMax) point.quantiles.push_back(quantile);
          break;
        }
        case tag_and_type(7, kPart): gather(from, begin, attributes_); break;
        case tag_and_type(8, kVarint): point.flags = from.get_uint32(); break;
        default: from.skip();
      }
    }
    point.attributes = attributes_.bytes();
    points_.add(point);
  }

  static std::pair<double, double> quantile_of(pbf_reader from) {
    std::pair<double, double> at{0, 0};
    while (from.next()) {
      switch (from.tag_and_type()) {
        case tag_and_type(1, kFixed): at.first = from.get_double(); break;
        case tag_and_type(2, kFixed): at.second = from.get_double(); break;
        default: from.skip();
      }
    }
    return at;
  }

  static void take_exemplar(pbf_reader& from, Point& point) {
    ++point.exemplars;
    from.skip();
  }

  // Its metric says why.
  void refuse_one(std::string_view) { points_.refuse({Code::invalid, ""}); }

  MetricPoints points_;
  std::size_t broken_ = 0;  // points that were read in vain
  Gathered resource_;
  Gathered attributes_;
  HistogramPoint histogram_;
};

}  // namespace

Result<MetricOutcome> parse_metrics_protobuf(std::string_view body, const MetricNaming& naming,
                                             const TargetTime& target_time, model::GroupSource& groups,
                                             model::RowBatch& batch, const DescribedSink& described) try {
  const auto check_body = [&]() -> Status {
    ProtobufMetrics(naming, target_time, body.size(), groups, batch, described, MetricPoints::kOnlyRead).read(body);
    return {};
  };
  return ProtobufMetrics(naming, target_time, body.size(), groups, batch, described, check_body).read(body);
} catch (const protozero::exception&) {
  return fail(Code::invalid, "the body is not an ExportMetricsServiceRequest in protobuf");
}

}  // namespace varve::protocol::otlp
