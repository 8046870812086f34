// SPDX-License-Identifier: Apache-2.0
// WhyUnknown: why nobody can say by how much a counter grew between two samples that follow each other. Such an
// increase is in no rate.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "counter/declared.h"

namespace varve::counter {

enum class WhyUnknown : std::uint8_t {
  gap,            // the gap limit is exceeded
  restart,        // the device has restarted in between
  discontinuity,  // the device says that the counter began anew
  fell,           // it fell, and has 64 bits, which are not used up
  speed,          // it fell, and to have used up its 32 bits it would have to be faster than its interface
};

inline constexpr std::array<std::string_view, 5> kWhyUnknown = {"gap", "restart", "discontinuity", "fell", "speed"};
constexpr std::string_view to_text(WhyUnknown why) { return kWhyUnknown[static_cast<std::size_t>(why)]; }

// By the values and their times alone: gap, fell or speed; nullopt: the interval counts, unless it is broken().
// `from` is before `to`; both are as an agent says them, never negative.
std::optional<WhyUnknown> why_unknown(const Sample<std::uint64_t>& from, const Sample<std::uint64_t>& to,
                                      const Declaration& declaration);

}  // namespace varve::counter
