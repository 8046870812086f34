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

}  // namespace
}  // namespace varve
