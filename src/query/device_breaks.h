// SPDX-License-Identifier: Apache-2.0
// Device breaks: when devices restarted, or said that a counter is not the same any more, as their own series tell
// (counter/breaks.h).
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/counters.h"

namespace varve::query {

// Is the metric one of those that devices' series tell about?
bool has_device_breaks(std::string_view metric);

// Of each series of the plan whose position is in `wanted`, in that order: the times of breaks in `range`, ascending.
// Errors: limit, and those of the stores.
Result<std::vector<std::vector<model::Timestamp>>> read_device_breaks(const CounterSources& sources, const Plan& plan,
                                                                      std::span<const std::size_t> wanted,
                                                                      model::TimeRange range, const Deadline& deadline,
                                                                      const Limits& limits, Budget& budget);

}  // namespace varve::query
