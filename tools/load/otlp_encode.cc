// SPDX-License-Identifier: Apache-2.0
#include "tools/load/otlp_encode.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <unordered_map>
#include <utility>

#include "tools/load/protobuf.h"

namespace varve::load {
namespace {

// NumberDataPoint{time=3, double=4, sfixed64=6, attributes=7}; Gauge{points=1}; Metric{name=1, gauge=5};
// ScopeMetrics{metrics=2}; ResourceMetrics{scopes=2}; Request{resources=1}.
class OtlpMetricsEncoder : public Encoder {
 public:
  explicit OtlpMetricsEncoder(const DataSet& data) : kind_(data.kind) {}

  void add(const Line& line) override {
    const std::string& attributes = attributes_of(line.host);
    for (std::size_t i = 0; i < kFields; ++i) {
      point_.clear();
      append_fixed64(point_, 3, static_cast<std::uint64_t>(line.time_ms) * 1'000'000);
      const Number& number = line.values[i];
      if (number.form == Form::integer) {
        append_fixed64(point_, 6, static_cast<std::uint64_t>(number.whole));
      } else {
        append_fixed64(point_, 4, std::bit_cast<std::uint64_t>(as_double(number)));
      }
      point_ += attributes;
      append_bytes(points_[i], 1, point_);
    }
  }

  std::string take() override {
    std::string scope;
    for (std::size_t i = 0; i < kFields; ++i) {
      std::string metric;
      append_bytes(metric, 1, fmt::format("{}_{}", measurement(kind_), field_name(kind_, i)));
      append_bytes(metric, 5, std::exchange(points_[i], {}));
      append_bytes(scope, 2, metric);
    }
    std::string resource, body;
    append_bytes(resource, 2, scope);
    append_bytes(body, 1, resource);
    return body;
  }

 private:
  const std::string& attributes_of(std::uint64_t host) {
    std::string& text = attributes_[host];
    if (!text.empty()) {
      return text;
    }
    for (const auto& tag : host_tags(host)) {
      std::string value, pair;
      append_bytes(value, 1, tag.value);
      append_bytes(pair, 1, tag.key);
      append_bytes(pair, 2, value);
      append_bytes(text, 7, pair);
    }
    return text;
  }

  Kind kind_;
  std::array<std::string, kFields> points_;
  std::string point_;
  std::unordered_map<std::uint64_t, std::string> attributes_;
};

}  // namespace

std::unique_ptr<Encoder> make_otlp_encoder(const DataSet& data) { return std::make_unique<OtlpMetricsEncoder>(data); }

}  // namespace varve::load
