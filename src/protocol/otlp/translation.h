// SPDX-License-Identifier: Apache-2.0
// Translation: names of OTLP's metrics and attributes into names of metrics and labels, as Prometheus' receiver makes
// them. docs/protocols/otlp-metrics.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::protocol::otlp {

// Prometheus' strategies: are characters outside of [a-zA-Z0-9_:] replaced, and are units and types appended?
struct Translation {
  bool escapes = true;
  bool adds_suffixes = true;
  bool operator==(const Translation&) const = default;
};

// What a metric's data are; a counter is a monotonic sum.
enum class MetricKind : std::uint8_t { gauge, sum, counter, histogram, exponential_histogram, summary };

// The name of the metric, in front of _bucket, _sum and _count. Error (invalid): nothing is left of it.
Result<std::string> metric_name(std::string_view name, std::string_view unit, MetricKind kind, Translation translation);

// Error (invalid): nothing is left of it.
Result<std::string> label_name(std::string_view attribute, Translation translation);

}  // namespace varve::protocol::otlp
