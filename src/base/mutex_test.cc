// SPDX-License-Identifier: Apache-2.0
#include "base/mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace varve {
namespace {

class Counter {
 public:
  void add() VARVE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void wait_for(int count) VARVE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (count_ < count) changed_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  Condition changed_;
  int count_ VARVE_GUARDED_BY(mutex_) = 0;
};

TEST(Mutex, a_condition_waits_for_what_others_do_under_it) {
  Counter counter;
  std::thread a([&] {
    for (int i = 0; i < 1000; ++i) counter.add();
  });
  std::thread b([&] {
    for (int i = 0; i < 1000; ++i) counter.add();
  });
  counter.wait_for(2000);
  a.join();
  b.join();
}

bool is_free(Mutex& mutex) {
  bool taken = false;
  std::thread([&] {
    if (mutex.try_lock()) {
      taken = true;
      mutex.unlock();
    }
  }).join();
  return taken;
}

TEST(Mutex, a_wait_ends_with_its_time_and_holds_the_mutex_still) {
  Mutex mutex;
  Condition never;
  const MutexLock lock(mutex);
  while (never.wait_for(mutex, std::chrono::milliseconds(1)) != std::cv_status::timeout) {
  }
  EXPECT_FALSE(is_free(mutex));
}

TEST(Mutex, a_lock_may_let_go_before_the_end) {
  Mutex mutex;
  {
    MutexLock lock(mutex);
    lock.unlock();
    EXPECT_TRUE(is_free(mutex));
    lock.lock();
    EXPECT_FALSE(is_free(mutex));
  }
  EXPECT_TRUE(is_free(mutex));
}

TEST(Mutex, readers_share_and_a_writer_does_not) {
  SharedMutex mutex;
  std::atomic<int> value = 0;
  std::thread writer;
  {
    const ReaderLock first(mutex);
    std::thread([&] { const ReaderLock second(mutex); }).join();  // ends
    writer = std::thread([&] {
      const MutexLock lock(mutex);
      value = 1;
    });
    EXPECT_EQ(value, 0);
  }
  writer.join();
  EXPECT_EQ(value, 1);
}

// Two readers who hand it to each other, so that one of them always has it. With a writer who waits, the second one
// does not get it before him; the first one then goes without having handed it on.
TEST(Mutex, a_writer_does_not_wait_for_readers_who_come_after_him) {
  constexpr int kRounds = 20'000, kPatience = 20'000;
  SharedMutex mutex;
  std::atomic<int> rounds = 0;
  std::atomic<bool> comes = false, done = false;
  const auto read = [&] {
    while (!done && rounds < kRounds) {
      const ReaderLock lock(mutex);
      const int mine = ++rounds;
      for (int i = 0; !done && rounds == mine && i < kPatience; ++i) std::this_thread::yield();
    }
  };
  std::thread writer([&] {
    while (rounds == 0) std::this_thread::yield();
    comes = true;
    const MutexLock lock(mutex);
    done = true;
  });
  std::thread first(read), second(read);
  first.join();
  second.join();
  writer.join();
  EXPECT_TRUE(comes);
  EXPECT_LT(rounds, kRounds);
}

}  // namespace
}  // namespace varve
