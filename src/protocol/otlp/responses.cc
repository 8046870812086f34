// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <protozero/pbf_writer.hpp>

#include "protocol/json/writer.h"
#include "protocol/otlp/logs.h"
#include "protocol/otlp/metrics.h"

namespace varve::protocol::otlp {
namespace {

// Which entries ("record "), and why: of the first twenty.
std::string reasons_of(const Outcome& outcome, const std::string& entry) {
  constexpr std::size_t kNamed = 20;
  std::string text;
  const std::size_t named = std::min(kNamed, outcome.listed.size());
  for (std::size_t i = 0; i < named; ++i) {
    text += (i == 0 ? "" : "; ") + entry + std::to_string(outcome.listed[i].position) + ": " + outcome.listed[i].reason;
  }
  if (outcome.rejected > named) text += "; and " + std::to_string(outcome.rejected - named) + " more";
  return text;
}

// Of google.rpc.Code: what clients show; they go by HTTP's status.
int rpc_code(int http_status) {
  constexpr int kUnknown = 2, kInvalidArgument = 3, kNotFound = 5, kResourceExhausted = 8, kUnavailable = 14;
  switch (http_status) {
    case 404:
    case 405: return kNotFound;
    case 413:
    case 429: return kResourceExhausted;
    case 503: return kUnavailable;
    default: return http_status < 500 ? kInvalidArgument : kUnknown;
  }
}

std::string valid_utf8(std::string_view text) {
  return json::is_utf8(text) ? std::string(text) : "(the reason names bytes that are not UTF-8)";
}

std::string reasons_of(const MetricOutcome& outcome) {
  std::string text = reasons_of(outcome.points, "point ");
  if (!outcome.note.empty()) text.append(text.empty() ? "" : "; ").append(outcome.note);
  return text;
}

// Both signals' partial_success: how many, and why. Reasons without rejected entries are a warning.
std::string partial_protobuf(std::size_t rejected, const std::string& reasons) {
  std::string out;
  if (reasons.empty()) return out;
  protozero::pbf_writer response(out);
  protozero::pbf_writer partial(response, 1);
  if (rejected != 0) partial.add_int64(1, static_cast<std::int64_t>(rejected));
  partial.add_string(2, valid_utf8(reasons));
  return out;
}

std::string partial_json(std::string_view rejected_member, std::size_t rejected, const std::string& reasons) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (!reasons.empty()) {
    json.key("partialSuccess").begin_object();
    json.member(rejected_member, std::to_string(rejected)).member("errorMessage", reasons);
    json.end_object();
  }
  json.end_object();
  return out;
}

}  // namespace

std::string logs_response_protobuf(const Outcome& outcome) {
  return partial_protobuf(outcome.rejected, reasons_of(outcome, "record "));
}

std::string logs_response_json(const Outcome& outcome) {
  return partial_json("rejectedLogRecords", outcome.rejected, reasons_of(outcome, "record "));
}

std::string metrics_response_protobuf(const MetricOutcome& outcome) {
  return partial_protobuf(outcome.points.rejected, reasons_of(outcome));
}

std::string metrics_response_json(const MetricOutcome& outcome) {
  return partial_json("rejectedDataPoints", outcome.points.rejected, reasons_of(outcome));
}

std::string status_protobuf(int http_status, std::string_view message) {
  std::string out;
  protozero::pbf_writer status(out);
  status.add_int32(1, rpc_code(http_status));
  status.add_string(2, valid_utf8(message));
  return out;
}

std::string status_json(int http_status, std::string_view message) {
  std::string out;
  json::Writer(out).begin_object().member("code", rpc_code(http_status)).member("message", message).end_object();
  return out;
}

}  // namespace varve::protocol::otlp
