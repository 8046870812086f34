// SPDX-License-Identifier: Apache-2.0
// OpenTSDB's durations: a whole number and one of ms s m h d w n y, where n is 30 days and y is 365.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "model/time_unit.h"

namespace varve::protocol::opentsdb {

struct Duration {
  std::int64_t count = 0;  // 1 to 10^6 of months and years, to 10^9 of others
  model::TimeUnit unit = model::TimeUnit::milliseconds;

  [[nodiscard]] std::int64_t ms() const {  // less than 2^60
    if (unit == model::TimeUnit::months) return count * 30 * model::fixed_ms(model::TimeUnit::days);
    if (unit == model::TimeUnit::years) return count * 365 * model::fixed_ms(model::TimeUnit::days);
    return count * model::fixed_ms(unit);
  }
};

// Errors: invalid.
Result<Duration> parse_duration(std::string_view text);

}  // namespace varve::protocol::opentsdb
