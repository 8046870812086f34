// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <protozero/pbf_writer.hpp>

#include "protocol/json/writer.h"
#include "protocol/otlp/logs.h"

namespace varve::protocol::otlp {
namespace {

// Which records, and why: of the first twenty.
std::string reasons_of(const Outcome& outcome) {
  constexpr std::size_t kNamed = 20;
  std::string text;
  const std::size_t named = std::min(kNamed, outcome.listed.size());
  for (std::size_t i = 0; i < named; ++i) {
    text += (i == 0 ? "record " : "; record ") + std::to_string(outcome.listed[i].position) + ": " +
            outcome.listed[i].reason;
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

}  // namespace

std::string logs_response_protobuf(const Outcome& outcome) {
  std::string out;
  if (outcome.rejected == 0) return out;
  protozero::pbf_writer response(out);
  protozero::pbf_writer partial(response, 1);
  partial.add_int64(1, static_cast<std::int64_t>(outcome.rejected));
  partial.add_string(2, valid_utf8(reasons_of(outcome)));
  return out;
}

std::string logs_response_json(const Outcome& outcome) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (outcome.rejected != 0) {
    json.key("partialSuccess").begin_object();
    json.member("rejectedLogRecords", std::to_string(outcome.rejected)).member("errorMessage", reasons_of(outcome));
    json.end_object();
  }
  json.end_object();
  return out;
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
