// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <new>
#include <vector>

namespace varve {
namespace {

TEST(InParallel, EachPartOnce) {
  TaskPool pool(3);
  for (const std::size_t count : {0UL, 1UL, 2UL, 1000UL}) {
    std::vector<std::atomic<int>> calls(count);
    EXPECT_TRUE(in_parallel(pool, 3, count, [&](std::size_t i) -> Status {
      ++calls[i];
      return {};
    }));
    for (const auto& n : calls) EXPECT_EQ(n, 1);
  }
}

TEST(InParallel, ABusyPoolIsNotWaitedFor) {
  std::latch held(1);  // outlives the pool, whose task is in it
  TaskPool pool(1);
  ASSERT_TRUE(pool.post([&] { held.wait(); }));
  int calls = 0;
  EXPECT_TRUE(in_parallel(pool, 1, 100, [&](std::size_t) -> Status {
    ++calls;
    return {};
  }));
  EXPECT_EQ(calls, 100);
  held.count_down();  // its helper comes late, and finds nothing
}

TEST(InParallel, HelpersHelp) {
  TaskPool pool(1);
  std::latch both(2);
  EXPECT_TRUE(in_parallel(pool, 1, 2, [&](std::size_t) -> Status {
    both.arrive_and_wait();  // needs two threads
    return {};
  }));
}

TEST(InParallel, TheFirstFailureEndsIt) {
  TaskPool pool(2);
  std::atomic<int> calls{0};
  const Status status = in_parallel(pool, 2, 100'000, [&](std::size_t i) -> Status {
    ++calls;
    return i == 5 ? fail(Code::corrupt, "five") : Status{};
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "five");
  EXPECT_LT(calls, 100'000);
}

TEST(InParallel, ACallThatThrowsHasFailed) {
  TaskPool pool(3);
  const Status status = in_parallel(pool, 3, 100, [](std::size_t) -> Status { throw std::bad_alloc(); });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::unavailable);
}

}  // namespace
}  // namespace varve
