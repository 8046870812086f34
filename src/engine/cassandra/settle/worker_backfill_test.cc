// SPDX-License-Identifier: Apache-2.0
// Slots of a day that were written after their end wait for each other, so that they are sealed together.
#include <gtest/gtest.h>

#include "engine/cassandra/settle/worker.h"
#include "engine/cassandra/testing/sealed_view.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::Timestamp;
using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;

class WorkerBackfillTest : public ::testing::Test {
 protected:
  explicit WorkerBackfillTest(std::int64_t retention_ms = 90 * kDay) : cluster{{.raw_retention_ms = retention_ms}} {
    cluster.clock.advance_ms(day + 23 * kHour + 30 * kMinute - cluster.clock.now_ms());
  }

  // A sample in each hour.
  void append(int from, int until, const std::string& host = "h") {
    for (int hour = from; hour < until; ++hour) {
      const Timestamp time = day + hour * kHour + ++sent;
      const auto status = a.append(a.group({"cpu"}, host), time, hour);
      ASSERT_TRUE(status && *status);
      if (host == "h") expected[time] = hour;
    }
  }
  void pass(std::int64_t ms) {
    cluster.clock.advance_ms(ms);
    ASSERT_TRUE(b.turns());
  }
  std::size_t rows() { return cluster.rows.size(cluster.tables.sealed); }
  std::uint64_t pending() { return static_cast<tracker::SlotTracker&>(a.pending.samples()).counts()->pending; }

  Cluster cluster;
  ClusterReplica a{cluster, 1}, b{cluster, 2};
  SealedView view{cluster};
  const Timestamp day = model::window_start(cluster.clock.now_ms(), kDay) + kDay;
  const std::int64_t quiet = cluster.options.quiet_ms;
  int sent = 0;
  Samples expected;
};

TEST_F(WorkerBackfillTest, ADayIsSealedWhenAllOfItIsQuiet) {
  append(0, 8);
  pass(quiet / 2);
  append(8, 16);
  append(0, 1, "other");
  pass(quiet / 2);
  EXPECT_EQ(rows(), 0U) << "eight are ready, eight more have just been written";
  EXPECT_EQ(pending(), 17U);
  pass(quiet / 2 - 1);
  EXPECT_EQ(rows(), 0U);
  pass(1);
  EXPECT_EQ(rows(), 2U) << "one row of sixteen hours, and one of the other group";
  EXPECT_EQ(pending(), 0U);
  EXPECT_EQ(view.sealed(SealedView::cells("h", {"cpu"}), 1, 0, {day, day + kDay}), expected);
}

TEST_F(WorkerBackfillTest, ItWaitsForOneQuietTimeMoreAtTheMost) {
  append(0, 8);
  for (int i = 0; i < 3; ++i) {
    pass(quiet / 2);
    append(8, 9);
  }
  EXPECT_EQ(rows(), 0U);
  pass(quiet / 2 - 1);
  EXPECT_EQ(rows(), 0U);
  pass(1);
  EXPECT_EQ(rows(), 1U) << "eight hours in one";
  EXPECT_EQ(pending(), 1U) << "the ninth one";
}

TEST_F(WorkerBackfillTest, FewLateSlotsWaitForNothing) {
  append(0, 3);
  pass(quiet / 2);
  append(3, 5);
  pass(quiet / 2);
  EXPECT_EQ(rows(), 3U);
  EXPECT_EQ(pending(), 2U);
}

TEST_F(WorkerBackfillTest, WhatIsWrittenInItsTimeHoldsUpNothing) {
  append(0, 8);
  pass(quiet / 2);
  append(23, 24);  // goes on
  pass(quiet / 2);
  EXPECT_EQ(rows(), 1U);
  EXPECT_EQ(pending(), 1U);
}

TEST_F(WorkerBackfillTest, WhatWasWrittenInItsTimeWaitsForNothing) {
  append(23, 24);
  cluster.clock.advance_ms(30 * kMinute + quiet / 2);
  append(0, 8);
  pass(quiet / 2);
  EXPECT_EQ(rows(), 1U) << "the hour that has ended";
  EXPECT_EQ(pending(), 8U);
  pass(quiet / 2);
  EXPECT_EQ(rows(), 2U);
}

TEST_F(WorkerBackfillTest, DaysDoNotWaitForEachOther) {
  append(0, 8);
  pass(quiet / 2);
  append(-8, 0);
  pass(quiet / 2);
  EXPECT_EQ(rows(), 1U);
  EXPECT_EQ(pending(), 8U);
}

TEST_F(WorkerBackfillTest, WithoutRedisNothingWaits) {
  append(0, 8);
  pass(quiet / 2);
  append(8, 16);
  cluster.clock.advance_ms(quiet / 2);
  cluster.redis.lost = true;
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(rows(), 1U);
  EXPECT_EQ(pending(), 8U);
}

class WorkerBriefBackfillTest : public WorkerBackfillTest {
 protected:
  WorkerBriefBackfillTest() : WorkerBackfillTest(3 * kDay) {}
};

TEST_F(WorkerBriefBackfillTest, WhereHoursStayRowsNothingWaits) {
  append(0, 8);
  pass(quiet / 2);
  append(8, 16);
  pass(quiet / 2);
  EXPECT_EQ(rows(), 8U);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
