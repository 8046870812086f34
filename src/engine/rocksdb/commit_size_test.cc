// SPDX-License-Identifier: Apache-2.0
// Small slots share commits: what is counted here is the commits, and that the answers stay the same.
#include "engine/rocksdb/commit_size.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

class CommitSize : public testing::RollupStore {
 protected:
  using Counts = std::map<std::string, int, std::less<>>;
  CommitSize() : CommitSize(std::make_shared<Counts>()) {}
  // How often a job has committed since the last call.
  int commits(const std::string& job) { return std::exchange((*counts_)[job + ".published"], 0); }

 private:
  explicit CommitSize(const std::shared_ptr<Counts>& counts) : RollupStore(counting(counts)), counts_(counts) {}
  static Options counting(const std::shared_ptr<Counts>& counts) {
    Options o = options();
    o.at_step = [counts](std::string_view step) {
      ++(*counts)[std::string(step)];
      return Status{};
    };
    return o;
  }
  const std::shared_ptr<Counts> counts_;
};

TEST_F(CommitSize, SlotsOfManyHoursAreMergedAndSealedAtOnce) {
  const auto group = store.group({"m"});
  for (int round = 0; round < 2; ++round) {
    for (Timestamp t = 0; t < 10 * kDay; t += 30 * kMinute) {
      ASSERT_TRUE(store.put(*group, kStart + t + round * kMinute, {Value::of_long(1)}));
    }
    settle();
    EXPECT_EQ(commits("seal"), 1);
  }
  EXPECT_LE(commits("merge"), 3);  // fragments of raw slots, then those of windows
  const auto days = read("m", kDay, {kStart, kStart + 10 * kDay});
  EXPECT_EQ(days.windows, 10U);
  for (const auto& [start, sum] : days.sums) EXPECT_EQ(sum.count, 96U) << start;
}

// Each day's window is added to, hour after hour; the hours of different days go together.
TEST_F(CommitSize, LateSlotsOfOneDayAreSealedOneAfterTheOther) {
  const auto late = store.group({"m"});
  for (int day = 0; day < 10; ++day) ASSERT_TRUE(store.put(*late, kStart + day * kDay, {Value::of_long(1)}));
  settle();
  EXPECT_EQ(commits("seal"), 1);
  for (Timestamp hour = 1; hour < 10 * 24; ++hour) {
    if (hour % 24 == 0) continue;
    ASSERT_TRUE(store.put(*late, kStart + hour * kHour, {Value::of_long(1)}));
  }
  settle();
  EXPECT_EQ(commits("seal"), 23);
  const auto days = read("m", kDay, {kStart, kStart + 10 * kDay});
  EXPECT_EQ(days.windows, 10U);
  for (const auto& [start, sum] : days.sums) EXPECT_EQ(sum.sum, 24) << start;
}

TEST(CommitSizes, WhatIsLargeIsCommittedByItself) {
  SlotMap<Runs::OfSlot> slots;
  std::vector<SlotKey> list;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    const SlotKey slot{model::TenantId{1}, 0, i * kHour};
    list.push_back(slot);
    auto run = std::make_shared<rocksdb::Run>();
    run->key = {slot, 1};
    run->bytes = i < 3 ? kBytesPerCommit : 1000;
    slots.edit(slot).runs = {run};
  }
  EXPECT_EQ(commit_size(slots, list), 1U);
  EXPECT_EQ(commit_size(slots, list, 3), 3U);
  EXPECT_EQ(commit_size(slots, std::span(list).subspan(2)), 1U);
  EXPECT_EQ(commit_size(slots, std::span(list).subspan(3)), kSlotsPerCommit);
  EXPECT_EQ(commit_size(slots, std::span(list).last(7)), 7U);
  EXPECT_EQ(commit_size({}, std::span(list).first(2)), 2U);
}

}  // namespace
}  // namespace varve::engine::rocksdb
