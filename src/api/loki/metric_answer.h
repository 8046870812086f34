// SPDX-License-Identifier: Apache-2.0
// Metrics of log lines as Loki's JSON has them.
#pragma once

#include <string>

#include "language/logql/metric.h"
#include "protocol/json/writer.h"

namespace varve::api {

// "resultType":…,"result":…: of an instant a vector (or a scalar), of a range a matrix.
void write_metric(protocol::json::Writer& json, const language::logql::MetricValue& value,
                  const language::logql::Steps& steps, bool instant);

// Seconds since 1970 with at most three digits behind the point.
std::string loki_seconds(std::int64_t ns);
// The shortest decimals that are this number; NaN, +Inf, -Inf.
std::string loki_number(double value);

}  // namespace varve::api
