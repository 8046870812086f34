// SPDX-License-Identifier: Apache-2.0
#include "base/periodic.h"

#include <gtest/gtest.h>

#include <future>
#include <new>
#include <optional>

namespace varve {
namespace {

TEST(Periodic, ItIsDoneAgainAndAgain) {
  std::promise<void> third;
  int steps = 0;  // of its thread
  const Periodic periodic(std::chrono::milliseconds(1), [&](const std::stop_token&) {
    if (++steps == 3) third.set_value();
  });
  third.get_future().wait();
}

TEST(Periodic, APauseDoesNotHoldUpTheEnd) {
  std::promise<void> first;
  int steps = 0;
  std::optional<Periodic> periodic(std::in_place, std::chrono::hours(1), [&](const std::stop_token&) {
    ++steps;
    first.set_value();
  });
  first.get_future().wait();
  periodic.reset();
  EXPECT_EQ(steps, 1);
}

TEST(Periodic, ALongStepIsTold) {
  std::promise<void> begun;
  std::optional<Periodic> periodic(std::in_place, std::chrono::hours(1), [&](const std::stop_token& stopping) {
    begun.set_value();
    while (!stopping.stop_requested()) std::this_thread::yield();
  });
  begun.get_future().wait();
  periodic.reset();
}

TEST(Periodic, AStepThatThrowsIsDoneAgain) {
  std::promise<void> second;
  int steps = 0;
  const Periodic periodic(std::chrono::milliseconds(1), [&](const std::stop_token&) {
    if (++steps == 1) throw std::bad_alloc();
    if (steps == 2) second.set_value();
  });
  second.get_future().wait();
}

}  // namespace
}  // namespace varve
