// SPDX-License-Identifier: Apache-2.0
// Units of time as queries name them, with the calendar of UTC: a month and a year have no fixed length.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/time.h"

namespace varve::model {

enum class TimeUnit : std::uint8_t { milliseconds, seconds, minutes, hours, days, weeks, months, years };

// "days", "DAYS", … in any letter case.
std::optional<TimeUnit> time_unit_of(std::string_view name);

// Milliseconds of the unit; 0 for months and years.
std::int64_t fixed_ms(TimeUnit unit);

// The functions below take times in kAllTime: the first window of a calendar may begin before the times that samples
// may have, and the last one end behind them.

// t + n units. If a month has no such day, its last day is used. Saturates at the ends of kAllTime, so any n is safe.
Timestamp add_units(Timestamp t, std::int64_t n, TimeUnit unit);

// The largest n for which add_units(from, n, unit) <= to.
std::int64_t units_between(Timestamp from, Timestamp to, TimeUnit unit);

// The start of the day, week (from Monday), month or year that contains t. `unit` must be one of these four.
Timestamp calendar_start(Timestamp t, TimeUnit unit);

}  // namespace varve::model
