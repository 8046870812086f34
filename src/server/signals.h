// SPDX-License-Identifier: Apache-2.0
// Signals as something to wait for, instead of handlers that interrupt.
#pragma once

#include <chrono>
#include <csignal>

namespace varve::server {

// While one exists, SIGTERM, SIGINT and SIGHUP are taken by wait() only, and SIGPIPE is ignored (a socket's write then
// says EPIPE). Make it before any thread: threads inherit the mask.
class Signals {
 public:
  enum class Kind { none, stop, reload };

  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // The next signal, or none once the time is over.
  [[nodiscard]] Kind wait(std::chrono::milliseconds at_most) const;

 private:
  sigset_t taken_{};
  sigset_t before_{};
  struct sigaction pipe_before_{};
};

}  // namespace varve::server
