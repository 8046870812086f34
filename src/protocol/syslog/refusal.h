// SPDX-License-Identifier: Apache-2.0
// Why a frame is no message. Each costs only itself; they are counted by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace varve::protocol::syslog {

enum class Refusal : std::uint8_t {
  too_long,     // over message_max
  empty,        // nothing, or nothing behind the priority
  no_priority,  // does not begin with <0> … <191>
  incomplete,   // counted, and the stream ended before
};
inline constexpr std::array<std::string_view, 4> kRefusalNames{"too_long", "empty", "no_priority", "incomplete"};

// How many of each.
class Refusals {
 public:
  void add(Refusal why) { ++counts_[static_cast<std::size_t>(why)]; }
  [[nodiscard]] std::uint64_t of(Refusal why) const { return counts_[static_cast<std::size_t>(why)]; }
  bool operator==(const Refusals&) const = default;

 private:
  std::array<std::uint64_t, kRefusalNames.size()> counts_{};
};

}  // namespace varve::protocol::syslog
