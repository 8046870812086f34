// SPDX-License-Identifier: Apache-2.0
#include "server/signals.h"

#include <gtest/gtest.h>
#include <pthread.h>

namespace varve::server {
namespace {

TEST(Signals, AreTakenByWaiting) {
  // To this thread: those of other tests were made before and have no mask.
  const Signals signals;
  const std::chrono::milliseconds soon(10'000);
  EXPECT_EQ(signals.wait(std::chrono::milliseconds(0)), Signals::Kind::none);
  ::pthread_kill(::pthread_self(), SIGHUP);
  EXPECT_EQ(signals.wait(soon), Signals::Kind::reload);
  ::pthread_kill(::pthread_self(), SIGTERM);
  EXPECT_EQ(signals.wait(soon), Signals::Kind::stop);
  ::pthread_kill(::pthread_self(), SIGINT);
  EXPECT_EQ(signals.wait(soon), Signals::Kind::stop);
  ::pthread_kill(::pthread_self(), SIGPIPE);  // would end the process
  EXPECT_EQ(signals.wait(std::chrono::milliseconds(0)), Signals::Kind::none);
}

}  // namespace
}  // namespace varve::server
