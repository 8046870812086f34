// SPDX-License-Identifier: Apache-2.0
// Levels: the configured granularities, finest first, with their retention; and which series are delta counters, and
// which are counters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "counter/declared.h"
#include "rollup/window.h"

namespace varve::rollup {

struct Level {
  std::int64_t width_ms = 0;
  std::int64_t retention_ms = 0;  // counted from a window's end; kForEver: kept
  bool operator==(const Level&) const = default;
};
inline constexpr std::int64_t kForEver = 20LL * 365 * 86'400'000;  // retentions of this and more never expire

struct Levels {
  std::vector<Level> levels;                  // ascending by width, each a multiple of the one before
  std::vector<std::string> counter_suffixes;  // of metric names of delta counters
  // Which series are counters, whose windows say how they grew. nullptr: none is.
  std::shared_ptr<const counter::Declared> counters = nullptr;

  [[nodiscard]] Kind kind_of(std::string_view metric) const;

  // Error: invalid, with what is allowed: a width that is not a multiple of the one before, or a level that neither
  // divides a slot nor consists of whole slots.
  [[nodiscard]] Status check(std::int64_t slot_width_ms) const;
};

}  // namespace varve::rollup
