// SPDX-License-Identifier: Apache-2.0
// OTLP's ExportMetricsServiceRequest into rows, and the response to it: docs/protocols/otlp-metrics.md.
//
//   Request { repeated ResourceMetrics = 1; }
//   ResourceMetrics { Resource resource = 1; repeated ScopeMetrics = 2; }    Resource { repeated KeyValue attributes =
//   1; } ScopeMetrics { Scope scope = 1; repeated Metric = 2; } Metric { string name = 1; string description = 2;
//   string unit = 3; one of Gauge = 5; Sum = 7; Histogram = 9; ExponentialHistogram = 10;
//     Summary = 11; }
//   Gauge, Sum, … { repeated points = 1; aggregation_temporality = 2; bool is_monotonic = 3; }
//   NumberDataPoint { fixed64 time = 3; double = 4; Exemplar = 5; sfixed64 = 6; attributes = 7; flags = 8; }
//   HistogramDataPoint { fixed64 time = 3; fixed64 count = 4; double sum = 5; fixed64 bucket_counts = 6;
//     double explicit_bounds = 7; Exemplar = 8; attributes = 9; flags = 10; }
//   SummaryDataPoint { fixed64 time = 3; fixed64 count = 4; double sum = 5; ValueAtQuantile = 6; attributes = 7;
//     flags = 8; }     ValueAtQuantile { double quantile = 1; double value = 2; }
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/line_group.h"
#include "model/row.h"
#include "protocol/otlp/metric_points.h"

namespace varve::protocol::otlp {

// Adds the samples of good points to the batch. Error (invalid): the body is not a request, and the batch holds an
// unspecified part of it. The same request gives the same in both forms.
Result<MetricOutcome> parse_metrics_protobuf(std::string_view body, const MetricNaming& naming,
                                             const TargetTime& target_time, model::GroupSource& groups,
                                             model::RowBatch& batch, const DescribedSink& described = nullptr);
Result<MetricOutcome> parse_metrics_json(std::string_view body, const MetricNaming& naming,
                                         const TargetTime& target_time, model::GroupSource& groups,
                                         model::RowBatch& batch, const DescribedSink& described = nullptr);

// ExportMetricsServiceResponse, with partial_success where points were rejected or there is a note.
std::string metrics_response_protobuf(const MetricOutcome& outcome);
std::string metrics_response_json(const MetricOutcome& outcome);

}  // namespace varve::protocol::otlp
