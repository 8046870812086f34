// SPDX-License-Identifier: Apache-2.0
// What a sender is told of bad lines.
#pragma once

#include <string>

#include "protocol/json/writer.h"
#include "protocol/outcome.h"

namespace varve::protocol::messages {

// {"accepted":1,"rejected":1,"errors":[{"line":2,"error":"…"}]}: of the rejected ones the first hundred.
inline std::string answer_of(const Outcome& outcome) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("accepted", outcome.accepted).member("rejected", outcome.rejected);
  json.key("errors").begin_array();
  for (const Rejected& one : outcome.listed) {
    json.begin_object().member("line", one.position).member("error", one.reason).end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace varve::protocol::messages
