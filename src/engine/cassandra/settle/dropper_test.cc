// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/dropper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "engine/cassandra/tables/dropped_rows.h"
#include "engine/cassandra/tables/hot_rows.h"
#include "engine/cassandra/testing/sealed_view.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::Timestamp;
using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;
const std::vector<std::string> kDroppedMetrics = {"cpu"};

class DropperTest : public ::testing::Test {
 protected:
  explicit DropperTest(ClusterOptions options = {}) : cluster(std::move(options)) {}

  // All that was drawn so far is finished, unless a test says something else.
  struct Dropping {
    explicit Dropping(ClusterReplica& replica, std::int64_t hot_kept_ms = 0)
        : dropper(
              {Cluster::kSlotMs, replica.reader.sealed().retention_ms, replica.cluster.rollup_blocks_ms, hot_kept_ms},
              replica.cluster.tables, replica.rows, replica.series, replica.pending, replica.journal,
              [this, &replica]() -> std::optional<std::int64_t> {
                return watermark_us ? *watermark_us : replica.clock.now_ms() * 1000;
              },
              replica.clock) {}
    // Until it has looked at all hours that there may be.
    Status run() {
      for (std::int64_t hours = 0; hours < kHotKeptMs / kHour + 12; hours += 12) {
        VARVE_RETURN_IF_ERROR(dropper.run([] { return true; }));
      }
      return {};
    }
    std::optional<std::int64_t> watermark_us;
    Dropper dropper;
  };

  Cluster cluster;
  ClusterReplica a{cluster, 1}, b{cluster, 2};
  Dropping dropping{a};
  SealedView view{cluster};
  const Timestamp now = cluster.clock.now_ms();

  void append(ClusterReplica& replica, Timestamp time, std::int64_t value, const std::string& host = "h") {
    cluster.clock.advance_ms(1);
    const auto status = replica.append(replica.group(kDroppedMetrics, host), time, value);
    ASSERT_TRUE(status && *status);
  }
  // Until all that has ended is sealed.
  void seal() {
    cluster.clock.advance_ms(kHour + cluster.options.quiet_ms + kMinute);
    ASSERT_TRUE(a.turns());
  }
  void drop() {
    const Status dropped = dropping.run();
    ASSERT_TRUE(dropped) << dropped.error().message;
  }
  std::size_t hot() { return cluster.rows.size(cluster.tables.raw); }
  std::size_t journal() { return cluster.rows.size(cluster.tables.pending_journal); }
  // As a question that found this slot pending reads it.
  Samples read(Timestamp slot, const std::string& host = "h") {
    const GroupRef group{SealedView::cells(host, kDroppedMetrics), 1};
    SlotsWanted wanted{&group, {slot, slot + kHour}, {0}, {slot}};
    const auto lists = b.reader.read({&wanted, 1}, {});
    EXPECT_TRUE(lists);
    Samples out;
    for (const SlotData& data : (*lists)[0]) out.merge(samples_of(data, 0));
    return out;
  }
};

TEST_F(DropperTest, WhatIsSealedGoes) {
  append(a, now, 3);
  append(b, now + kMinute, 5);
  drop();
  EXPECT_EQ(hot(), 2U) << "not over";
  seal();
  EXPECT_EQ(hot(), 2U);
  drop();
  EXPECT_EQ(hot(), 0U);
  EXPECT_EQ(read(now), (Samples{{now, 3}, {now + kMinute, 5}}));
  EXPECT_EQ(dropping.dropper.slots_dropped(), 1U);
}

// And change nothing: who reads lays them over sealed rows that contain them.
TEST_F(DropperTest, WhatIsSealedStaysForAWhile) {
  Dropping keeping(a, 6 * kHour);
  append(a, now, 3);
  append(b, now, 4);
  seal();
  for (int hours = 1; hours < 6; ++hours) {
    ASSERT_TRUE(keeping.run());
    EXPECT_EQ(hot(), 2U) << hours;
    EXPECT_EQ(read(now), (Samples{{now, 4}}));
    cluster.clock.advance_ms(kHour);
  }
  append(b, now + 1, 5);  // late: sealed, and kept for as long
  cluster.clock.advance_ms(cluster.options.quiet_ms + kMinute);
  ASSERT_TRUE(a.turns());
  cluster.clock.advance_ms(kHour);
  ASSERT_TRUE(keeping.run());
  EXPECT_EQ(hot(), 1U) << "the late one";
  EXPECT_EQ(read(now), (Samples{{now, 4}, {now + 1, 5}}));
  cluster.clock.advance_ms(6 * kHour);
  ASSERT_TRUE(keeping.run());
  EXPECT_EQ(hot(), 0U);
  EXPECT_EQ(read(now), (Samples{{now, 4}, {now + 1, 5}}));
}

TEST_F(DropperTest, LateSamplesStayUntilTheyAreSealedToo) {
  append(a, now, 3);
  seal();
  append(b, now, 4);
  append(b, now + 1, 5);
  drop();
  EXPECT_EQ(hot(), 3U) << "the slot is pending again";
  EXPECT_EQ(read(now), (Samples{{now, 4}, {now + 1, 5}}));
  seal();
  drop();
  EXPECT_EQ(hot(), 0U);
  append(a, now + 2, 6);
  EXPECT_EQ(hot(), 1U);
  EXPECT_EQ(read(now), (Samples{{now, 4}, {now + 1, 5}, {now + 2, 6}}));
  seal();
  drop();
  EXPECT_EQ(hot(), 0U);
  EXPECT_EQ(read(now), (Samples{{now, 4}, {now + 1, 5}, {now + 2, 6}}));
}

// Its row stands and is acknowledged between the look at what is pending and the deletes.
TEST_F(DropperTest, WhatIsWrittenMeanwhileStays) {
  append(a, now, 3);
  seal();
  bool once = true;
  cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table == &cluster.tables.dropped && std::exchange(once, false)) append(b, now + 1, 4);
    return {};
  });
  dropping.watermark_us = cluster.clock.now_ms() * 1000;
  drop();
  ASSERT_FALSE(once);
  EXPECT_EQ(hot(), 1U);
  EXPECT_EQ(read(now), (Samples{{now, 3}, {now + 1, 4}}));
  seal();
  EXPECT_EQ(read(now), (Samples{{now, 3}, {now + 1, 4}}));
}

TEST_F(DropperTest, WhatMayBeUnderWayStays) {
  const Timestamp slot = now - kHour;
  append(a, slot, 3);
  const std::int64_t first_us = cluster.clock.now_ms() * 1000;
  append(b, slot + 1, 4);
  cluster.clock.advance_ms(cluster.options.quiet_ms + kMinute);
  ASSERT_TRUE(a.turns());
  dropping.watermark_us = first_us + 1;
  drop();
  EXPECT_EQ(hot(), 1U);
  EXPECT_EQ(read(slot), (Samples{{slot, 3}, {slot + 1, 4}}));
  cluster.clock.advance_ms(2 * kHour);
  drop();
  EXPECT_EQ(hot(), 1U) << "the hour of the journal is past, but not all of it has ended";
  dropping.watermark_us = {};
  drop();
  EXPECT_EQ(hot(), 0U);
}

TEST_F(DropperTest, NothingGoesWhileNobodyIsSureOfWhatIsPending) {
  append(a, now, 3);
  seal();
  cluster.redis.lose();
  drop();
  EXPECT_EQ(hot(), 1U);
  ASSERT_TRUE(b.missed_touches.turn());
  drop();
  EXPECT_EQ(hot(), 1U) << "replayed: to be sealed again";
  b.trackers.away(true);
  append(b, now + 1, 4);
  seal();
  ASSERT_TRUE(a.turns());
  drop();
  EXPECT_EQ(hot(), 2U) << "its touch is missing, and a marker says so";
}

TEST_F(DropperTest, WhatIsSetAsideStays) {
  append(a, now, 3);
  seal();
  append(a, now + 1, 4);
  cluster.clock.advance_ms(cluster.options.quiet_ms + kMinute);
  const std::uint32_t partition = a.series.directory().name(a.group(kDroppedMetrics, "h").id).partition;
  const auto due = a.pending.samples().due(a.clock.now_ms(), {&partition, 1}, 10, tracker::When::quiet);
  ASSERT_TRUE(due && due->size() == 1);
  ASSERT_TRUE(a.pending.samples().fail((*due)[0], a.clock.now_ms()));
  cluster.clock.advance_ms(30 * kHour);
  drop();
  EXPECT_EQ(hot(), 2U);
}

// --- readers

// Whatever stands of the deletes: two replicas wrote one time, into two partitions, as they know more or fewer groups.
TEST_F(DropperTest, AReaderSeesAllOrNothingOfTheDeletes) {
  const std::string host = [] {
    for (int i = 0;; ++i) {
      const GroupCells cells = SealedView::cells("h" + std::to_string(i), kDroppedMetrics);
      if (hash_prefix_of(cells.group, 3).shard != hash_prefix_of(cells.group, 8).shard) return "h" + std::to_string(i);
    }
  }();
  for (int i = 0; i < 5000; ++i) a.group(kDroppedMetrics, "other" + std::to_string(i));
  append(a, now, 3, host);
  append(b, now, 4, host);  // the later one, which is deleted first
  seal();
  int reads = 0;
  cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table != &cluster.tables.raw) return {};
    ++reads;
    EXPECT_EQ(read(now, host), (Samples{{now, 4}})) << "before delete " << reads;
    return {};
  });
  drop();
  EXPECT_EQ(reads, kHotShards);
  EXPECT_EQ(hot(), 0U);
}

// It found the slot pending; all the rest happens while it reads.
TEST_F(DropperTest, AReaderThatIsOvertakenMissesNothing) {
  for (const Table* table : {&cluster.tables.raw, &cluster.tables.dropped, &cluster.tables.sealed}) {
    const Timestamp slot = cluster.clock.now_ms() / kHour * kHour;
    append(a, slot, 3);
    append(b, slot + 1, 4);
    bool once = true;
    cluster.rows.before_read([&](const RowRead& wanted) -> Status {
      if (wanted.table == table && std::exchange(once, false)) {
        seal();
        drop();
        EXPECT_EQ(hot(), 0U);
      }
      return {};
    });
    EXPECT_EQ(read(slot), (Samples{{slot, 3}, {slot + 1, 4}}));
    cluster.rows.before_read({});
    EXPECT_FALSE(once);
  }
}

// Two seal one slot (a settle beside the worker, a lease that goes over, a delete). The one that draws its version
// later has read the sealed rows before the other one wrote them, and reads the mark after they were dropped.
TEST_F(DropperTest, ASealerThatIsOvertakenLosesNothing) {
  const Timestamp slot = cluster.clock.now_ms() / kHour * kHour;
  append(a, slot, 3);
  seal();
  drop();
  append(a, slot + 1, 4);  // late
  cluster.clock.advance_ms(cluster.options.quiet_ms + kMinute);
  ASSERT_TRUE(a.watermark.renew() && b.watermark.renew());
  std::promise<void> a_has_read, b_has_read, a_is_done;
  std::atomic<std::thread::id> of_a, of_b;
  std::atomic<bool> once_a = true, once_b = true;
  cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table == &cluster.tables.sealed && std::this_thread::get_id() == of_a && once_a.exchange(false)) {
      a_has_read.set_value();
      b_has_read.get_future().wait();
    }
    return {};
  });
  cluster.rows.before_read([&](const RowRead& wanted) -> Status {
    if (wanted.table == &cluster.tables.dropped && std::this_thread::get_id() == of_b && once_b.exchange(false)) {
      b_has_read.set_value();
      a_is_done.get_future().wait();
    }
    return {};
  });
  std::thread first([&] {
    of_a = std::this_thread::get_id();
    EXPECT_TRUE(a.turns());
  });
  a_has_read.get_future().wait();
  std::thread second([&] {
    of_b = std::this_thread::get_id();
    EXPECT_TRUE(b.turns());
  });
  first.join();
  EXPECT_FALSE(once_b) << "the second one had begun to read";
  drop();
  EXPECT_EQ(hot(), 0U) << "what the first one sealed is dropped";
  a_is_done.set_value();
  second.join();
  cluster.rows.before_read({});
  cluster.rows.before_write({});
  EXPECT_EQ(a.pending.samples().counts()->pending, 0U);
  EXPECT_EQ(read(slot), (Samples{{slot, 3}, {slot + 1, 4}}));
}

// --- the journal's hours

TEST_F(DropperTest, AnHourOfTheJournalGoesWhenNobodyHasToBeToldOfIt) {
  append(a, now, 3);
  seal();
  drop();
  ASSERT_EQ(hot(), 0U);
  for (std::int64_t passed = 0; passed < 3 * kDay; passed += kHour) {
    EXPECT_EQ(journal(), 1U) << passed / kHour << " hours";
    cluster.clock.advance_ms(kHour);
    ASSERT_TRUE(a.turns());
    drop();
  }
  EXPECT_EQ(journal(), 0U);
  cluster.redis.lose();
  ASSERT_TRUE(a.missed_touches.turn());
  EXPECT_EQ(a.pending.samples().counts()->pending, 0U);
  EXPECT_EQ(read(now), (Samples{{now, 3}}));
}

TEST_F(DropperTest, AnHourStaysWhileARollupBlockOfItIsNotMade) {
  append(a, now, 3);
  seal();
  ASSERT_EQ(a.pending.rollup_blocks(0).counts()->pending, 1U);
  cluster.clock.advance_ms(5 * kDay);
  drop();
  EXPECT_EQ(hot(), 0U);
  EXPECT_EQ(journal(), 1U) << "who loses the trackers must hear of the rollup block";
  ASSERT_TRUE(a.turns());
  cluster.clock.advance_ms(kHour);
  ASSERT_TRUE(a.turns());
  drop();
  EXPECT_EQ(journal(), 0U);
}

TEST_F(DropperTest, TheJournalNamesASlotOfAPastHourUntilItIsDropped) {
  append(a, now, 3);
  cluster.clock.advance_ms(10 * kDay);  // nobody sealed
  drop();
  EXPECT_EQ(hot(), 1U);
  EXPECT_EQ(journal(), 1U);
  cluster.redis.lose();
  ASSERT_TRUE(a.missed_touches.turn());
  EXPECT_EQ(a.pending.samples().counts()->pending, 1U);
}

TEST_F(DropperTest, WhoTakesOverDropsNothingTwice) {
  append(a, now, 3);
  seal();
  cluster.clock.advance_ms(kHour);
  drop();
  ASSERT_EQ(dropping.dropper.slots_dropped(), 1U);
  Dropping other(b);
  ASSERT_TRUE(other.run());
  EXPECT_EQ(other.dropper.slots_dropped(), 0U);
}

TEST_F(DropperTest, OnceWhileTheHourGoesOnUnlessSomethingComes) {
  append(a, now - kHour, 3);
  cluster.clock.advance_ms(cluster.options.quiet_ms + kMinute);
  ASSERT_TRUE(a.turns());
  for (int i = 0; i < 5; ++i) {
    cluster.clock.advance_ms(kMinute);
    drop();
  }
  EXPECT_EQ(dropping.dropper.slots_dropped(), 1U);
  EXPECT_EQ(hot(), 0U);
  append(b, now - kHour + 1, 4);
  drop();
  cluster.clock.advance_ms(cluster.options.quiet_ms + kMinute);
  ASSERT_TRUE(a.turns());
  drop();
  EXPECT_EQ(dropping.dropper.slots_dropped(), 2U);
  EXPECT_EQ(hot(), 0U);
}

// --- samples that live for a short time

class ShortLives : public DropperTest {
 protected:
  ShortLives() : DropperTest({.raw_retention_ms = kDay}) {}
  // The finest.
  ShownWindows windows() {
    return shown(view.windows(SealedView::cells("h", kDroppedMetrics), 0, 0, {now - kDay, now + kDay}));
  }
};

// The sealed row may be gone when the windows are made.
TEST_F(ShortLives, TheFinestWindowsAreMadeFirst) {
  append(a, now, 3);
  seal();
  drop();
  EXPECT_EQ(hot(), 1U);
  cluster.clock.advance_ms(cluster.rollup_blocks_ms[0]);
  ASSERT_TRUE(a.turns());
  drop();
  EXPECT_EQ(hot(), 0U);
  EXPECT_EQ(windows(), (ShownWindows{{now, "1/3/3/3"}}));
}

// A rollup block that is made once more is made of sealed rows, which lack what came late, and of the hot ones.
TEST_F(ShortLives, NothingGoesWhileSealedRowsAreAboutToGo) {
  append(a, now, 3);
  seal();
  cluster.clock.advance_ms(cluster.rollup_blocks_ms[0]);
  ASSERT_TRUE(a.turns());
  cluster.clock.advance_ms(kDay);
  append(a, now + 1, 4);
  for (int i = 0; i < 2; ++i) {
    cluster.clock.advance_ms(kHour + cluster.options.quiet_ms + kMinute);
    ASSERT_TRUE(a.turns());
    drop();
    EXPECT_EQ(hot(), 2U);
    EXPECT_EQ(windows(), (ShownWindows{{now, "2/7/3/4"}}));
    cluster.redis.lose();  // all that the journal names is worked on again
    ASSERT_TRUE(a.missed_touches.turn());
  }
  cluster.clock.advance_ms(3 * kDay);
  ASSERT_TRUE(a.turns());
  drop();
  EXPECT_EQ(hot(), 0U);
  EXPECT_EQ(windows(), (ShownWindows{{now, "2/7/3/4"}}));
}

// What comes when the samples are over stands in windows alone, once.
TEST_F(ShortLives, WhatComesTooLateIsCountedOnce) {
  append(a, now, 3);
  seal();
  cluster.clock.advance_ms(5 * kDay);
  ASSERT_TRUE(a.turns());
  drop();
  EXPECT_EQ(hot(), 0U);
  append(a, now + 1, 4);
  drop();
  EXPECT_EQ(hot(), 1U) << "pending";
  for (int round = 0; round < 2; ++round) {
    cluster.clock.advance_ms(2 * kHour);
    ASSERT_TRUE(a.turns());
    drop();
    EXPECT_EQ(hot(), 0U);
    EXPECT_EQ(windows(), (ShownWindows{{now, round == 0 ? "2/7/3/4" : "3/12/3/5"}}));
    append(a, now + 2, 5);
  }
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
