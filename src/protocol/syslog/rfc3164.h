// SPDX-License-Identifier: Apache-2.0
// Messages as RFC 3164 describes them, and as devices and relays vary that.
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/syslog/context.h"
#include "protocol/syslog/header.h"

namespace varve::protocol::syslog {

// Takes what looks like a header off the front of what is behind the priority; the rest is the message's text. What is
// not there stays as it is in `out`.
void take_rfc3164(std::string_view& text, const Context& context, Header& out);

}  // namespace varve::protocol::syslog
