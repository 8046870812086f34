// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/redis_tracker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tracker/redis/keys.h"
#include "tracker/redis/testing/shared.h"
#include "tracker/testing/tracker_contract.h"
#include "tracker/testing/tracker_model.h"

// In the contract's namespace, which is where gtest looks for the suite.
namespace varve::tracker::testing {
namespace {

using redis::RedisTracker;
using redis::testing::fresh_link;
using redis::testing::TestNames;

// A tracker with what it stands on.
class Whole final : public SlotTracker {
 public:
  explicit Whole(const TrackerOptions& options) : tracker_(options, *link_, names_) {}
  Status touch(std::span<const Touch> touches, model::Timestamp now_ms) override {
    return tracker_.touch(touches, now_ms);
  }
  Result<std::vector<Due>> due(model::Timestamp now_ms, std::span<const std::uint32_t> partitions, std::size_t limit,
                               When when) override {
    return tracker_.due(now_ms, partitions, limit, when);
  }
  Result<bool> complete(const Due& work) override { return tracker_.complete(work); }
  Status fail(const Due& work, model::Timestamp now_ms) override { return tracker_.fail(work, now_ms); }
  Result<bool> pending(model::TenantId tenant, model::Timestamp slot) override {
    return tracker_.pending(tenant, slot);
  }
  Result<std::vector<bool>> pending_of(std::span<const Touch> entries) override { return tracker_.pending_of(entries); }
  Result<std::vector<model::Timestamp>> pending_slots(model::TenantId tenant, model::TimeRange range) override {
    return tracker_.pending_slots(tenant, range);
  }
  Result<Counts> counts() override { return tracker_.counts(); }
  Result<std::vector<SetAside>> set_aside(std::size_t limit) override { return tracker_.set_aside(limit); }

  redis::Link& link() { return *link_; }
  TestNames names_;

 private:
  std::unique_ptr<redis::Link> link_ = fresh_link();

 public:
  RedisTracker tracker_;
};

const MakeTracker make_tracker = [](const TrackerOptions& options) { return std::make_unique<Whole>(options); };
INSTANTIATE_TEST_SUITE_P(redis, TrackerContract, ::testing::Values(make_tracker));

TEST(RedisTracker, RandomWorkMatchesTheModel) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    const TrackerOptions options{.width_ms = kHour,
                                 .quiet_ms = seed % 3 == 0 ? 1000 : 5 * kMinute,
                                 .partitions = 8,
                                 .backoff_ms = 10'000,
                                 .backoff_ms_max = kHour};
    Whole whole(options);
    TrackerModel(whole, options, seed).run(500);
  }
}

// Nothing but the keys that last is there when everything is completed.
TEST(RedisTracker, WhatIsCompletedIsGone) {
  Whole whole({.partitions = 4});
  std::vector<Touch> touches;
  touches.reserve(5000);
  for (std::uint32_t id = 0; id < 5000; ++id)
    touches.push_back({{model::TenantId{id % 3}, id}, id % 4, id % 7 * kHour});
  ASSERT_TRUE(whole.touch(touches, 8 * kHour));
  const std::vector<std::uint32_t> all = {0, 1, 2, 3};
  auto list = whole.due(9 * kHour, all, kNoLimit, When::quiet).value();
  ASSERT_EQ(list.size(), 5000U);
  ASSERT_TRUE(whole.fail(list[7], 9 * kHour));
  list = whole.due(10 * kHour, all, kNoLimit, When::quiet).value();
  const auto done = whole.tracker_.complete_all(list).value();
  EXPECT_EQ(std::ranges::count(done, true), 5000);
  redis::Question question = whole.link().question();
  question.commands.command({"KEYS", whole.link().key("*")});
  const auto keys = whole.link().run(question).value();
  EXPECT_EQ(keys[0].size(), 2U) << "epoch and generation";
}

TEST(RedisTracker, TwoReplicasKnowMembersByOtherNumbers) {
  const TrackerOptions options;
  auto link_a = fresh_link("two|"), link_b = fresh_link("two|");
  TestNames names_a, names_b;
  names_b.renumber_from = 1000;
  RedisTracker a(options, *link_a, names_a), b(options, *link_b, names_b);
  const model::TenantId tenant{7};
  ASSERT_TRUE(a.touch(std::vector<Touch>{{{tenant, 5}, 1, 0}}, kHour));
  const std::vector<std::uint32_t> partitions = {1};
  const auto list = b.due(2 * kHour, partitions, 10, When::quiet).value();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].member, (Member{tenant, 1000}));
  EXPECT_TRUE(b.pending(tenant, 0).value());
  const Due of_a = a.due(2 * kHour, partitions, 10, When::quiet).value().at(0);
  EXPECT_EQ(of_a.member, (Member{tenant, 5}));
  EXPECT_EQ(of_a.generation, list[0].generation);
  EXPECT_TRUE(b.complete(list[0]).value());
  EXPECT_FALSE(a.complete(of_a).value());
  EXPECT_FALSE(a.pending(tenant, 0).value());
}

TEST(RedisTracker, WhatNobodyKnowsIsSetAside) {
  Whole whole({.partitions = 4});
  const model::TenantId tenant{7};
  ASSERT_TRUE(whole.touch(std::vector<Touch>{{{tenant, 1}, 1, 0}, {{tenant, 2}, 1, 0}}, kHour));
  const std::string lost = TestNames::name_of({tenant, 1});
  const std::vector<std::uint32_t> partitions = {1};
  whole.names_.away = true;
  EXPECT_EQ(whole.due(2 * kHour, partitions, 10, When::quiet).error().code, Code::unavailable);
  EXPECT_EQ(whole.counts()->set_aside, 0U) << "it may be known";
  whole.names_.away = false;
  whole.names_.unknown = [&](std::string_view name) { return name == lost; };
  const auto list = whole.due(2 * kHour, partitions, 10, When::quiet).value();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].member.id, 2U);
  EXPECT_EQ(whole.counts()->set_aside, 1U);
  EXPECT_TRUE(whole.set_aside(10)->empty());
  whole.names_.unknown = nullptr;
  EXPECT_EQ(whole.set_aside(10)->at(0).member.id, 1U);
  EXPECT_EQ(whole.due(2 * kHour + 10'000, partitions, 10, When::quiet)->size(), 2U);
}

TEST(RedisTracker, WhatNobodyKnowsForLongGoes) {
  Whole whole({.partitions = 4});
  const model::TenantId tenant{7};
  ASSERT_TRUE(whole.touch(std::vector<Touch>{{{tenant, 1}, 1, 0}, {{tenant, 2}, 1, 0}}, kHour));
  const std::string lost = TestNames::name_of({tenant, 1});
  whole.names_.unknown = [&](std::string_view name) { return name == lost; };
  const std::vector<std::uint32_t> partitions = {1};
  int hours = 2;
  for (; whole.counts()->pending == 2 && hours < 100; ++hours)
    EXPECT_EQ(whole.due(hours * kHour, partitions, 10, When::quiet)->size(), 1U);
  EXPECT_EQ(hours, 2 + 25);
  EXPECT_EQ(whole.counts()->set_aside, 0U);
  EXPECT_TRUE(whole.pending(tenant, 0).value()) << "the other one";
  EXPECT_TRUE(whole.complete(whole.due(hours * kHour, partitions, 10, When::quiet)->at(0)).value());
  EXPECT_FALSE(whole.pending(tenant, 0).value());
}

// Far in the future there are no scores left; such slots wait for ever, and completing them stays safe.
TEST(RedisTracker, SlotsAtTheEndOfTime) {
  Whole whole({.partitions = 1});
  const model::Timestamp slot = model::window_start(model::kTimestampMax, kHour);
  const Touch touch{{model::TenantId{7}, 1}, 0, slot};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(whole.touch({&touch, 1}, kHour));
  const std::uint32_t partition = 0;
  EXPECT_TRUE(whole.due(2 * kHour, {&partition, 1}, 10, When::quiet)->empty());
  const auto list = whole.due(model::kTimestampMax, {&partition, 1}, 10, When::quiet).value();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].slot, slot);
  ASSERT_TRUE(whole.touch({&touch, 1}, kHour));
  EXPECT_FALSE(whole.complete(list[0]).value());
  EXPECT_TRUE(whole.complete(whole.due(model::kTimestampMax, {&partition, 1}, 10, When::quiet)->at(0)).value());
}

TEST(RedisTracker, TouchesWithoutWaiting) {
  Whole whole({.partitions = 64});
  std::atomic<int> done = 0;
  for (std::uint32_t id = 0; id < 100; ++id) {
    const Touch touch{{model::TenantId{7}, id}, id % 64, 0};
    whole.tracker_.touch({&touch, 1}, kHour, [&done](const Status& status) {
      EXPECT_TRUE(status);
      ++done;
      done.notify_one();
    });
  }
  for (int seen = done; seen < 100; seen = done) done.wait(seen);
  EXPECT_EQ(whole.counts()->pending, 100U);
}

// As in local_tracker_test.cc, with two replicas: in the end all that was written has been read by a sealing that
// completed.
TEST(RedisTracker, NothingWrittenWhileSealingIsLost) {
  constexpr std::uint32_t kMembers = 1000;
  constexpr std::uint32_t kBatch = 4;
  Whole whole({.partitions = 4});
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
        ASSERT_TRUE(whole.touch(batch, 3 * kHour));  // always the same time: only the scores' last bits differ
      }
    }
    --writers;
  };
  const auto seal = [&](std::vector<std::uint32_t> partitions) {
    while (true) {
      const bool last = writers == 0;
      // A little later: so many touches in one millisecond do not find room in it.
      const auto list = whole.due(3 * kHour + 10, partitions, 8, When::ended).value();
      if (list.empty() && last) return;
      for (const Due& work : list) {
        const int read = written[work.member.id];
        if (whole.complete(work).value()) sealed[work.member.id] = read;
      }
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back(write, 0);
  threads.emplace_back(write, kBatch);
  threads.emplace_back(seal, std::vector<std::uint32_t>{0, 1});
  threads.emplace_back(seal, std::vector<std::uint32_t>{2, 3});
  for (auto& thread : threads) thread.join();
  for (std::uint32_t id = 0; id < kMembers; ++id) EXPECT_EQ(sealed[id], written[id]) << id;
  EXPECT_EQ(whole.counts()->pending, 0U);
}

}  // namespace
}  // namespace varve::tracker::testing
