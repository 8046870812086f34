// SPDX-License-Identifier: Apache-2.0
// Times of Contrail's queries.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace varve::language::analytics {

// µs since 1970 in decimal, `now`, or `now` with + or −, a number and one of s m h d. Error: invalid, for everything
// else, and for what lies out of 64 bits.
Result<std::int64_t> parse_time(std::string_view text, std::int64_t now_us);

}  // namespace varve::language::analytics
