// SPDX-License-Identifier: Apache-2.0
#include "migrate/retry.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace varve::migrate {

bool is_passing(Code code) {
  return code == Code::unavailable || code == Code::timeout || code == Code::limit || code == Code::io;
}

bool wait_before(unsigned attempt, const std::atomic<bool>& stopping) {
  constexpr unsigned kAttempts = 10;
  constexpr std::chrono::milliseconds kFirst{100}, kLongest{6400}, kStep{50};
  if (attempt >= kAttempts) return false;
  for (auto left = std::min(kFirst * (1 << std::min(attempt, 6U)), kLongest); left > kStep; left -= kStep) {
    if (stopping) return false;
    std::this_thread::sleep_for(kStep);
  }
  return !stopping;
}

}  // namespace varve::migrate
