// SPDX-License-Identifier: Apache-2.0
// Retrying: what a database, a store or a server cannot do now and may do in half a minute.
#pragma once

#include <atomic>

#include "base/result.h"

namespace varve::migrate {

// Is the error retryable, from Cassandra or from a store?
bool is_passing(Code code);

// Waits before retry 1, 2, …: longer each time, about 30 s in total. False: retries are exhausted, or stopping.
bool wait_before(unsigned attempt, const std::atomic<bool>& stopping);

// What work() returns, a Result, at the first time that passes(result) is false, or in the end.
template <class Work, class Passes>
auto retried(const std::atomic<bool>& stopping, Work work, Passes passes) {
  auto result = work();
  for (unsigned attempt = 0; passes(result) && wait_before(attempt, stopping); ++attempt) result = work();
  return result;
}
// While its error is_passing().
template <class Work>
auto retried(const std::atomic<bool>& stopping, Work work) {
  return retried(stopping, work, [](const auto& result) { return !result && is_passing(result.error().code); });
}

}  // namespace varve::migrate
