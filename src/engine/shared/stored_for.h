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

// Since when what has this retention is certain to be kept, by its beginning.
constexpr model::Timestamp kept_from(std::int64_t retention_ms, std::int64_t now_ms) {
  return retention_ms < rollup::kForEver ? now_ms - retention_ms : model::kTimestampMin;
}

// Is the time of what ended then over?
constexpr bool is_over(model::Timestamp end, std::int64_t retention_ms, std::int64_t now_ms) {
  return retention_ms < rollup::kForEver && end + retention_ms <= now_ms;
}

// Is it kept? Near the end of its time a part of it may be gone already, and what is written now may go before it is
// read.
enum class Kept : std::uint8_t { kept, ending, gone };
constexpr Kept is_kept(model::Timestamp end, std::int64_t retention_ms, std::int64_t now_ms, std::int64_t margin_ms) {
  if (is_over(end, retention_ms, now_ms)) return Kept::gone;
  return is_over(end, retention_ms, now_ms + margin_ms) ? Kept::ending : Kept::kept;
}

// Nothing is made of less than it was made of before. Two questions follow:
//
// May something be written anew? What ends and does not stand may have stood, with more in it.
constexpr bool may_make(Kept output, bool stands) { return output == Kept::kept || stands; }
// Does a window stay as it stands, and only what came late is added to it? `whole`: all of this input was found.
constexpr bool is_closed(Kept input, bool whole) { return input == Kept::gone || (input == Kept::ending && !whole); }

}  // namespace varve::engine::shared
