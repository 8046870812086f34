// SPDX-License-Identifier: Apache-2.0
// Times as people write them, and as lines show them: in the zone of the machine, as TZ says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::logs {

// What a query takes: microseconds since 1970, or `now` with an offset. Of those, of `-10m`, of RFC 3339, and of
// `2017 Mar 02 21:56:40.401440` and `2017-03-02 21:56:40`, which are local and may lack the fraction, the seconds or
// all of the time of day. Error: invalid.
Result<std::string> query_time(std::string_view text);
// `10m` and the like (s m h d) → `now-10m`. Error: invalid.
Result<std::string> time_before_now(std::string_view duration);

std::string local_time(std::int64_t us);    // 2017 Mar 02 21:56:40.401440, as Contrail has it
std::string plain_time(std::int64_t us);    // 2017-03-02 21:56:40.401440, local, too
std::string rfc3339_time(std::int64_t us);  // 2017-03-02T21:56:40.401440Z

}  // namespace varve::logs
