// SPDX-License-Identifier: Apache-2.0
// Series of which nothing can be left leave the directory of a replica; what others still have is found again.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "engine/cassandra/series/testing/replica.h"

namespace varve::engine::cassandra::testing {
namespace {

constexpr std::int64_t kWeekMs = kIndexBucketMs;

class LeavingTest : public ::testing::Test {
 protected:
  static SeriesOptions options() { return {.directory = {}, .retention_ms = 2 * kWeekMs, .gone_series_min = 10}; }
  void put(Replica& replica, int first, int end) {
    for (int pod = first; pod < end; ++pod) {
      ASSERT_TRUE(replica.append(replica.group({"cpu", "memory"}, "pod" + std::to_string(pod))));
    }
  }
  // Told, and a minute later done.
  void listen(Replica& replica) {
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(replica.listen());
      shared.clock.advance_ms(660'000);
    }
    ASSERT_TRUE(replica.listen());
  }
  std::size_t hosts(Replica& replica, model::TimeRange range = {}) { return replica.hosts("cpu", range)->size(); }

  Shared shared;
  Replica a{shared, options()}, b{shared, options()};
};

TEST_F(LeavingTest, what_is_older_than_everything_leaves) {
  put(a, 0, 50);
  const std::size_t before = a.directory().memory_bytes();
  const auto generation = a.group_generation();
  for (int week = 1; week <= 20; ++week) {
    shared.clock.advance_ms(kWeekMs);
    put(a, 50 * week, 50 * week + 50);
    listen(a);
  }
  EXPECT_GT(a.group_generation(), generation);
  EXPECT_LT(a.series_count(), 2 * 50 * 10U);  // of 21 weeks; four or five are in use, and as many may have gone
  EXPECT_GE(a.series_count(), 2 * 50 * 3U);
  EXPECT_LT(a.directory().memory_bytes(), before * 20);
}

TEST_F(LeavingTest, what_others_write_stays) {
  const auto lately = [this] { return model::TimeRange{shared.clock.now_ms() - kWeekMs, shared.clock.now_ms()}; };
  const auto has = [&](Replica& replica, int pod) {
    return std::ranges::binary_search(replica.hosts("cpu", lately()).value(), "pod" + std::to_string(pod));
  };
  put(a, 0, 50);
  for (int week = 1; week <= 8; ++week) {
    shared.clock.advance_ms(kWeekMs);
    put(b, 0, 20);  // the same pods, by another replica
    put(a, 100 + week, 101 + week);
    shared.clock.advance_ms(600'000);  // so that a later look does not read these announcements again
    EXPECT_TRUE(has(a, 7)) << "in week " << week;
    listen(a);
    EXPECT_TRUE(has(a, 7)) << "still, in week " << week;
    listen(b);
  }
  Replica fresh(shared, options());
  for (const auto& host : fresh.hosts("cpu", lately()).value()) {
    EXPECT_TRUE(std::ranges::binary_search(a.hosts("cpu", lately()).value(), host)) << host;
  }
  EXPECT_LT(a.series_count(), 2 * 50U);
}

TEST_F(LeavingTest, what_comes_back_is_another) {
  put(a, 0, 50);
  const auto kept = a.group({"cpu", "memory"}, "pod1");
  shared.clock.advance_ms(6 * kWeekMs);
  listen(a);
  EXPECT_EQ(a.series_count(), 0U);
  EXPECT_EQ(a.directory().names_to_write({&kept, 1}, 0).at(0).tenant, model::kNoTenant);
  const auto again = a.group({"cpu", "memory"}, "pod1");
  EXPECT_NE(again, kept);
  ASSERT_TRUE(a.append(again));
  EXPECT_EQ(a.hosts("cpu").value(), (std::vector<std::string>{"pod1"}));
  EXPECT_EQ(b.hosts("cpu", {shared.clock.now_ms() - kWeekMs, shared.clock.now_ms()}).value(),
            (std::vector<std::string>{"pod1"}));
}

TEST_F(LeavingTest, what_is_asked_for_again_before_stays) {
  put(a, 0, 50);
  shared.clock.advance_ms(6 * kWeekMs);
  ASSERT_TRUE(a.listen());
  const auto kept = a.group({"cpu", "memory"}, "pod1");
  shared.clock.advance_ms(660'000);
  ASSERT_TRUE(a.listen());
  EXPECT_EQ(a.series_count(), 2U);
  ASSERT_TRUE(a.append(kept));
  EXPECT_EQ(a.group({"cpu", "memory"}, "pod1"), kept);
}

TEST_F(LeavingTest, of_what_is_kept_for_ever_nothing_is_over) {
  Replica kept(shared, {.directory = {}, .gone_series_min = 10});
  const model::Timestamp long_ago = index_bucket_of(shared.clock.now_ms() - rollup::kForEver - 60 * kWeekMs);
  for (int pod = 0; pod < 50; ++pod) {
    ASSERT_TRUE(kept.append(kept.group({"cpu", "memory"}, "pod" + std::to_string(pod)), long_ago));
  }
  shared.clock.advance_ms(4 * kWeekMs);
  listen(kept);
  EXPECT_EQ(kept.series_count(), 100U);
  EXPECT_EQ(hosts(kept, {long_ago, long_ago + kWeekMs}), 50U);
}

TEST_F(LeavingTest, what_has_left_is_read_again_if_somebody_asks) {
  put(a, 0, 50);
  const model::TimeRange then{shared.clock.now_ms() - 1, shared.clock.now_ms() + 1};
  EXPECT_EQ(hosts(a, then), 50U);
  shared.clock.advance_ms(6 * kWeekMs);  // nobody knows that this is a wrong clock
  listen(a);
  EXPECT_EQ(a.series_count(), 0U);
  shared.clock.jump_ms(-6 * kWeekMs);
  EXPECT_EQ(hosts(a, then), 50U);
}

TEST_F(LeavingTest, what_was_deleted_leaves_when_nobody_can_have_work_with_it) {
  Replica kept(shared, {.directory = {}, .gone_series_min = 10});  // for ever
  put(kept, 0, 50);
  for (int pod = 0; pod < 40; ++pod) {
    for (const char* metric : {"cpu", "memory"}) kept.erase(metric, "pod" + std::to_string(pod));
  }
  listen(kept);
  EXPECT_EQ(kept.series_count(), 20U);  // those that are not forgotten
  const std::size_t before = kept.directory().memory_bytes();
  shared.clock.advance_ms(4 * kWeekMs);
  put(kept, 49, 50);
  listen(kept);
  EXPECT_EQ(kept.series_count(), 20U);
  EXPECT_LT(kept.directory().memory_bytes(), before);
  EXPECT_EQ(hosts(kept), 10U);
  put(kept, 3, 4);
  EXPECT_EQ(hosts(kept), 11U);
  EXPECT_EQ(hosts(b), 11U);
}

// What is defined while others are looked at is in the new index, too, whole.
TEST_F(LeavingTest, what_is_defined_meanwhile_stays) {
  constexpr int kOld = 20'000;
  for (int round = 0; round < 3; ++round) {
    const std::string prefix = std::to_string(round) + "pod";
    for (int pod = 0; pod < kOld; ++pod) static_cast<void>(a.group({"cpu"}, prefix + std::to_string(pod)));
    shared.clock.advance_ms(6 * kWeekMs);
    ASSERT_TRUE(a.listen());
    shared.clock.advance_ms(660'000);
    // Its key stays. Else the thread's first group might name a key that is just leaving, and all would leave later.
    static_cast<void>(a.group({"cpu"}, prefix + "first"));
    std::atomic<bool> stop{false};
    std::vector<model::GroupId> defined;
    std::thread definer([&] {
      for (int pod = 0; !stop; ++pod) {
        const std::string name = prefix + "new" + std::to_string(pod);
        defined.push_back(a.group({name}, name));
      }
    });
    const Status left = a.listen();
    stop = true;
    definer.join();
    ASSERT_TRUE(left);
    EXPECT_LT(a.series_count(), std::size_t{kOld}) << "they have left";
    ASSERT_FALSE(defined.empty());
    const auto names = a.directory().names_to_write(defined, 0);
    for (std::size_t i = 0; i < defined.size(); ++i) {
      ASSERT_NE(names[i].tenant, model::kNoTenant) << i << " of " << defined.size();
    }
    ASSERT_TRUE(a.append(defined.front()));
    ASSERT_TRUE(a.append(defined.back()));
  }
}

// Ids are not used again; those of groups that have left take next to no memory.
TEST_F(LeavingTest, what_has_left_takes_no_memory) {
  for (int pod = 0; pod < 50'000; ++pod) static_cast<void>(a.group({"cpu"}, "pod" + std::to_string(pod)));
  const std::size_t before = a.directory().group_bytes();
  shared.clock.advance_ms(6 * kWeekMs);
  listen(a);
  EXPECT_EQ(a.series_count(), 0U);
  EXPECT_LT(a.directory().group_bytes(), before / 5);
}

// The appender refuses it as unavailable, so that its sender sends it again under another number. A row that did not
// fit would be dropped.
TEST_F(LeavingTest, rows_of_what_has_left_fit) {
  model::LineGroup group;
  group.id = a.group({"cpu"}, "pod");
  group.count = 1;
  put(a, 0, 50);
  shared.clock.advance_ms(6 * kWeekMs);
  listen(a);
  ASSERT_EQ(a.series_count(), 0U);
  model::RowBatch batch;
  batch.add(group, shared.clock.now_ms(), model::Value::of_long(1));
  EXPECT_TRUE(a.directory().row_check().fits(batch.bytes()));
}

// A clock that jumped ahead says of everything that it is old.
TEST_F(LeavingTest, nothing_leaves_by_a_clock_that_jumped) {
  put(a, 0, 50);
  ASSERT_TRUE(a.listen());
  shared.clock.jump_ms(60 * kWeekMs);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(a.listen());
    shared.clock.advance_ms(660'000);
  }
  EXPECT_EQ(a.series_count(), 100U);
  shared.clock.advance_ms(3'600'000);
  listen(a);
  EXPECT_EQ(a.series_count(), 0U);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
