// SPDX-License-Identifier: Apache-2.0
// Breaks: what a device says of its counters beside their values. A counter whose device restarted in between, or that
// the device says is not the same any more, may have grown by anything.
//
// A series of a metric snmp.… is told of by the series of these two metrics that have the same values of the tags
// below, in the same tenant; where a tag is missing, it must be missing there, too.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "model/time.h"

namespace varve::counter {

inline constexpr std::string_view kDevicePrefix = "snmp.";
// How long the device has been up, in ticks of 10 ms.
inline constexpr std::string_view kUptimeMetric = "snmp.sysUpTime";
inline constexpr std::array<std::string_view, 2> kUptimeTags = {"device", "oidset"};
// When the interface's counters began anew, in the same ticks.
inline constexpr std::string_view kDiscontinuityMetric = "snmp.ifCounterDiscontinuityTime";
inline constexpr std::array<std::string_view, 3> kDiscontinuityTags = {"device", "oidset", "interface"};

// Times of the first samples after restarts: where the uptime went back. That its 32 bits are used up after 497 days,
// which shows in how much time has passed, is no restart. `times` ascend.
std::vector<model::Timestamp> restarts(std::span<const model::Timestamp> times, std::span<const double> ticks);

// Times of the samples that differ from the one before. `times` ascend.
std::vector<model::Timestamp> changes(std::span<const model::Timestamp> times, std::span<const double> values);

}  // namespace varve::counter
