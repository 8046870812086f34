// SPDX-License-Identifier: Apache-2.0
// Lifetimes: how long samples and windows are stored, and what may be made when some of its inputs are gone.
//
// Windows may be stored longer than they are shown: late samples change them, and then the wider granularity is made of
// them again. The rule for all of it: nothing is ever made of less than it was made of before. Pure: the engines say
// what is stored, and act on the answers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/time.h"
#include "rollup/levels.h"

namespace varve::engine::shared {

// --- How long

// How long windows of the level-th granularity are stored, from their end: at least for their own retention and that of
// every finer granularity; and, where the next granularity is wider than a chunk, as long as late samples may change
// one of its windows.
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

// How long a store keeps what it holds.
struct Lifetimes {
  std::span<const rollup::Level> levels;  // finest first
  std::int64_t raw_retention_ms;
  std::int64_t chunk_width_ms;

  // Which granularity has this width; levels.size() if none has.
  [[nodiscard]] std::size_t level_of(std::int64_t width_ms) const {
    return static_cast<std::size_t>(std::ranges::find(levels, width_ms, &rollup::Level::width_ms) - levels.begin());
  }
  [[nodiscard]] std::int64_t stored_ms(std::size_t level) const {
    return stored_for_ms(levels, level, raw_retention_ms, chunk_width_ms);
  }
  // Of samples and windows alike.
  [[nodiscard]] std::int64_t longest_ms() const {
    std::int64_t longest = raw_retention_ms;
    for (std::size_t level = 0; level < levels.size(); ++level) longest = std::max(longest, stored_ms(level));
    return longest;
  }
};

// A retention, cut to the time to live of a line group's samples (0: none).
constexpr std::int64_t shorter_ms(std::int64_t retention_ms, std::uint32_t ttl_s) {
  return ttl_s == 0 ? retention_ms : std::min(retention_ms, std::int64_t{ttl_s} * 1000);
}

// Orders times to live: the shorter, the higher; 0, which is none, comes first.
constexpr std::uint32_t brevity(std::uint32_t ttl_s) { return ttl_s == 0 ? 0 : ~ttl_s; }

// The oldest time at which a sample with this time to live can still be read.
constexpr model::Timestamp alive_from(std::uint32_t ttl_s, std::int64_t now_ms) {
  return ttl_s == 0 ? model::kAllTime.first : std::max(model::kTimestampMin, now_ms - std::int64_t{ttl_s} * 1000);
}

// The oldest time at which something with this retention may begin and is certain to be kept.
constexpr model::Timestamp kept_from(std::int64_t retention_ms, std::int64_t now_ms) {
  return retention_ms < rollup::kForEver ? now_ms - retention_ms : model::kAllTime.first;
}

// Has what ended then outlived its retention?
constexpr bool is_over(model::Timestamp end, std::int64_t retention_ms, std::int64_t now_ms) {
  return retention_ms < rollup::kForEver && end + retention_ms <= now_ms;
}
// The same for a time to live, of samples before `end`.
constexpr bool is_ttl_over(model::Timestamp end, std::uint32_t ttl_s, std::int64_t now_ms) {
  return ttl_s != 0 && end <= alive_from(ttl_s, now_ms);
}

// Ending: within `margin_ms` of the end of its time. A part of it may be gone already, and what is written now may go
// before it is read. Gone: it may be there still, but nothing can rely on it.
enum class Kept : std::uint8_t { kept, ending, gone };
constexpr Kept is_kept(model::Timestamp end, std::int64_t retention_ms, std::int64_t now_ms,
                       std::int64_t margin_ms = 0) {
  if (is_over(end, retention_ms, now_ms)) return Kept::gone;
  return is_over(end, retention_ms, now_ms + margin_ms) ? Kept::ending : Kept::kept;
}

// --- What may be made

// May something be written anew? Near the end of its time only if nothing of it can have been lost: it stands, or it
// was never made.
constexpr bool may_make(Kept output, bool intact) { return output == Kept::kept || intact; }

// Does a window stay as it stands, so that late samples are only added to it? `whole`: all of this input was found.
constexpr bool is_closed(Kept input, bool whole) { return input == Kept::gone || (input == Kept::ending && !whole); }

// Are late samples added to a stored window? `is_due`: it will be made of the input anyway, for the first time or
// again, and gets them from there, provided the input is kept. A window that may be gone takes nothing: what else was
// in it would be missing.
constexpr bool takes_late(Kept output, Kept input, bool is_due) {
  return output != Kept::gone && (!is_due || is_closed(input, true));
}

// What a window is made of again when a part of its range is erased. Of finer windows only where these count no fewer
// samples than it does. `has_finer`: finer windows are stored beside it that do not go with its samples.
enum class Remake : std::uint8_t { nothing, of_samples, of_finer };
constexpr Remake remake(bool samples_dropped, bool has_finer, bool samples_erased) {
  if (samples_dropped) return has_finer ? Remake::of_finer : Remake::nothing;
  return samples_erased ? Remake::of_samples : Remake::nothing;
}
constexpr bool says_no_less(std::uint64_t input_count, std::uint64_t output_count) {
  return input_count >= output_count;
}

// --- What may be dropped

// Samples go when their time is over and windows hold what they said (or nobody makes windows).
constexpr bool may_drop(Kept samples, bool in_windows) { return samples == Kept::gone && in_windows; }

// The same of hot rows beside the sealed samples of their slot, which ended then and is sealed. Where the sealed ones
// outlive the hot ones, they suffice. Else the finest windows must hold everything; and from `margin_ms` before the end
// of the samples' time until `margin_ms` after it nothing is dropped: near that end slots are not sealed any more, so
// what came late is in hot rows alone.
struct HotTimes {
  std::int64_t kept_ms;    // how long hot rows are stored
  std::int64_t margin_ms;  // by which clocks of nodes and replicas may differ
  std::int64_t clocks_ms;  // by which replicas' ideas of the shared time may differ
};
constexpr bool may_drop_hot(model::Timestamp end, std::int64_t retention_ms, std::int64_t now_ms, const HotTimes& hot,
                            bool in_windows) {
  const auto is_over_at = [&](std::int64_t time_ms) { return is_over(end, retention_ms, time_ms); };
  if (!is_over_at(now_ms + hot.kept_ms + hot.margin_ms)) return true;
  const bool is_ending = is_over_at(now_ms + hot.margin_ms + hot.clocks_ms) && !is_over_at(now_ms - hot.margin_ms);
  return !is_ending && in_windows;
}

}  // namespace varve::engine::shared
