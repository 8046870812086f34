// SPDX-License-Identifier: Apache-2.0
// For tests: what a push request gives, as text.
#pragma once

#include <string>
#include <string_view>

#include "protocol/loki/push.h"
#include "protocol/messages/messages_text.h"

namespace varve::protocol::loki {

// Messages, parted by " | ", or "! " and the error.
inline std::string pushed_text(const Status& status, const message::Batch& batch) {
  if (!status) return "! " + status.error().message;
  Outcome outcome;
  outcome.accepted = batch.rows();
  return messages::text_of(batch, outcome);
}

inline messages::Limits limits_for_tests() {
  messages::Limits limits;
  limits.first_us = -1'000'000'000;
  limits.last_us = 4'000'000'000'000'000;
  return limits;
}

// JSON, one way, with these bytes behind it.
inline std::string pushed(std::string_view body, Way way, char padding) {
  const std::string bytes = std::string(body) + std::string(messages::kBodyPadding, padding);
  const messages::Limits limits = limits_for_tests();
  message::Batch batch;
  const Status status = parse_push_json({bytes.data(), body.size()}, limits, batch, way);
  return pushed_text(status, batch);
}

inline std::string pushed_protobuf(std::string_view body) {
  const messages::Limits limits = limits_for_tests();
  message::Batch batch;
  const Status status = parse_push_protobuf(body, limits, batch);
  return pushed_text(status, batch);
}

}  // namespace varve::protocol::loki
