// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/watermark.h"

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>

#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/testing/watermark_replica.h"

namespace varve::engine::cassandra::testing {
namespace {

class WatermarkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (WatermarkReplica* replica : {&a, &b}) ASSERT_TRUE(replica->watermark.renew());
  }
  // All but those renew, once a second.
  void pass_s(int seconds, std::initializer_list<WatermarkReplica*> living) {
    for (int i = 0; i < seconds; ++i) {
      cluster.clock.advance_ms(1000);
      for (WatermarkReplica* replica : living) ASSERT_TRUE(replica->watermark.renew());
    }
  }
  // What the store does once before it reads what all have published.
  void before_next_reading(std::function<void()> step) {
    step_before_read = std::move(step);
    cluster.rows.before_read([this](const RowRead&) -> Status {
      if (auto next = std::exchange(step_before_read, {})) next();
      return {};
    });
  }
  void before_next_row(std::function<void()> step) {
    step_before_write = std::move(step);
    cluster.rows.before_write([this](const MemoryRows::Change&) -> Status {
      if (auto next = std::exchange(step_before_write, {})) next();
      return {};
    });
  }
  static std::int64_t value(const WatermarkReplica& replica) { return replica.watermark.value().value_or(-1); }

  Cluster cluster;
  std::function<void()> step_before_read, step_before_write;
  WatermarkReplica a{cluster, 1}, b{cluster, 2};
};

// --- what it says

TEST_F(WatermarkTest, ThereIsNoneBeforeTheFirstRenewal) {
  WatermarkReplica c(cluster, 3);
  EXPECT_FALSE(c.watermark.value());
  EXPECT_EQ(c.watermark.reached_us(), 0);
  EXPECT_EQ(c.begin().error().code, Code::unavailable);
  ASSERT_TRUE(c.watermark.renew());
  EXPECT_TRUE(c.watermark.value());
  EXPECT_TRUE(c.begin());
}

TEST_F(WatermarkTest, ItRisesWhileNothingIsWritten) {
  for (int i = 0; i < 3; ++i) {
    const std::int64_t before = value(a);
    pass_s(1, {&b, &a});
    EXPECT_EQ(value(a), before + 1'000'000) << "b drew first";
  }
}

TEST_F(WatermarkTest, ItWaitsForAnAppendOfAnybody) {
  const auto first = a.begin(), second = a.begin();
  ASSERT_TRUE(first && second);
  pass_s(5, {&a, &b});
  EXPECT_EQ(value(a), first->first_us);
  EXPECT_EQ(value(b), first->first_us) << "what arrived before that stands";
  ASSERT_TRUE(a.watermark.end(*second));
  pass_s(2, {&a, &b});
  EXPECT_EQ(value(b), first->first_us);
  ASSERT_TRUE(a.watermark.end(*first));
  pass_s(2, {&a, &b});
  EXPECT_GT(value(a), second->first_us);
  EXPECT_GT(value(b), second->first_us);
}

// Longer than anybody without a sign of life counts: it renews, though what it publishes stays the same.
TEST_F(WatermarkTest, ItWaitsForAnAppendThatTakesMinutes) {
  const auto slow = a.begin();
  ASSERT_TRUE(slow);
  pass_s(120, {&a, &b});
  EXPECT_EQ(value(b), slow->first_us);
  EXPECT_TRUE(a.watermark.end(*slow));
}

TEST_F(WatermarkTest, InstallationsAreApart) {
  const auto append = a.begin();
  WatermarkReplica other(cluster, 3, 0, "other");
  cluster.clock.advance_ms(1);
  ASSERT_TRUE(other.watermark.renew());
  EXPECT_GT(value(other), append->first_us);
}

// --- the lease

TEST_F(WatermarkTest, WhoWasStoppedAcknowledgesNothingOfBefore) {
  const auto woken = a.begin(), later = a.begin();
  cluster.clock.advance_ms(Watermark::kLeaseMs + 1);
  EXPECT_FALSE(a.watermark.value());
  EXPECT_EQ(a.begin().error().code, Code::unavailable);
  EXPECT_EQ(a.watermark.end(*woken).error().code, Code::unavailable) << "it has no lease";
  ASSERT_TRUE(a.watermark.renew());
  EXPECT_EQ(a.watermark.end(*later).error().code, Code::unavailable) << "it has another one";
  const auto next = a.begin();
  ASSERT_TRUE(next);
  EXPECT_TRUE(a.watermark.end(*next));
}

TEST_F(WatermarkTest, ALeaseGoesOnIfItIsRenewedInTime) {
  const auto append = a.begin();
  for (int i = 0; i < 10; ++i) {
    cluster.clock.advance_ms(Watermark::kLeaseMs);
    ASSERT_TRUE(a.watermark.renew());
  }
  EXPECT_TRUE(a.watermark.end(*append));
}

// It counts from when the renewal began: others may have read right after that.
TEST_F(WatermarkTest, ARenewalThatTakesLongGivesNoLease) {
  const auto append = a.begin();
  before_next_reading([&] { cluster.clock.advance_ms(Watermark::kLeaseMs + 1); });
  ASSERT_TRUE(a.watermark.renew());
  EXPECT_FALSE(a.watermark.has_lease());
  EXPECT_EQ(a.begin().error().code, Code::unavailable);
  ASSERT_TRUE(a.watermark.renew());
  EXPECT_EQ(a.watermark.end(*append).error().code, Code::unavailable);
}

TEST_F(WatermarkTest, WithoutTheStoreWritesAreRefusedAfterTheLease) {
  cluster.rows.refuse(true);
  for (int i = 0; i < 10; ++i) {
    cluster.clock.advance_ms(1000);
    EXPECT_FALSE(a.watermark.renew());
    EXPECT_TRUE(a.begin());
  }
  cluster.clock.advance_ms(1000);
  EXPECT_FALSE(a.watermark.renew());
  EXPECT_FALSE(a.begin());
  cluster.rows.refuse(false);
  ASSERT_TRUE(a.watermark.renew());
  EXPECT_TRUE(a.begin()) << "healed";
  cluster.rows.before_read([](const RowRead&) -> Status { return fail(Code::timeout, "slow"); });
  EXPECT_EQ(a.watermark.renew().error().code, Code::timeout) << "written, but not read";
  cluster.clock.advance_ms(Watermark::kLeaseMs + 1);
  EXPECT_FALSE(a.begin());
}

// --- the dead

TEST_F(WatermarkTest, TheDeadAreWaitedForNoLongerThanTheirLease) {
  const auto append = a.begin();
  ASSERT_TRUE(a.watermark.renew());
  ASSERT_TRUE(b.watermark.renew());
  pass_s(30, {&b});
  EXPECT_EQ(value(b), append->first_us) << "perhaps it lives";
  pass_s(1, {&b});
  EXPECT_GT(value(b), append->first_us);
  const std::int64_t before = value(b);
  pass_s(60, {&b});
  EXPECT_EQ(value(b), before + 60'000'000) << "its row is still there";
  ASSERT_TRUE(a.watermark.renew());
  EXPECT_EQ(a.watermark.end(*append).error().code, Code::unavailable);
}

// The row may have been changed until the end of the reading that found it, however long that took.
TEST_F(WatermarkTest, TheDeadAreToldByTimeBetweenReadings) {
  const auto append = a.begin();
  before_next_reading([&] {  // b is stopped before it reads, and a lives
    for (int i = 0; i < 40; ++i) {
      cluster.clock.advance_ms(1000);
      ASSERT_TRUE(a.watermark.renew());
    }
  });
  ASSERT_TRUE(b.watermark.renew());
  ASSERT_TRUE(b.watermark.renew());
  EXPECT_EQ(value(b), append->first_us);
  EXPECT_TRUE(a.watermark.end(*append));
}

// Whoever sees a row for the first time does not know how long it has been there.
TEST_F(WatermarkTest, ANewObserverWaitsForAllThatItFinds) {
  const auto append = a.begin();
  pass_s(5, {&a, &b});
  pass_s(60, {&b});
  WatermarkReplica c(cluster, 3);
  ASSERT_TRUE(c.watermark.renew());
  EXPECT_EQ(value(c), append->first_us);
  pass_s(31, {&c});
  EXPECT_GT(value(c), append->first_us);
}

TEST_F(WatermarkTest, OneWhoseRowWentCountsAsIfItStood) {
  const auto append = a.begin();
  pass_s(2, {&a, &b});
  ASSERT_TRUE(cluster.rows.erase_now(
      {{&cluster.tables.alarms, {"varve|watermark"}, {bigint_cell(a.source)}, append->first_us + 10'000'000}}));
  pass_s(30, {&b});
  EXPECT_EQ(value(b), append->first_us);
  pass_s(1, {&b});
  EXPECT_GT(value(b), append->first_us);
}

TEST_F(WatermarkTest, OneThatEndsIsNotWaitedFor) {
  a.watermark.close();
  EXPECT_EQ(a.begin().error().code, Code::unavailable);
  EXPECT_EQ(a.watermark.renew().error().code, Code::unavailable) << "its row stays marked";
  pass_s(3, {&b});
  EXPECT_EQ(value(b), cluster.clock.now_ms() * 1000);
}

TEST_F(WatermarkTest, OneThatEndsWithAppendsUnderWayIsWaitedFor) {
  const auto append = a.begin();
  pass_s(1, {&a, &b});
  a.watermark.close();
  pass_s(3, {&b});
  EXPECT_EQ(value(b), append->first_us);
  EXPECT_TRUE(a.watermark.end(*append)) << "the lease is still there";
}

// --- numbers that go up together

TEST_F(WatermarkTest, ANewProcessIsAboveWhatWasComputedWithoutIt) {
  for (const std::int64_t ahead_ms : {-3'600'000, 0, 3'600'000}) {
    for (const bool reads_first : {true, false}) {
      pass_s(31, {&a, &b});
      WatermarkReplica c(cluster, 10 + ahead_ms + (reads_first ? 1 : 0), ahead_ms);
      if (reads_first) {
        before_next_row([&] { ASSERT_TRUE(a.watermark.renew()); });
        ASSERT_TRUE(c.watermark.renew());
      } else {
        before_next_reading([&] { ASSERT_TRUE(c.watermark.renew()); });
        ASSERT_TRUE(a.watermark.renew());
      }
      const auto append = c.begin();
      ASSERT_TRUE(append);
      EXPECT_GT(append->first_us, value(a)) << ahead_ms << " " << reads_first;
    }
  }
}

// Its own first row may be lower, as it is written before it has read.
TEST_F(WatermarkTest, ItNeverGoesDown) {
  pass_s(3, {&a, &b});
  const std::int64_t before = value(b);
  WatermarkReplica late(cluster, 3, -3'600'000);
  before_next_reading([&] { ASSERT_TRUE(b.watermark.renew()); });
  ASSERT_TRUE(late.watermark.renew());
  EXPECT_GE(value(b), before);
  pass_s(2, {&a, &late, &b});
  EXPECT_GT(value(b), before);
}

// The one who was ahead has ended, or died: nobody is there who could tell but its row.
TEST_F(WatermarkTest, WhoStartsAfterOneThatWasAheadIsAboveIt) {
  for (const bool ends : {true, false}) {
    auto ahead = std::make_unique<WatermarkReplica>(cluster, ends ? 3 : 4, ends ? 3'600'000 : 7'200'000);
    ASSERT_TRUE(ahead->watermark.renew());
    pass_s(40, {ahead.get()});
    const std::int64_t reached = value(*ahead);
    ASSERT_GT(reached, cluster.clock.now_ms() * 1000 + 3'000'000'000);
    if (ends) ahead->watermark.close();
    ahead.reset();
    WatermarkReplica next(cluster, ends ? 5 : 6);
    ASSERT_TRUE(next.watermark.renew());
    EXPECT_GT(next.begin()->first_us, reached);
  }
}

TEST_F(WatermarkTest, ARowThatStandsLateDoesNoHarm) {
  const auto append = a.begin();
  a.rows.hold(true);
  EXPECT_EQ(a.watermark.renew().error().code, Code::timeout);
  a.rows.hold(false);
  ASSERT_TRUE(a.watermark.end(*append));
  pass_s(2, {&a, &b});
  const std::int64_t before = value(b);
  EXPECT_GT(before, append->first_us);
  a.rows.land();
  pass_s(1, {&b});
  EXPECT_GE(value(b), before);
  EXPECT_GT(a.published(), append->first_us) << "it is covered by a newer one";
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
