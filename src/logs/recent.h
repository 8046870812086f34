// SPDX-License-Identifier: Apache-2.0
// What was printed lately: with a new connection it comes again, and is left out once.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/clock.h"

namespace varve::logs {

class Recent {
 public:
  explicit Recent(const Clock& clock) : clock_(clock), begin_us_(clock.now_ms() * 1000 - kWidthUs) {}

  // A row that came. False: it was printed before this connection.
  bool is_new(std::int64_t time_us, std::string_view json);
  // A new connection: it asks from this time on, ten seconds before the newest message, for some come out of order.
  std::int64_t start_again();

 private:
  void forget_old();

  static constexpr std::int64_t kWidthUs = 10'000'000;
  static constexpr std::size_t kRowsMax = 1'000'000;

  const Clock& clock_;
  std::int64_t begin_us_;
  std::deque<std::pair<std::int64_t, std::uint64_t>> rows_;    // time and hash
  std::unordered_map<std::uint64_t, std::uint64_t> repeated_;  // how often each may come again
};

}  // namespace varve::logs
