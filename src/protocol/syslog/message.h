// SPDX-License-Identifier: Apache-2.0
// A frame as a message, RFC 5424 or RFC 3164, which is told apart for each. docs/protocols/syslog.md says what is
// taken.
#pragma once

#include <optional>
#include <string_view>

#include "message/builder.h"
#include "protocol/syslog/context.h"
#include "protocol/syslog/refusal.h"
#include "protocol/syslog/structured_data.h"

namespace varve::protocol::syslog {

// For one thread.
class Parser {
 public:
  // Adds the frame's message to the builder's batch; or says why not, and adds nothing.
  std::optional<Refusal> parse(std::string_view frame, const Context& context, message::Builder& to);

 private:
  StructuredData data_;
};

// kern, user, … local7; 0 … 23.
std::string_view facility_name(unsigned facility);

}  // namespace varve::protocol::syslog
