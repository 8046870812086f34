// SPDX-License-Identifier: Apache-2.0
// Patience: what somebody waits for is done again where a server did not answer in time, before it is said to have
// failed. Servers stand still for a second now and then (a pause of Java's, of the machine); a delete asks them
// hundreds of times.
#pragma once

#include <chrono>
#include <thread>
#include <utility>

#include "base/result.h"

namespace varve::engine::cassandra {

// Redis is not asked for 200 ms after it did not answer (tracker/redis/link.h).
struct Patience {
  int tries = 20;
  std::chrono::milliseconds pause{250};
};

// call() → Result<T>, may be done again after a failure. Blocking; for requests of people, not for work that has a
// schedule. Errors: the last one of `call`.
template <class Call>
auto patiently(const Patience& patience, Call&& call) {
  auto answer = call();
  for (int tried = 1; tried < patience.tries && !answer; ++tried) {
    const Code code = answer.error().code;
    if (code != Code::unavailable && code != Code::timeout) break;
    std::this_thread::sleep_for(patience.pause);
    answer = call();
  }
  return answer;
}

}  // namespace varve::engine::cassandra
