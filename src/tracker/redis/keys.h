// SPDX-License-Identifier: Apache-2.0
// The bytes of docs/formats/redis.md: members and scores. Pure.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/time.h"

namespace varve::tracker::redis {

// score = ready × 1024 + n: the order of work and the generation in one. Exact in the doubles that Redis keeps.
inline constexpr std::int64_t kScoresInMs = 1024;
inline constexpr model::Timestamp kReadyMax = (std::int64_t{1} << 43) - 2;

inline model::Timestamp clamp_ready(model::Timestamp ready_ms) { return std::min(ready_ms, kReadyMax); }
inline model::Timestamp ready_of(std::int64_t score) { return model::window_start(score, kScoresInMs) / kScoresInMs; }

// Whole numbers, also where Redis writes them as 1.7e+15. 0 where it is no number.
inline std::int64_t to_number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return static_cast<std::int64_t>(value);
}

// "<slot>|<name>", what stands in pending|<partition>.
inline std::string entry_of(model::Timestamp slot, std::string_view name) {
  return std::to_string(slot).append("|").append(name);
}

// The number up to the next '|', which it takes off with it. nullopt: there is none.
inline std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto used = static_cast<std::size_t>(rest - text.data());
  if (error != std::errc() || used == text.size() || *rest != '|') return std::nullopt;
  text.remove_prefix(used + 1);
  return value;
}

}  // namespace varve::tracker::redis
