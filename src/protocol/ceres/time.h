// SPDX-License-Identifier: Apache-2.0
// How Ceres writes times and widths: read and written here. docs/protocols/ceres.md lists the forms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/instant.h"
#include "model/time.h"

namespace varve::protocol::ceres {

// "2020-11-10T14:24:35.25Z" (or with an offset, +01:00), "1605094715" (up to 12 digits: seconds), "1605094715000"
// (milliseconds), "90m-ago" (ms s m h d w n=months y=years, the last two by the calendar of UTC).
// Errors: invalid, with the words of Ceres for what looks relative.
Result<model::Timestamp> parse_time(std::string_view text, model::Timestamp now);

// "5m", "PT5M", "P1DT12H", "pt0.5s": a width in milliseconds, at least 1. Error: invalid.
Result<std::int64_t> parse_granularity(std::string_view text);

using model::append_instant;

// "PT5M", "PT24H", "PT1H30M", "PT0.5S". ms > 0.
std::string granularity_text(std::int64_t ms);

}  // namespace varve::protocol::ceres
