// SPDX-License-Identifier: Apache-2.0
// Redis is away or lost: what the journal and the markers make up for.
#include "engine/cassandra/hot/journal.h"
#include "engine/cassandra/hot/missed_touches.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/testing/appender_fixture.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {
namespace {

using LostRedisTest = AppenderTest;
using model::testing::kHour;

TEST_F(LostRedisTest, WithoutRedisAMarkerStandsForTheTouches) {
  const auto line = a.group({"cpu"}, "h");
  a.trackers.away(true);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(is_good(a.append(line, now, i)));
  EXPECT_EQ(cluster.rows.counts(cluster.tables.alarms).rows_written, 1U) << "once";
  EXPECT_EQ(pending(b), 0U);
  expect_pending(a, {now});
  ASSERT_TRUE(b.missed_touches.turn()) << "sees the marker, and leaves it to who lives";
  EXPECT_EQ(missed_touches(), 1U);
  expect_pending(b, {now});
  EXPECT_EQ(a.missed_touches.turn().error().code, Code::unavailable);

  a.trackers.away(false);
  ASSERT_TRUE(a.missed_touches.turn());
  EXPECT_EQ(missed_touches(), 0U);
  EXPECT_EQ(pending(b), 1U);
  EXPECT_FALSE(*a.missed_touches.any());
  expect_pending(a, {now});
  EXPECT_GT(cluster.redis.losses, 0U) << "others forget which touches to leave out";
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  EXPECT_EQ(cluster.rows.counts(cluster.tables.alarms).rows_written, 1U);
}

TEST_F(LostRedisTest, WithoutRedisAndMarkerNothingIsAcknowledged) {
  const auto line = a.group({"cpu"}, "h");
  a.trackers.away(true);
  cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table == &cluster.tables.alarms) return fail(Code::timeout, "slow");
    return {};
  });
  EXPECT_EQ(code_of(a.append(line, now, 1)), Code::timeout);
  cluster.rows.before_write({});
  EXPECT_TRUE(is_good(a.append(line, now, 1)));
}

TEST_F(LostRedisTest, WhatFailsWhileTheJournalIsReadIsNotForgotten) {
  const auto line = a.group({"cpu"}, "h1"), other = a.group({"cpu"}, "h2");
  a.trackers.away(true);
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  a.trackers.away(false);
  bool once = true;
  const auto last_hour = [&](const RowRead& read) {
    return read.table == &cluster.tables.pending_journal && read.partition[1] == timestamp_cell(now);
  };
  std::size_t reads = 0;
  cluster.rows.before_read([&](const RowRead& read) -> Status {
    if (last_hour(read) && ++reads == cluster.options.partitions && std::exchange(once, false)) {
      a.trackers.away(true);
      EXPECT_TRUE(is_good(a.append(other, now, 1)));
      a.trackers.away(false);
    }
    return {};
  });
  ASSERT_TRUE(a.missed_touches.turn());
  ASSERT_FALSE(once);
  EXPECT_TRUE(*a.missed_touches.any());
  EXPECT_EQ(missed_touches(), 1U);
  ASSERT_TRUE(a.missed_touches.turn());
  EXPECT_FALSE(*a.missed_touches.any());
  EXPECT_EQ(missed_touches(), 0U);
  EXPECT_EQ(pending(b), 2U);
}

TEST_F(LostRedisTest, MarkersOfTheDeadAreTakenOver) {
  a.trackers.away(true);
  ASSERT_TRUE(is_good(a.append(a.group({"cpu"}, "h"), now, 1)));
  for (int i = 0; i < 20; ++i) {  // it lives, and refreshes
    cluster.clock.advance_ms(MissedTouches::kRefreshMs);
    EXPECT_FALSE(a.missed_touches.turn());
    ASSERT_TRUE(b.missed_touches.turn());
    ASSERT_EQ(missed_touches(), 1U);
    ASSERT_EQ(pending(b), 0U);
  }
  a.kill();
  cluster.clock.advance_ms(MissedTouches::kDeadMs);
  ASSERT_TRUE(b.missed_touches.turn());
  EXPECT_EQ(missed_touches(), 1U) << "perhaps it lives";
  cluster.clock.advance_ms(1);
  ASSERT_TRUE(b.missed_touches.turn());
  EXPECT_EQ(missed_touches(), 0U);
  EXPECT_EQ(pending(b), 1U);
  EXPECT_FALSE(*b.missed_touches.any());
}

TEST_F(LostRedisTest, ANewerMarkerIsNotTakenAway) {
  a.trackers.away(true);
  ASSERT_TRUE(is_good(a.append(a.group({"cpu"}, "h"), now, 1)));
  ASSERT_TRUE(b.missed_touches.turn());
  cluster.clock.advance_ms(MissedTouches::kDeadMs + 1);
  bool once = true;
  cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table == &cluster.tables.alarms && change.erases && std::exchange(once, false)) {
      EXPECT_FALSE(a.missed_touches.turn()) << "it was only slow";
    }
    return {};
  });
  ASSERT_TRUE(b.missed_touches.turn());
  ASSERT_FALSE(once);
  EXPECT_EQ(missed_touches(), 1U);
}

// A process that was stopped for long: its marker was taken over meanwhile.
TEST_F(LostRedisTest, AMarkerThatWasTakenAwayIsRaisedAgain) {
  const auto line = a.group({"cpu"}, "h");
  a.trackers.away(true);
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  ASSERT_TRUE(b.missed_touches.turn());
  cluster.clock.advance_ms(MissedTouches::kDeadMs + 1);
  ASSERT_TRUE(b.missed_touches.turn());
  ASSERT_EQ(missed_touches(), 0U);
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  EXPECT_EQ(missed_touches(), 1U);
}

// --- the journal

TEST_F(LostRedisTest, TheJournalSaysWhatIsPendingWhileRedisIsLost) {
  ASSERT_TRUE(is_good(a.append(a.group({"cpu"}, "h"), now, 1)));
  ASSERT_TRUE(is_good(a.append(a.group({"cpu"}, "h", "other"), now + kHour, 1)));
  cluster.redis.lose();
  expect_pending(b, {now});
  ASSERT_TRUE(is_good(a.append(a.group({"cpu"}, "h"), now - 30 * kHour, 1)));
  expect_pending(a, {now - 30 * kHour, now});
  const auto reads = [&] { return cluster.rows.counts(cluster.tables.pending_journal).reads; };
  const std::size_t before = reads();
  expect_pending(b, {now - 30 * kHour, now});
  EXPECT_LE(reads(), before + 3 * cluster.options.partitions) << "not all of it";

  const auto blocks = b.pending.pending(*b.series.tenant("t"), {})->rollup_blocks;
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0], (std::vector<Timestamp>{model::window_start(now - 30 * kHour, cluster.rollup_blocks_ms[0]),
                                               now - cluster.rollup_blocks_ms[0], now}))
      << "the last one is not quiet yet";

  ASSERT_TRUE(b.missed_touches.turn());
  expect_pending(b, {now - 30 * kHour, now});
  EXPECT_EQ(pending(a), 3U) << "replayed";
  cluster.clock.advance_ms(kHotKeptMs + 2 * kHour);
  cluster.redis.lose();
  cluster.clock.advance_ms(kHour);
  expect_pending(b, {});
}

// Written long ago, and to be sealed some day.
TEST_F(LostRedisTest, TheJournalKeepsSlotsThatAreFarAhead) {
  ASSERT_TRUE(is_good(a.append(a.group({"cpu"}, "h"), now + 300 * kHour, 1)));
  for (int i = 0; i < 4; ++i) {
    cluster.clock.advance_ms(80 * kHour);
    cluster.redis.lose();
    expect_pending(b, {now + 300 * kHour});
    ASSERT_TRUE(b.missed_touches.turn());
    EXPECT_EQ(pending(b), 1U);
  }
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(pending(b), 1U) << "touched just now";
  cluster.clock.advance_ms(kHour);
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(pending(b), 0U);
  cluster.clock.advance_ms(kHotKeptMs);
  EXPECT_EQ(size(cluster.tables.pending_journal), 0U);
}

TEST_F(LostRedisTest, WithoutTheStoreNobodyKnowsWhatIsPending) {
  const auto tenant = *b.series.tenant("t");
  cluster.redis.lose();
  cluster.rows.refuse(true);
  EXPECT_EQ(b.pending.pending(tenant, {}).error().code, Code::unavailable);
}

TEST_F(LostRedisTest, AGroupThatNobodyKnowsIsLeftOut) {
  ASSERT_TRUE(is_good(a.append(a.group({"cpu"}, "h"), now, 1)));
  std::vector<RowWrite> rows;
  rows.push_back({&cluster.tables.pending_journal,
                  {smallint_cell(0), timestamp_cell(now)},
                  {timestamp_cell(now), "t", std::string(16, 'x')},
                  {},
                  1,
                  0});
  ASSERT_TRUE(cluster.rows.write_now(std::move(rows)));
  cluster.redis.lose();
  ASSERT_TRUE(b.missed_touches.turn());
  EXPECT_EQ(pending(b), 1U);
  EXPECT_EQ(b.journal.unknown(), 1U);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
