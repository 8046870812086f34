// SPDX-License-Identifier: Apache-2.0
#include "tracker/local_tracker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tracker/testing/tracker_contract.h"
#include "tracker/testing/tracker_model.h"

namespace varve::tracker::testing {
namespace {

const MakeTracker make_tracker = [](const TrackerOptions& options) { return std::make_unique<LocalTracker>(options); };
INSTANTIATE_TEST_SUITE_P(local, TrackerContract, ::testing::Values(make_tracker));

TEST(LocalTracker, RandomWorkMatchesTheModel) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const TrackerOptions options{.width_ms = kHour,
                                 .quiet_ms = seed % 3 == 0 ? 1000 : 5 * kMinute,
                                 .partitions = 8,
                                 .backoff_ms = 10'000,
                                 .backoff_ms_max = kHour};
    LocalTracker tracker(options);
    TrackerModel(tracker, options, seed).run(1500);
  }
}

// When all is completed and the queues were walked, nothing is left in memory.
TEST(LocalTracker, WhatIsCompletedIsFreed) {
  LocalTracker tracker({.partitions = 4});
  const std::vector<std::uint32_t> all = {0, 1, 2, 3};
  const std::size_t empty = tracker.memory_bytes();
  std::vector<Touch> touches;
  touches.reserve(5000);
  for (std::uint32_t id = 0; id < 5000; ++id)
    touches.push_back({{model::TenantId{id % 3}, id}, id % 4, id % 7 * kHour});
  ASSERT_TRUE(tracker.touch(touches, 8 * kHour));
  EXPECT_GT(tracker.memory_bytes(), empty + 100'000);
  const model::Timestamp now = 9 * kHour;
  const auto list = tracker.due(now, all, kNoLimit, When::quiet).value();
  ASSERT_EQ(list.size(), 5000U);
  for (const Due& work : list) ASSERT_TRUE(tracker.complete(work).value());
  EXPECT_TRUE(tracker.due(now, all, kNoLimit, When::quiet)->empty());
  EXPECT_EQ(tracker.memory_bytes(), empty);
}

// Writers make samples visible and touch; sealers read and complete, all at once. In the end everything that was
// written has been read by a sealing that completed. Each member is written a few times at once and then never again,
// so that nothing later makes good what was lost.
TEST(LocalTracker, NothingWrittenWhileSealingIsLost) {
  constexpr std::uint32_t kMembers = 8000;
  constexpr std::uint32_t kBatch = 4;
  LocalTracker tracker({.partitions = 4});
  std::vector<std::atomic<int>> written(kMembers);
  std::vector<std::atomic<int>> sealed(kMembers);
  std::atomic<int> writers = 2;
  const auto write = [&](std::uint32_t from) {
    for (std::uint32_t first = from; first < kMembers; first += 2 * kBatch) {
      for (int times = 0; times < 4; ++times) {
        std::vector<Touch> batch;
        for (std::uint32_t id = first; id < first + kBatch; ++id) {
          ++written[id];
          batch.push_back({{model::TenantId{1}, id}, id % 4, id % 2 * kHour});
        }
        ASSERT_TRUE(tracker.touch(batch, 3 * kHour));
        std::this_thread::yield();
      }
    }
    --writers;
  };
  const auto seal = [&](std::vector<std::uint32_t> partitions) {
    while (true) {
      const bool last = writers == 0;  // before due(): what is written afterwards is not
      const auto list = tracker.due(3 * kHour, partitions, 8, When::ended).value();
      if (list.empty() && last) return;
      if (list.empty()) std::this_thread::yield();
      for (const Due& work : list) {
        const int read = written[work.member.id];
        std::this_thread::yield();  // the longer it takes, the more comes in between
        if (tracker.complete(work).value()) sealed[work.member.id] = read;
      }
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back(write, 0);
  threads.emplace_back(write, kBatch);
  threads.emplace_back(seal, std::vector<std::uint32_t>{0, 1});
  threads.emplace_back(seal, std::vector<std::uint32_t>{2, 3});
  threads.emplace_back([&] {  // queries ask meanwhile
    while (writers > 0) {
      EXPECT_LE(tracker.pending_slots(model::TenantId{1}, {})->size(), 2U);
      EXPECT_LE(tracker.counts()->pending, kMembers);
      std::this_thread::yield();
    }
  });
  for (auto& thread : threads) thread.join();
  for (std::uint32_t id = 0; id < kMembers; ++id) EXPECT_EQ(sealed[id], written[id]) << id;
  EXPECT_EQ(tracker.counts()->pending, 0U);
}

}  // namespace
}  // namespace varve::tracker::testing
