// SPDX-License-Identifier: Apache-2.0
// Periodic: a thread that does the same again and again, with a pause in between, until it is stopped.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

namespace varve {

class Periodic {
 public:
  // A step that takes long looks at the token now and then. What it throws ends the step alone, and is told in the log.
  using Step = std::function<void(const std::stop_token& stopping)>;

  // The first step is done at once.
  Periodic(std::chrono::milliseconds pause, Step step);
  // Waits for the step under way.
  ~Periodic() = default;
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace varve
