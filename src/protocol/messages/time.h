// SPDX-License-Identifier: Apache-2.0
// "time" of a message: a number of the sender's unit, or RFC 3339.
#pragma once

#include <string_view>

#include "base/result.h"
#include "protocol/messages/ndjson.h"
#include "protocol/rfc3339.h"

namespace varve::protocol::messages {

// `number` as JSON has it, also with a fraction or an exponent; what is below a nanosecond is cut off.
// Error (invalid): outside of 64 bits of microseconds.
Result<PreciseTime> time_of_number(std::string_view number, Precision precision);

// RFC 3339, or a number in quotes. `optional_time`: also 2026-11, 2026-11-29, 2026-11-29T10, 2026-11-29T10:11+0200 and
// so on, in UTC without a zone. Error (invalid): neither; outside.
Result<PreciseTime> time_of_text(std::string_view text, Precision precision, bool optional_time = false);

}  // namespace varve::protocol::messages
