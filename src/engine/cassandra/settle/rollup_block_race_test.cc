// SPDX-License-Identifier: Apache-2.0
// Two replicas at one rollup block of windows whose samples are partly gone: whoever is slower, and whatever the clocks
// say, the rollup block ends with all that was acknowledged.
#include <gtest/gtest.h>

#include "engine/cassandra/testing/sealed_view.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::Timestamp;
using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;

class RollupBlockRaceTest : public ::testing::Test {
 protected:
  Cluster cluster{{.raw_retention_ms = 10 * kHour}};
  ClusterReplica a{cluster, 1}, b{cluster, 2};
  SealedView view{cluster};
  const Timestamp start = cluster.clock.now_ms();
  const std::int64_t quiet = cluster.options.quiet_ms;

  static void append(ClusterReplica& replica, Timestamp time) {
    const auto status = replica.append(replica.group({"cpu"}, "h"), time, 1);
    ASSERT_TRUE(status && *status);
  }
  void work(ClusterReplica& replica) {
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(replica.turns());
      cluster.clock.advance_ms(quiet + kMinute);
    }
  }
  ShownWindows windows() {
    return shown(view.windows(SealedView::cells("h", {"cpu"}), 0, 0, {start, start + 4 * kHour}));
  }
};

// One seals a timely sample of the rollup block, another one adds a late one. Each of them is done between the other
// one's reading and writing.
TEST_F(RollupBlockRaceTest, TheLateAndTheTimelyBothCount) {
  for (const bool late_inside : {false, true}) {
    Cluster shared{{.raw_retention_ms = 10 * kHour}};
    ClusterReplica first{shared, 1}, second{shared, 2};
    SealedView seen{shared};
    const auto go_on = [&](ClusterReplica& replica) {
      for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(replica.turns());
        shared.clock.advance_ms(quiet + kMinute);
      }
    };
    append(first, start + 1);
    append(first, start + kHour + 1);
    shared.clock.advance_ms(4 * kHour + quiet + kMinute);
    go_on(first);
    const std::int64_t stored = first.reader.sealed().retention_ms;
    // The first slot is too old to be sealed, the second one is not.
    shared.clock.advance_ms(start + stored - kGoneMarginMs + kHour + kHour / 2 - shared.clock.now_ms());
    ASSERT_FALSE(HasFatalFailure());
    const Timestamp early = late_inside ? start + kHour + 2 : start + 2;
    const Timestamp inside = late_inside ? start + 2 : start + kHour + 2;
    append(first, early);
    shared.clock.advance_ms(quiet + kMinute);
    bool once = true;
    shared.rows.before_write([&](const MemoryRows::Change& change) -> Status {
      if (&change.table != &shared.tables.levels[0] || !std::exchange(once, false)) return {};
      append(second, inside);
      shared.clock.advance_ms(quiet + kMinute);
      go_on(second);
      return {};
    });
    go_on(first);
    shared.rows.before_write({});
    shared.clock.advance_ms(quiet + kMinute);
    go_on(first);
    EXPECT_EQ(first.pending.samples().counts()->pending, 0U);
    EXPECT_EQ(first.pending.rollup_blocks(0).counts()->pending, 0U);
    EXPECT_EQ(shown(seen.windows(SealedView::cells("h", {"cpu"}), 0, 0, {start, start + 4 * kHour})),
              (ShownWindows{{start, "2/2/1/1"}, {start + kHour, "2/2/1/1"}}))
        << late_inside;
  }
}

// Samples that come just before their slot's time is over, and are worked on after it.
TEST_F(RollupBlockRaceTest, WhatComesBeforeTheEdgeCountsAfterIt) {
  append(a, start + 1);
  cluster.clock.advance_ms(4 * kHour + quiet + kMinute);
  work(a);
  const std::int64_t stored = a.reader.sealed().retention_ms;
  const Timestamp edge = start + kHour + stored - kGoneMarginMs;  // of the first slot
  cluster.clock.advance_ms(edge - kMinute - cluster.clock.now_ms());
  append(b, start + 2);
  append(b, start + 10 * kMinute);
  cluster.clock.advance_ms(quiet + 2 * kMinute);
  work(a);
  EXPECT_EQ(windows(), (ShownWindows{{start, "2/2/1/1"}, {start + 10 * kMinute, "1/1/1/1"}}));
  cluster.clock.advance_ms(2 * kDay);  // sealed rows are gone
  append(b, start + 3);
  cluster.clock.advance_ms(quiet + kMinute);
  work(b);
  EXPECT_EQ(windows(), (ShownWindows{{start, "3/3/1/1"}, {start + 10 * kMinute, "1/1/1/1"}}));
  EXPECT_EQ(a.pending.samples().counts()->pending, 0U);
}

// raw.retention is shorter than a rollup block: samples stay until it was made.
TEST(ShortRetentionTest, ARollupBlockIsMadeOfAllItsSamples) {
  Cluster cluster{{.raw_retention_ms = kHour, .rollups = {{kHour, rollup::kForEver}}}};
  ClusterReplica a{cluster, 1};
  SealedView view{cluster};
  const Timestamp start = cluster.clock.now_ms();
  ShownWindows expected;
  for (int hour = 0; hour < 48; ++hour) {
    const auto status = a.append(a.group({"cpu"}, "h"), start + hour * kHour, hour);
    ASSERT_TRUE(status && *status);
    const std::string value = std::to_string(hour);
    expected[start + hour * kHour] = "1/" + value + "/" + value + "/" + value;
    cluster.clock.advance_ms(kHour);
    ASSERT_TRUE(a.turns());
  }
  for (int i = 0; i < 3; ++i) {
    cluster.clock.advance_ms(cluster.options.quiet_ms + kMinute);
    ASSERT_TRUE(a.turns());
  }
  EXPECT_EQ(shown(view.windows(SealedView::cells("h", {"cpu"}), 0, 0, {start, start + 48 * kHour})), expected);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
