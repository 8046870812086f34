// SPDX-License-Identifier: Apache-2.0
#include "base/task_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace varve {
namespace {

TEST(TaskPool, RunsWhatWasPostedBeforeItGoes) {
  std::atomic<int> ran = 0;
  {
    TaskPool pool(2);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.post([&] { ++ran; }));
  }
  EXPECT_EQ(ran, 100);
}

TEST(TaskPool, RefusesWhenTheQueueIsFull) {
  std::promise<void> started;
  std::promise<void> release;
  int ran = 0;
  {
    TaskPool pool(1, 2);
    ASSERT_TRUE(pool.post([&] {
      started.set_value();
      release.get_future().wait();
      ++ran;
    }));
    started.get_future().wait();
    EXPECT_TRUE(pool.post([&] { ++ran; }));
    EXPECT_TRUE(pool.post([&] { ++ran; }));
    EXPECT_EQ(pool.waiting(), 2U);
    EXPECT_FALSE(pool.post([&] { ran += 100; }));
    release.set_value();
  }
  EXPECT_EQ(ran, 3);
}

// The thread is busy until the tasks have been posted.
std::string order_of(const std::vector<std::pair<std::string, std::string>>& posts) {
  std::promise<void> started, release;
  std::string order;
  {
    TaskPool pool(1);
    EXPECT_TRUE(pool.post([&] {
      started.set_value();
      release.get_future().wait();
    }));
    started.get_future().wait();
    for (const auto& [share, name] : posts) EXPECT_TRUE(pool.post([&order, n = name] { order += n; }, share));
    release.set_value();
  }
  return order;
}

TEST(TaskPool, SharesTakeTurns) {
  EXPECT_EQ(order_of({{"a", "1"}, {"a", "2"}, {"a", "3"}, {"a", "4"}, {"b", "x"}, {"", "."}, {"b", "y"}}), "1x.2y34");
  EXPECT_EQ(order_of({{"a", "1"}, {"b", "x"}, {"c", "?"}, {"a", "2"}, {"c", "!"}}), "1x?2!");
}

TEST(TaskPool, AShareHasHalfOfTheQueue) {
  std::promise<void> started, release;
  TaskPool pool(1, 4);
  ASSERT_TRUE(pool.post([&] {
    started.set_value();
    release.get_future().wait();
  }));
  started.get_future().wait();
  EXPECT_TRUE(pool.post([] {}, "a"));
  EXPECT_TRUE(pool.post([] {}, "a"));
  EXPECT_FALSE(pool.post([] {}, "a"));
  EXPECT_TRUE(pool.post([] {}, "b"));
  EXPECT_EQ(pool.waiting("a"), 2U);
  EXPECT_EQ(pool.waiting("b"), 1U);
  EXPECT_EQ(pool.waiting("c"), 0U);
  EXPECT_EQ(pool.waiting(), 3U);
  EXPECT_TRUE(pool.post([] {}));
  EXPECT_FALSE(pool.post([] {}, "b"));
  release.set_value();
}

// While a task of a share runs, a thread is left for others; that of no name is one of them.
class TaskPoolShare : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Names, TaskPoolShare, ::testing::Values("a", ""));
TEST_P(TaskPoolShare, RunsSoManyAtOnce) {
  const std::string name = GetParam();
  std::promise<void> started, release, other;
  std::atomic<int> of_a = 0;
  {
    TaskPool pool(2, 1024, TaskPool::Priority::normal, 1);
    ASSERT_TRUE(pool.post(
        [&] {
          ++of_a;
          started.set_value();
          release.get_future().wait();
        },
        name));
    started.get_future().wait();
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(pool.post([&] { ++of_a; }, name));
    ASSERT_TRUE(pool.post([&] { other.set_value(); }, "b"));
    other.get_future().wait();
    EXPECT_EQ(of_a, 1);
    EXPECT_EQ(pool.waiting(name), 10U);
    release.set_value();
  }
  EXPECT_EQ(of_a, 11) << "what was posted runs before the pool goes";
}

TEST(TaskPool, ATaskMayPostAnother) {
  std::atomic<int> ran = 0;
  std::promise<void> done;
  TaskPool pool(1);
  ASSERT_TRUE(pool.post([&] {
    ++ran;
    ASSERT_TRUE(pool.post([&] {
      ++ran;
      done.set_value();
    }));
  }));
  done.get_future().wait();
  EXPECT_EQ(ran, 2);
}

TEST(TaskPool, RunsInParallel) {
  std::promise<void> first;
  std::promise<void> second;
  TaskPool pool(2);  // last, so that its tasks end before what they use
  ASSERT_TRUE(pool.post([&] {
    first.set_value();
    second.get_future().wait();
  }));
  ASSERT_TRUE(pool.post([&] {
    first.get_future().wait();
    second.set_value();
  }));
}

TEST(TaskPool, ATaskThatThrowsIsDroppedAndTheNextOneRuns) {
  const auto held = std::make_shared<int>(1);
  std::promise<void> next;
  TaskPool pool(1);
  ASSERT_TRUE(pool.post([held] { throw std::bad_alloc(); }));
  ASSERT_TRUE(pool.post([&] { next.set_value(); }));
  next.get_future().wait();
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace varve
