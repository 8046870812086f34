// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/record.h"

#include <limits>

#include "message/level.h"
#include "protocol/rfc3339.h"

namespace varve::protocol::otlp {
namespace {

using message::Column;
using message::FieldForm;

constexpr std::int64_t kSeverityMax = 24;

// TRACE 1 … 4, DEBUG 5 … 8, INFO 9 … 12, WARN 13 … 16, ERROR 17 … 20, FATAL 21 … 24.
std::int64_t level_of_severity(std::int64_t severity) {
  constexpr std::int64_t kLevels[] = {7, 7, 6, 4, 3, 0};
  return kLevels[(severity - 1) / 4];
}

// Of the severities of one level the one that most senders mean by it: TRACE is not DEBUG, and INFO2 is not INFO.
bool is_usual(std::int64_t severity) { return severity % 4 == 1 && severity != 1; }

bool has_severity(const Record& record) { return record.severity >= 1 && record.severity <= kSeverityMax; }

}  // namespace

Fields& Records::start_resource() {
  resource_.clear();
  resource_error_ = {};
  return resource_;
}

Fields& Records::start_scope() {
  scope_.clear();
  scope_error_ = {};
  return scope_;
}

Fields& Records::start_record() {
  record_.clear();
  return record_;
}

void Records::add(const Record& record, const Status& status) {
  ++position_;
  Status put_status = !resource_error_ ? resource_error_ : !scope_error_ ? scope_error_ : status;
  if (put_status) put_status = put(record);
  if (put_status) {
    ++outcome_.accepted;
  } else {
    outcome_.reject(position_, std::move(put_status.error()));
  }
}

Status Records::put(const Record& record) {
  if (resource_.bytes() + scope_.bytes() > messages::kSharedBytesMax) {
    return fail(Code::too_large, "attributes of resource and scope have more than " +
                                     std::to_string(messages::kSharedBytesMax) + " bytes");
  }
  if (batch_.bytes().size() > rows_bytes_max_) {
    return fail(Code::too_large, "attributes of resource and scope, repeated for their records, are more than " +
                                     std::to_string(rows_bytes_max_) + " bytes");
  }
  builder_.start();
  VARVE_RETURN_IF_ERROR(put_fields(record));
  VARVE_RETURN_IF_ERROR(put_columns(record));
  return finish(record);
}

// The last one of a name counts.
Status Records::put_fields(const Record& record) {
  const auto text = [&](std::string_view name, std::string_view value) {
    return value.empty() ? Status{} : record_.add(name, FieldForm::text, value);
  };
  const auto number = [&](std::string_view name, std::int64_t value) {
    return value == 0 ? Status{} : record_.add(name, FieldForm::number, record_.keep(std::to_string(value)));
  };
  VARVE_RETURN_IF_ERROR(text("trace_id", record.trace_id));
  VARVE_RETURN_IF_ERROR(text("span_id", record.span_id));
  VARVE_RETURN_IF_ERROR(text("severity_text", record.severity_text));
  VARVE_RETURN_IF_ERROR(text("event_name", record.event_name));
  if (!has_severity(record) || !is_usual(record.severity)) {
    VARVE_RETURN_IF_ERROR(number("severity_number", record.severity));
  }
  VARVE_RETURN_IF_ERROR(number("flags", record.flags));
  VARVE_RETURN_IF_ERROR(number("dropped_attributes_count", record.dropped_attributes));
  VARVE_RETURN_IF_ERROR(resource_.put(builder_));
  VARVE_RETURN_IF_ERROR(scope_.put(builder_));
  return record_.put(builder_);
}

std::string_view Records::first_of(std::string_view name) const {
  for (const Fields* fields : {&resource_, &scope_, &record_}) {
    if (const auto text = fields->text_of(name); !text.empty()) return text;
  }
  return {};
}

Status Records::put_columns(const Record& record) {
  if (const auto host = first_of("host.name"); !host.empty()) VARVE_RETURN_IF_ERROR(builder_.set(Column::source, host));
  if (const auto name = first_of("service.name"); !name.empty()) {
    VARVE_RETURN_IF_ERROR(builder_.set(Column::module, name));
  }
  if (has_severity(record)) {
    builder_.set(Column::level, level_of_severity(record.severity));
  } else if (const auto named = message::level_of(record.severity_text)) {
    builder_.set(Column::level, *named);
  }
  if (record.body.kind == Value::Kind::none) return {};
  if (record.body.kind == Value::Kind::text) return builder_.set(Column::text, record.body.text);
  body_.clear();
  append_json(body_, record.body);
  return builder_.set(Column::text, std::string_view(body_));
}

Status Records::finish(const Record& record) {
  const std::uint64_t ns = record.time_ns != 0 ? record.time_ns : record.observed_ns;
  if (ns == 0) {
    builder_.finish(options_.now_us);
    return admission_.admit();
  }
  const auto us = static_cast<std::int64_t>(ns / 1000);
  const messages::Limits& limits = options_.limits;
  if (us < limits.first_us || us > limits.last_us) {
    const bool old = us < limits.first_us;
    return fail(old ? Code::too_old : Code::invalid,
                "time " + std::to_string(ns) + " is " + (old ? limits.too_old : limits.too_new));
  }
  return admission_.finish(builder_, us, static_cast<unsigned>(ns % 1000));
}

}  // namespace varve::protocol::otlp
