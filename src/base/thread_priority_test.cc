// SPDX-License-Identifier: Apache-2.0
#include "base/thread_priority.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <thread>

namespace varve {
namespace {

TEST(ThreadPriority, LowersOnlyTheThreadThatAsks) {
  const int before = ::getpriority(PRIO_PROCESS, 0);
  int there = before;
  std::thread other([&] {
    lower_thread_priority();
    there = ::getpriority(PRIO_PROCESS, 0);
  });
  other.join();
  EXPECT_GT(there, before);
  EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), before);
}

}  // namespace
}  // namespace varve
