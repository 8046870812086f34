// SPDX-License-Identifier: Apache-2.0
// What senders say of a metric beside its samples: its type, a help text and a unit.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

namespace varve::model {

// Remote write's numbers, which are stored as letters (write/metric_metadata.cc).
enum class MetricType : std::uint8_t {
  unknown = 0,
  counter = 1,
  gauge = 2,
  histogram = 3,
  gaugehistogram = 4,
  summary = 5,
  info = 6,
  stateset = 7
};

inline constexpr std::array<std::string_view, 8> kMetricTypeNames{"unknown",        "counter", "gauge", "histogram",
                                                                  "gaugehistogram", "summary", "info",  "stateset"};

// Of another number: unknown.
constexpr MetricType metric_type_of(std::int64_t number) {
  const bool is_known = number >= 0 && number < static_cast<std::int64_t>(kMetricTypeNames.size());
  return is_known ? static_cast<MetricType>(number) : MetricType::unknown;
}

struct MetricMetadata {
  MetricType type = MetricType::unknown;
  std::string_view metric = {};
  std::string_view help = {};
  std::string_view unit = {};
};

// Told of each by a parser. What is referred to lives for the call only.
using MetadataSink = std::function<void(const MetricMetadata&)>;

}  // namespace varve::model
