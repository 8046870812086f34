// SPDX-License-Identifier: Apache-2.0
// For tests: what a request of log records gives, as text.
#pragma once

#include <string>
#include <string_view>

#include "protocol/messages/messages_text.h"
#include "protocol/otlp/logs.h"

namespace varve::protocol::otlp {

// Messages and bad records ("! 2: reason"), or "!! " and the error of the whole.
inline std::string logs_text(std::string_view body, bool is_json) {
  LogOptions options;
  options.now_us = 7;
  options.limits.last_us = 4'000'000'000'000'000;
  options.limits.first_us = 1;
  message::Batch batch;
  const auto outcome = is_json ? parse_logs_json(body, options, batch) : parse_logs_protobuf(body, options, batch);
  if (!outcome) return "!! " + outcome.error().message;
  return messages::text_of(batch, *outcome);
}

}  // namespace varve::protocol::otlp
