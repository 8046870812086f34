// SPDX-License-Identifier: Apache-2.0
// OpenTSDB's durations: a whole number and one of ms s m h d w n y, where n is 30 days and y is 365.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "model/duration.h"

namespace varve::protocol::opentsdb {

// 1 to 10^6 of months and years, to 10^9 of others. Errors: invalid.
Result<model::Duration> parse_duration(std::string_view text);

// Of such a one; less than 2^60.
inline std::int64_t ms_of(model::Duration duration) { return model::duration_ms(duration).value_or(0); }

}  // namespace varve::protocol::opentsdb
