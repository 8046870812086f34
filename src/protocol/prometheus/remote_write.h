// SPDX-License-Identifier: Apache-2.0
// Prometheus remote write 1.0 and 2.0: a WriteRequest in protobuf (snappy already undone) → rows.
// docs/protocols/remote-write.md.
//
//   WriteRequest { repeated TimeSeries timeseries = 1; }     TimeSeries { repeated Label labels = 1; repeated Sample
//   samples = 2; }     Label { string name = 1; string value = 2; }     Sample { double value = 1; int64 timestamp = 2;
//   }     WriteRequest.metadata = 3: MetricMetadata { enum type = 1; string metric_family_name = 2; string help = 4;
//   string unit = 5; }
//
// A series' raw label bytes name its line group (of one series). Known ones are compared with the guess, or hashed;
// labels are decoded only at first sight.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/line_group.h"
#include "model/metric_metadata.h"
#include "model/row.h"
#include "protocol/outcome.h"

namespace varve::protocol::prometheus {

// Adds the samples of `body` to `batch`. The label __name__ is the metric, all others are tags; one with an empty value
// is as good as absent. Values stay doubles, but for staleness markers (model::kStaleMarkerBits), which are rows of
// their own kind; those of a series that is not there are left out: nothing has ended.
// What is wrong inside a series costs that series (or that sample) and is listed by the series' index from 0; with a
// new name that cannot be registered likewise. Error (invalid): the bytes are not a WriteRequest; then the batch holds
// an unspecified part of it and must not be committed. `metadata`, if set, is told of all metadata that are valid
// protobuf, of which others are left out; they count for nothing in the outcome.
Result<Outcome> parse_write_request(std::string_view body, model::GroupSource& groups, model::RowBatch& batch,
                                    const model::MetadataSink& metadata = nullptr);

// The same of remote write 2.0:
//
//   io.prometheus.write.v2.Request { repeated string symbols = 4; repeated TimeSeries timeseries = 5; }
//   TimeSeries { repeated uint32 labels_refs = 1; repeated Sample samples = 2; repeated Histogram histograms = 3;
//     repeated Exemplar exemplars = 4; Metadata metadata = 5; }
//   Sample as 1.0's, and int64 start_timestamp = 3, which is not kept
//   Metadata { enum type = 1; uint32 help_ref = 3; uint32 unit_ref = 4; }
//
// References are indices of symbols, whose first one is empty. One that leads nowhere costs its series. Error also: the
// first symbol is not empty.
Result<Outcome> parse_write_request_2(std::string_view body, model::GroupSource& groups, model::RowBatch& batch,
                                      const model::MetadataSink& metadata = nullptr);

}  // namespace varve::protocol::prometheus
