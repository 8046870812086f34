// SPDX-License-Identifier: Apache-2.0
// Replicas whose clocks differ by hours: what one of them writes to a row never hides what another one wrote, and a
// delete takes away what was acknowledged before it and nothing else.
#include <gtest/gtest.h>

#include "engine/cassandra/erase/eraser.h"
#include "engine/cassandra/testing/sealed_view.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::Timestamp;
using model::testing::kHour;

class FencingTest : public ::testing::Test {
 protected:
  Cluster cluster;
  ClusterReplica a{cluster, 1}, b{cluster, 2};
  SealedView view{cluster};
  const Timestamp now = cluster.clock.now_ms();
  const std::int64_t quiet = cluster.options.quiet_ms;

  // Its stamps are ahead, as they never go back: its clock was.
  void was_ahead(ClusterReplica& replica, std::int64_t by_ms) {
    (void)replica.series.directory().stamps().draw((cluster.clock.now_ms() + by_ms) * 1000);
  }
  static void append(ClusterReplica& replica, Timestamp time, std::int64_t value) {
    const auto status = replica.append(replica.group({"cpu"}, "h"), time, value);
    ASSERT_TRUE(status && *status);
  }
  void seal(ClusterReplica& replica) {
    cluster.clock.advance_ms(kHour + quiet);
    ASSERT_TRUE(replica.turns());
    ASSERT_EQ(replica.pending.samples().counts()->pending, 0U);
  }
  Samples sealed() { return view.sealed(SealedView::cells("h", {"cpu"}), 1, 0, {now - kHour, now + 100 * kHour}); }
  void erase(ClusterReplica& replica, model::TimeRange range) {
    const Eraser eraser(
        {replica.rows, cluster.tables, replica.reader, replica.sealer, replica.maker, replica.trackers, replica.clock});
    const EraseWork work{group_ref(replica.series.directory(), replica.group({"cpu"}, "h").id), {0}};
    const auto pending = replica.pending.pending(*replica.series.tenant("t"), range);
    ASSERT_TRUE(pending);
    storage::EraseReport report;
    const auto touch = [](const auto&...) { return Status(); };
    const auto rollup_block_work = [](const auto&...) -> Result<RollupBlockWork> {
      return fail(Code::invalid, "there are none");
    };
    ASSERT_TRUE(eraser.erase(work, range, {range}, pending->slots, {touch, rollup_block_work}, nullptr, report));
  }
};

TEST_F(FencingTest, ALateSampleIsSealedThoughAnotherClockWasAhead) {
  append(a, now + 1, 1);
  was_ahead(a, 3 * kHour);
  seal(a);
  append(b, now + 2, 2);
  seal(b);
  EXPECT_EQ(sealed(), (Samples{{now + 1, 1}, {now + 2, 2}}));
}

TEST_F(FencingTest, RedisMayBeEmptiedInBetween) {
  append(a, now + 1, 1);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(a.trackers.draw(0));
  seal(a);
  cluster.redis.lose();
  ASSERT_TRUE(b.missed_touches.turn());
  append(b, now + 2, 2);
  seal(b);
  EXPECT_EQ(sealed(), (Samples{{now + 1, 1}, {now + 2, 2}})) << "numbers began again";
}

// Its lease was lost: another one seals, and is done, between its reading and writing.
TEST_F(FencingTest, ASlowSealerWithAClockAheadCoversNothing) {
  append(a, now + 1, 1);
  cluster.clock.advance_ms(kHour + quiet);
  was_ahead(a, 3 * kHour);
  bool first = true;
  cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table != &cluster.tables.sealed || !std::exchange(first, false)) return {};
    append(b, now + 2, 2);
    seal(b);
    return {};
  });
  ASSERT_TRUE(a.turns());
  EXPECT_EQ(sealed(), (Samples{{now + 1, 1}, {now + 2, 2}}));
}

TEST_F(FencingTest, ADeleteHoldsForWhatOneWithAClockAheadWrote) {
  was_ahead(a, 3 * kHour);
  append(a, now + 1, 1);
  append(b, now + 2, 2);
  for (const bool is_sealed : {false, true}) {
    if (is_sealed) seal(a);
    append(a, now + 3, 3);
    erase(b, {now, now + kHour});
    append(b, now + 1, 7);  // written after the delete, whatever its clock says
    cluster.clock.advance_ms(kHour + quiet);
    ASSERT_TRUE(a.turns());
    EXPECT_EQ(sealed(), (Samples{{now + 1, 7}})) << is_sealed;
  }
}

TEST_F(FencingTest, WhatWasDeletedAndSealedDoesNotComeBackWithALateSample) {
  was_ahead(a, 3 * kHour);
  append(a, now + 1, 1);
  seal(a);
  erase(b, {now, now + kHour});  // the hot row of a still stands
  append(b, now + 2, 2);
  seal(b);
  EXPECT_EQ(sealed(), (Samples{{now + 2, 2}}));
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
