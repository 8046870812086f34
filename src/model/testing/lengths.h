// SPDX-License-Identifier: Apache-2.0
// Lengths of time, in milliseconds, as tests write them: 3 * kHour + kMinute.
#pragma once

#include "model/time.h"

namespace varve::model::testing {

inline constexpr std::int64_t kMinute = kMinuteMs;
inline constexpr std::int64_t kHour = kHourMs;
inline constexpr std::int64_t kDay = kDayMs;

}  // namespace varve::model::testing
