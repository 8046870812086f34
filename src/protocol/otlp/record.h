// SPDX-License-Identifier: Apache-2.0
// Record: a log record of OTLP, as protobuf and JSON give it alike. Records: what they become.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "message/builder.h"
#include "protocol/messages/ndjson.h"
#include "protocol/messages/shared_bytes.h"
#include "protocol/otlp/fields.h"
#include "protocol/outcome.h"

namespace varve::protocol::otlp {

struct LogOptions {
  std::int64_t now_us = 0;  // time of records that have none
  messages::Limits limits;
};

struct Record {
  std::uint64_t time_ns = 0;      // 0: it has none
  std::uint64_t observed_ns = 0;  // 0: it has none
  std::int64_t severity = 0;      // 1 … 24; 0: it has none
  std::string_view severity_text;
  Value body;
  std::string_view trace_id;  // in hex
  std::string_view span_id;
  std::string_view event_name;
  std::uint32_t flags = 0;
  std::uint32_t dropped_attributes = 0;
};

// One request: what resources, scopes and records say, in this order, and then add().
class Records {
 public:
  Records(const LogOptions& options, std::size_t body_bytes, message::Batch& batch)
      : options_(options),
        rows_bytes_max_(messages::rows_bytes_max(body_bytes)),
        batch_(batch),
        admission_(options.limits, batch),
        builder_(admission_.rows()) {}

  // Each start forgets what was said in it and below before. An error that is said to be of the resource or the scope
  // counts for all records of it.
  Fields& start_resource();
  Fields& start_scope();
  Fields& start_record();
  void set_resource_error(const Status& status) { resource_error_ = status; }
  void set_scope_error(const Status& status) { scope_error_ = status; }

  // Adds the record that was started, or lists it as rejected. `status`: what went wrong when it was read.
  void add(const Record& record, const Status& status);

  [[nodiscard]] Outcome take_outcome() { return std::move(outcome_); }

 private:
  Status put(const Record& record);
  Status put_fields(const Record& record);
  Status put_columns(const Record& record);
  Status finish(const Record& record);
  [[nodiscard]] std::string_view first_of(std::string_view name) const;

  const LogOptions& options_;
  const std::size_t rows_bytes_max_;
  const message::Batch& batch_;
  messages::Admission admission_;
  message::Builder builder_;
  Fields resource_;
  Fields scope_;
  Fields record_;
  Status resource_error_;
  Status scope_error_;
  std::string body_;  // that is no text
  std::size_t position_ = 0;
  Outcome outcome_;
};

}  // namespace varve::protocol::otlp
