// SPDX-License-Identifier: Apache-2.0
// How long windows are stored, which may be longer than they are shown: a wider granularity is made of them again when
// late samples change them, and it must never be made of less than it was made of before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "model/time.h"
#include "rollup/levels.h"

namespace varve::engine::shared {

// Of the level-th granularity, from a window's end. At least its own retention; that of a finer one; and, where a wider
// one than a slot is made of it, as long as samples may come that change it.
inline std::int64_t stored_for_ms(std::span<const rollup::Level> levels, std::size_t level,
                                  std::int64_t raw_retention_ms, std::int64_t chunk_width_ms) {
  std::int64_t longest = 0;
  for (std::size_t l = 0; l <= level; ++l) {
    longest = std::max(longest, levels[l].retention_ms);
    const std::int64_t wider = l + 1 < levels.size() ? levels[l + 1].width_ms : 0;
    if (wider > chunk_width_ms) longest = std::max(longest, raw_retention_ms + wider);
  }
  return std::min(longest, rollup::kForEver);
}

// A retention, cut to the time to live of a line group's samples (0: none).
constexpr std::int64_t shorter_ms(std::int64_t retention_ms, std::uint32_t ttl_s) {
  return ttl_s == 0 ? retention_ms : std::min(retention_ms, std::int64_t{ttl_s} * 1000);
}

// Orders times to live: the shorter, the higher; 0, which is none, comes first.
constexpr std::uint32_t brevity(std::uint32_t ttl_s) { return ttl_s == 0 ? 0 : ~ttl_s; }

// Since when samples of a group are there for questions: those of earlier times are over.
constexpr model::Timestamp alive_from(std::uint32_t ttl_s, std::int64_t now_ms) {
  return ttl_s == 0 ? model::kTimestampMin : std::max(model::kTimestampMin, now_ms - std::int64_t{ttl_s} * 1000);
}

// Is the time of what ended then over?
inline bool is_over(model::Timestamp end, std::int64_t retention_ms, std::int64_t now_ms) {
  return retention_ms < rollup::kForEver && end + retention_ms <= now_ms;
}

}  // namespace varve::engine::shared
