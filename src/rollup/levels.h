// SPDX-License-Identifier: Apache-2.0
// Levels: the configured granularities, finest first, with their retention; and which series are counters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rollup/window.h"

namespace varve::rollup {

struct Level {
  std::int64_t width_ms = 0;
  std::int64_t retention_ms = 0;  // counted from a window's end; kForEver: kept
};
inline constexpr std::int64_t kForEver = 20LL * 365 * 86'400'000;  // this and more

struct Levels {
  std::vector<Level> levels;                  // ascending by width, each a multiple of the one before
  std::vector<std::string> counter_suffixes;  // of metric names

  [[nodiscard]] Kind kind_of(std::string_view metric) const;

  // Errors: invalid, saying what is allowed: widths that are not multiples of one another, or a level that is neither
  // built within a slot nor made of whole slots.
  [[nodiscard]] Status check(std::int64_t slot_width_ms) const;
};

}  // namespace varve::rollup
