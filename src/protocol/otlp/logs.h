// SPDX-License-Identifier: Apache-2.0
// OTLP's ExportLogsServiceRequest into rows, and the response to it: docs/protocols/otlp-logs.md.
//
//   Request { repeated ResourceLogs = 1; }
//   ResourceLogs { Resource resource = 1; repeated ScopeLogs = 2; }      Resource { repeated KeyValue attributes = 1; }
//   ScopeLogs { Scope scope = 1; repeated LogRecord = 2; }      Scope { string name = 1; version = 2; attributes = 3; }
//   LogRecord { fixed64 time = 1; severity_number = 2; string severity_text = 3; AnyValue body = 5; attributes = 6;
//     dropped_attributes_count = 7; fixed32 flags = 8; bytes trace_id = 9; bytes span_id = 10;
//     fixed64 observed_time = 11; string event_name = 12; }
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "message/builder.h"
#include "protocol/otlp/record.h"
#include "protocol/outcome.h"

namespace varve::protocol::otlp {

// Adds the good records to the batch; positions in the outcome are those of records, from 1. Error (invalid): the body
// is not a request, and the batch holds an unspecified part of it.
Result<Outcome> parse_logs_protobuf(std::string_view body, const LogOptions& options, message::Batch& batch);
Result<Outcome> parse_logs_json(std::string_view body, const LogOptions& options, message::Batch& batch);

// ExportLogsServiceResponse, with partial_success where records were rejected.
std::string logs_response_protobuf(const Outcome& outcome);
std::string logs_response_json(const Outcome& outcome);

// google.rpc.Status.
std::string status_protobuf(int http_status, std::string_view message);
std::string status_json(int http_status, std::string_view message);

}  // namespace varve::protocol::otlp
