// SPDX-License-Identifier: Apache-2.0
#include "server/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace varve::server {
namespace {

TEST(Signals, AreTakenByWaiting) {
  const Signals signals;
  const std::chrono::milliseconds soon(10'000);
  EXPECT_EQ(signals.wait(std::chrono::milliseconds(0)), Signals::Kind::none);
  ::kill(::getpid(), SIGHUP);
  EXPECT_EQ(signals.wait(soon), Signals::Kind::reload);
  ::kill(::getpid(), SIGTERM);
  EXPECT_EQ(signals.wait(soon), Signals::Kind::stop);
  ::kill(::getpid(), SIGINT);
  EXPECT_EQ(signals.wait(soon), Signals::Kind::stop);
  ::kill(::getpid(), SIGPIPE);  // would end the process
  EXPECT_EQ(signals.wait(std::chrono::milliseconds(0)), Signals::Kind::none);
}

}  // namespace
}  // namespace varve::server
