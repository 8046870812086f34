// SPDX-License-Identifier: Apache-2.0
#include "server/signals.h"

#include <cerrno>

#include "base/check.h"

namespace varve::server {

Signals::Signals() {
  ::sigemptyset(&taken_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&taken_, signal);
  check(::pthread_sigmask(SIG_BLOCK, &taken_, &before_) == 0, "signals can be blocked");
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  check(::sigaction(SIGPIPE, &ignore, &pipe_before_) == 0, "SIGPIPE can be ignored");
}

Signals::~Signals() {
  ::sigaction(SIGPIPE, &pipe_before_, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

Signals::Kind Signals::wait(std::chrono::milliseconds at_most) const {
  const timespec time{at_most.count() / 1000, at_most.count() % 1000 * 1'000'000};
  const int signal = ::sigtimedwait(&taken_, nullptr, &time);
  if (signal == SIGHUP) return Kind::reload;
  return signal > 0 ? Kind::stop : Kind::none;
}

}  // namespace varve::server
