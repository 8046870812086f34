// SPDX-License-Identifier: Apache-2.0
// Periodic: a thread that repeats a step, with a pause in between, until it is stopped.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

namespace varve {

class Periodic {
 public:
  // A long step checks the token now and then. An exception ends the current step only, and is logged.
  using Step = std::function<void(const std::stop_token& stopping)>;

  // Runs the first step at once.
  Periodic(std::chrono::milliseconds pause, Step step);
  // Waits for the running step.
  ~Periodic() = default;
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace varve
