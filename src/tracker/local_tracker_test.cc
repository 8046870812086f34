// SPDX-License-Identifier: Apache-2.0
#include "tracker/local_tracker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tracker/testing/tracker_contract.h"
#include "tracker/testing/tracker_model.h"

namespace varve::tracker::testing {
namespace {

const MakeTracker kMake = [](const TrackerOptions& options) { return std::make_unique<LocalTracker>(options); };
INSTANTIATE_TEST_SUITE_P(local, TrackerContract, ::testing::Values(kMake));

TEST(LocalTracker, RandomWorkMatchesTheModel) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
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
  for (std::uint32_t id = 0; id < 5000; ++id)
    touches.push_back({{model::TenantId{id % 3}, id}, id % 4, id % 7 * kHour});
  ASSERT_TRUE(tracker.touch(touches, 8 * kHour));
  EXPECT_GT(tracker.memory_bytes(), empty + 5000 * 20);
  const model::Timestamp now = 9 * kHour;
  const auto list = tracker.due(now, all, kNoLimit, When::quiet).value();
  ASSERT_EQ(list.size(), 5000U);
  for (const Due& work : list) ASSERT_TRUE(tracker.complete(work).value());
  EXPECT_TRUE(tracker.due(now, all, kNoLimit, When::quiet)->empty());
  EXPECT_EQ(tracker.memory_bytes(), empty);
}

// Writers make samples visible and touch; sealers read and complete, all at once. In the end everything that was
// written has been read by a sealing that completed.
TEST(LocalTracker, NothingWrittenWhileSealingIsLost) {
  constexpr std::uint32_t kMembers = 64;
  constexpr int kRounds = 3000;
  LocalTracker tracker({.partitions = 4});
  std::array<std::atomic<int>, kMembers> written{};
  std::array<std::atomic<int>, kMembers> sealed{};
  std::atomic<int> writers = 2;
  const auto touch_of = [](std::uint32_t id) { return Touch{{model::TenantId{1}, id}, id % 4, id % 2 * kHour}; };

  const auto write = [&](std::uint32_t from) {
    for (int round = 0; round < kRounds; ++round) {
      std::vector<Touch> batch;
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t id = (from + static_cast<std::uint32_t>(round) * 5 + i * 16) % kMembers;
        written[id].fetch_add(1);
        batch.push_back(touch_of(id));
      }
      ASSERT_TRUE(tracker.touch(batch, 3 * kHour));
    }
    --writers;
  };
  const auto seal = [&](std::vector<std::uint32_t> partitions) {
    while (true) {
      const bool last = writers == 0;  // before due(): what is written afterwards is not
      const auto list = tracker.due(3 * kHour, partitions, 8, When::ended).value();
      if (list.empty() && last) return;
      for (const Due& work : list) {
        const int read = written[work.member.id];
        sealed[work.member.id] = read;
        if (tracker.complete(work).value() && written[work.member.id] < read) ADD_FAILURE();
      }
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back(write, 0);
  threads.emplace_back(write, 1);
  threads.emplace_back(seal, std::vector<std::uint32_t>{0, 1});
  threads.emplace_back(seal, std::vector<std::uint32_t>{2, 3});
  threads.emplace_back([&] {  // queries ask meanwhile
    while (writers > 0) {
      EXPECT_LE(tracker.pending_slots(model::TenantId{1}, {})->size(), 2U);
      EXPECT_LE(tracker.counts()->pending, kMembers);
    }
  });
  for (auto& thread : threads) thread.join();
  for (std::uint32_t id = 0; id < kMembers; ++id) EXPECT_EQ(sealed[id], written[id]) << id;
  EXPECT_EQ(tracker.counts()->pending, 0U);
}

}  // namespace
}  // namespace varve::tracker::testing
