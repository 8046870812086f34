// SPDX-License-Identifier: Apache-2.0
#include "base/task_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <new>

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
