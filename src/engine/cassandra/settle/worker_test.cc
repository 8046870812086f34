// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/worker.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/hot_rows.h"
#include "engine/cassandra/tables/prefix_lengths.h"
#include "engine/cassandra/testing/sealed_view.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::Timestamp;
using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;

ClusterOptions three_levels() {
  return {.raw_retention_ms = 90 * kDay,
          .rollups = {{5 * kMinute, 400 * kDay}, {kHour, 400 * kDay}, {kDay, rollup::kForEver}}};
}

class WorkerTest : public ::testing::Test {
 protected:
  explicit WorkerTest(ClusterOptions options = three_levels()) : cluster(std::move(options)) {}

  Cluster cluster;
  ClusterReplica a{cluster, 1}, b{cluster, 2};
  SealedView view{cluster};
  const Timestamp now = cluster.clock.now_ms();
  const std::int64_t quiet = cluster.options.quiet_ms;

  void append(ClusterReplica& replica, const std::vector<std::string>& metrics, const std::string& host, Timestamp time,
              std::int64_t value) {
    const auto status = replica.append(replica.group(metrics, host), time, value);
    ASSERT_TRUE(status && *status);
  }
  std::uint64_t pending(std::size_t stage) {
    return (stage == 0 ? static_cast<tracker::SlotTracker&>(a.pending.samples()) : a.pending.rollup_blocks(stage - 1))
        .counts()
        ->pending;
  }
  std::vector<std::uint64_t> all_pending() { return {pending(0), pending(1), pending(2), pending(3)}; }
  Samples sealed(const std::string& host) {
    return view.sealed(SealedView::cells(host, {"cpu"}), 1, 0, {now - 100 * kDay, now + 100 * kDay});
  }
  rollup::Windows windows(std::size_t level, const std::string& host,
                          const std::vector<std::string>& metrics = {"cpu"}) {
    return view.windows(SealedView::cells(host, metrics), 0, level, {now - 100 * kDay, now + 100 * kDay});
  }
  using Pendings = std::vector<std::uint64_t>;
};

TEST_F(WorkerTest, ASlotBecomesRollupBlocks) {
  append(a, {"cpu"}, "h", now, 3);
  append(a, {"cpu"}, "h", now + 6 * kMinute, 5);
  ASSERT_TRUE(b.turns());
  EXPECT_TRUE(sealed("h").empty()) << "not over";
  cluster.clock.advance_ms(kHour + quiet);
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(sealed("h"), (Samples{{now, 3}, {now + 6 * kMinute, 5}}));
  EXPECT_EQ(all_pending(), (Pendings{0, 1, 0, 0}));
  EXPECT_EQ(a.worker.counts()->pending, 0U);
  EXPECT_EQ(a.worker.counts()->rollup_blocks_pending, 1U);
  EXPECT_TRUE(windows(0, "h").empty());
  cluster.clock.advance_ms(cluster.rollup_blocks_ms[0]);
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(shown(windows(0, "h")), (ShownWindows{{now, "1/3/3/3"}, {now + 5 * kMinute, "1/5/5/5"}}));
  EXPECT_EQ(all_pending(), (Pendings{0, 0, 1, 0}));
  cluster.clock.advance_ms(cluster.rollup_blocks_ms[1]);
  ASSERT_TRUE(a.turns());
  EXPECT_EQ(shown(windows(1, "h")), (ShownWindows{{now, "2/8/3/5"}}));
  cluster.clock.advance_ms(cluster.rollup_blocks_ms[2]);
  ASSERT_TRUE(a.turns());
  EXPECT_EQ(shown(windows(2, "h")), (ShownWindows{{model::window_start(now, kDay), "2/8/3/5"}}));
  EXPECT_EQ(all_pending(), (Pendings{0, 0, 0, 0}));
  EXPECT_EQ(a.worker.counts()->sealed + b.worker.counts()->sealed, 1U);
  EXPECT_EQ(a.worker.counts()->windows + b.worker.counts()->windows, 4U);

  append(b, {"cpu"}, "h", now + 1, 1);  // late
  cluster.clock.advance_ms(quiet + kMinute);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(a.turns());
    cluster.clock.advance_ms(quiet + kMinute);
  }
  ASSERT_TRUE(a.turns());
  EXPECT_EQ(shown(windows(0, "h"))[now], "2/4/1/3");
  EXPECT_EQ(shown(windows(1, "h"))[now], "3/9/1/5");
  EXPECT_EQ(all_pending(), (Pendings{0, 0, 0, 0}));
}

TEST_F(WorkerTest, SettlingSealsWhatWasTouchedJustNow) {
  append(a, {"cpu"}, "h", now, 3);
  cluster.clock.advance_ms(kHour);
  append(a, {"cpu"}, "h", now + 1, 4);
  const auto report = b.worker.settle();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->slots_sealed, 1U);
  EXPECT_EQ(report->samples, 2U);
  EXPECT_EQ(report->chunks_written, 1U);
  EXPECT_GT(report->bytes, 0U);
  EXPECT_EQ(sealed("h"), (Samples{{now, 3}, {now + 1, 4}}));
  EXPECT_EQ(all_pending(), (Pendings{1, 1, 0, 0})) << "somebody may have left out a touch";
  append(a, {"cpu"}, "h", now + 2, 5);  // leaves it out
  cluster.clock.advance_ms(quiet);
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(sealed("h").size(), 3U);
  EXPECT_EQ(pending(0), 0U);
  cluster.clock.advance_ms(cluster.rollup_blocks_ms[0]);
  EXPECT_EQ(b.worker.settle()->slots_sealed, 0U);
  EXPECT_EQ(shown(windows(0, "h")), (ShownWindows{{now, "3/12/3/5"}}));
}

TEST_F(WorkerTest, WhatIsTouchedWhileItIsSealedStaysPending) {
  append(a, {"cpu"}, "h", now, 3);
  cluster.clock.advance_ms(kHour + quiet);
  bool once = true;
  cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table == &cluster.tables.sealed && std::exchange(once, false)) append(a, {"cpu"}, "h", now + 1, 4);
    return {};
  });
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(sealed("h").size(), 1U);
  EXPECT_EQ(pending(0), 1U);
  cluster.clock.advance_ms(quiet);
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(sealed("h").size(), 2U);
  EXPECT_EQ(pending(0), 0U);
}

TEST_F(WorkerTest, WhatIsDamagedIsSetAsideAndTheRestGoesOn) {
  for (const char* host : {"g1", "bad", "g2"}) append(a, {"cpu"}, host, now, 1);
  const auto bad = SealedView::cells("bad", {"cpu"});
  std::string value;
  append_section(value, bad.group, "these are no rows");
  const RowWrite written =
      hot_write(cluster.tables, bad.tenant, hash_prefix_of(bad.group, 64), now, {now * 1000, 9}, value);
  const RowWrite length =
      prefix_length_write(cluster.tables, bad.tenant, now, kHour, 64, now * 1000, cluster.clock.now_ms());
  ASSERT_TRUE(cluster.rows.write_now({written, length}));
  cluster.clock.advance_ms(kHour + quiet);
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(sealed("g1").size(), 1U);
  EXPECT_EQ(sealed("g2").size(), 1U);
  EXPECT_EQ(pending(0), 1U);
  auto aside = b.worker.set_aside();
  ASSERT_EQ(aside->size(), 1U);
  EXPECT_EQ(aside->at(0).series, "cpu{host=bad}");
  EXPECT_EQ(aside->at(0).work, "seal");
  EXPECT_EQ(aside->at(0).failures, 1U);
  EXPECT_NE(aside->at(0).error, "");
  EXPECT_EQ(a.worker.set_aside()->at(0).error, "") << "only who tried knows why";
  EXPECT_EQ(b.worker.counts()->set_aside, 1U);
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(b.worker.set_aside()->at(0).failures, 1U) << "not yet again";

  ASSERT_TRUE(
      cluster.rows.erase_now({{written.table, written.partition, written.clustering, written.timestamp_us + 1}}));
  cluster.clock.advance_ms(kMinute);
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(sealed("bad").size(), 1U);
  EXPECT_TRUE(b.worker.set_aside()->empty());
}

// Cassandra takes no row over 16 MiB, and refuses the whole request with it.
TEST_F(WorkerTest, WhatTheStoreRefusesIsSetAsideAndTheRestGoesOn) {
  const std::vector<std::string> hosts{"g1", "g2", "large", "g3", "g4"};
  for (const auto& host : hosts) append(a, {"cpu"}, host, now, 1);
  const auto large = SealedView::cells("large", {"cpu"});
  const auto refuse = [&](const MemoryRows::Change& change) -> Status {
    if (&change.table != &cluster.tables.sealed || change.partition[1] != large.group) return {};
    return fail(Code::invalid, "Cassandra: Request is too big: 20254441 exceeds 16777216");
  };
  cluster.rows.before_write(refuse);
  cluster.clock.advance_ms(kHour + quiet);
  ASSERT_TRUE(b.turns());
  for (const auto& host : hosts) EXPECT_EQ(sealed(host).size(), host == "large" ? 0U : 1U) << host;
  EXPECT_EQ(pending(0), 1U);
  const auto aside = b.worker.set_aside();
  ASSERT_EQ(aside->size(), 1U);
  EXPECT_EQ(aside->at(0).series, "cpu{host=large}");
  EXPECT_NE(aside->at(0).error.find("too big"), std::string::npos);
  EXPECT_EQ(b.worker.counts()->set_aside, 1U);
  cluster.clock.advance_ms(kMinute);
  EXPECT_TRUE(b.worker.settle()) << "its error is shown where it is set aside, and is nobody else's";

  cluster.rows.before_write({});
  cluster.clock.advance_ms(kHour);
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(sealed("large").size(), 1U);
  EXPECT_TRUE(b.worker.set_aside()->empty());
}

// After whatever row or answer the store or Redis goes away: nothing is lost, and all is done when they are back.
TEST_F(WorkerTest, EachStepMayFail) {
  for (int steps = 0; steps < 60; ++steps) {
    const std::string host = "h" + std::to_string(steps);
    const Timestamp start = model::window_start(cluster.clock.now_ms(), cluster.rollup_blocks_ms[0]);
    append(a, {"cpu"}, host, start, 3);
    if (steps % 2 == 0) {
      cluster.rows.fail_writes_after(static_cast<std::size_t>(steps / 2));
    } else {
      b.trackers.away_after(steps / 2);
    }
    cluster.clock.advance_ms(kHour + quiet);
    const bool good = b.turns().has_value();
    EXPECT_TRUE(good || all_pending() != (Pendings{0, 0, 0, 0}));
    cluster.rows.let_write();
    b.trackers.away_after(-1);
    b.trackers.away(false);
    cluster.clock.advance_ms(cluster.rollup_blocks_ms[0]);
    ASSERT_TRUE(b.turns());
    cluster.clock.advance_ms(quiet);
    ASSERT_TRUE(b.turns());
    EXPECT_EQ(view.sealed(SealedView::cells(host, {"cpu"}), 1, 0, {start, start + 1}), (Samples{{start, 3}}));
    EXPECT_EQ(shown(windows(0, host)), (ShownWindows{{start, "1/3/3/3"}}));
    EXPECT_EQ(pending(0) + pending(1), 0U);
  }
}

TEST_F(WorkerTest, WhatIsLateIsNotSealed) {
  const Timestamp late = now - 91 * kDay;
  append(a, {"cpu"}, "h", late, 3);
  append(a, {"cpu"}, "h", now, 3);
  cluster.clock.advance_ms(kHour + quiet);
  cluster.rows.fail_writes_after(1);
  EXPECT_FALSE(b.turns());
  EXPECT_GE(pending(0), 1U);
  cluster.rows.let_write();
  ASSERT_TRUE(b.turns());
  EXPECT_EQ(sealed("h"), (Samples{{now, 3}}));
  EXPECT_EQ(pending(0), 0U);
  for (const std::size_t level : {0, 1, 2}) {
    EXPECT_EQ(shown(windows(level, "h")),
              (ShownWindows{{model::window_start(late, cluster.options.rollups[level].width_ms), "1/3/3/3"}}))
        << level;
  }
}

// Whichever replica knows which group, and whichever is sealed first.
TEST_F(WorkerTest, ASeriesInTwoGroupsCountsOnce) {
  for (int number = 0; number < 8; ++number) {  // whichever hash is the smaller one
    for (const bool same_slot : {false, true}) {
      const bool wide_first = number % 2 == 0;
      const std::string host = "h" + std::to_string(number) + (same_slot ? "s" : "");
      const std::vector<std::string> wide = {"cpu", "mem"}, narrow = {"cpu"};
      const Timestamp start = model::window_start(cluster.clock.now_ms(), cluster.rollup_blocks_ms[0]);
      const auto first = [&] { append(wide_first ? a : b, wide_first ? wide : narrow, host, start, 3); };
      const auto second = [&] { append(wide_first ? b : a, wide_first ? narrow : wide, host, start, 3); };
      first();
      if (same_slot) second();
      cluster.clock.advance_ms(cluster.rollup_blocks_ms[0] + quiet);
      ASSERT_TRUE(a.turns());
      cluster.clock.advance_ms(quiet);
      ASSERT_TRUE(a.turns());
      if (!same_slot) second();
      for (int i = 0; i < 3; ++i) {
        cluster.clock.advance_ms(quiet);
        ASSERT_TRUE(b.turns());
      }
      rollup::PartPool none;
      const auto merged = rollup::merged(windows(0, host, wide), windows(0, host, narrow), none);
      EXPECT_EQ(shown(merged), (ShownWindows{{start, "1/3/3/3"}})) << wide_first << same_slot;
    }
  }
}

TEST_F(WorkerTest, ASeriesTwiceInOneGroupCountsOnce) {
  append(a, {"cpu", "cpu"}, "h", now, 3);
  cluster.clock.advance_ms(cluster.rollup_blocks_ms[0] + quiet);
  ASSERT_TRUE(a.turns());
  cluster.clock.advance_ms(quiet);
  ASSERT_TRUE(a.turns());
  const auto group = SealedView::cells("h", {"cpu", "cpu"});
  const model::TimeRange range{now, now + 1};
  rollup::PartPool none;
  EXPECT_EQ(shown(rollup::merged(view.windows(group, 0, 0, range), view.windows(group, 1, 0, range), none)),
            (ShownWindows{{now, "1/3/3/3"}}));
}

TEST_F(WorkerTest, ManyAreSealedInBatches) {
  for (int i = 0; i < 300; ++i) append(a, {"cpu"}, "h" + std::to_string(i), now, i);
  cluster.clock.advance_ms(kHour + quiet);
  cluster.rows.reset_counts();
  ASSERT_TRUE(b.turns());
  const auto counts = cluster.rows.counts(cluster.tables.sealed);
  EXPECT_EQ(counts.rows_written, 300U);
  EXPECT_GE(counts.batches, 3U);
  EXPECT_LE(counts.batches, 4U + cluster.options.partitions);
  EXPECT_EQ(pending(0), 0U);
}

// Rollup blocks that are longer than the journal goes back.
TEST_F(WorkerTest, WhatALossTakesIsMadeAgain) {
  append(a, {"cpu"}, "h", now, 3);
  for (int i = 0; i < 10; ++i) {
    cluster.clock.advance_ms(kDay);
    ASSERT_TRUE(a.turns());
  }
  EXPECT_EQ(all_pending(), (Pendings{0, 0, 0, 1})) << "48 days";
  append(a, {"cpu"}, "h", now + 10 * kDay, 4);
  cluster.redis.lose();
  EXPECT_EQ(all_pending(), (Pendings{0, 0, 0, 0}));
  ASSERT_TRUE(b.missed_touches.turn());
  EXPECT_EQ(pending(0), 2U) << "nobody has dropped what was sealed";
  EXPECT_GE(pending(3), 1U);
  for (int i = 0; i < 60; ++i) {
    cluster.clock.advance_ms(kDay);
    ASSERT_TRUE(b.turns());
  }
  EXPECT_EQ(all_pending(), (Pendings{0, 0, 0, 0}));
  const Timestamp day = model::window_start(now, kDay);
  EXPECT_EQ(shown(windows(2, "h")), (ShownWindows{{day, "1/3/3/3"}, {day + 10 * kDay, "1/4/4/4"}}));
}

TEST_F(WorkerTest, TurnsComeFromTheBoard) {
  append(a, {"cpu"}, "h", now, 3);
  tracker::Ownership ownership({.own = tracker::Own::list, .replica = "a", .jobs = {.partitions = {0, 1, 2, 3}}},
                               nullptr, cluster.clock);
  const auto on = [] { return true; };
  ASSERT_TRUE(a.worker.run(ownership, on));
  cluster.clock.advance_ms(kHour + quiet);
  ASSERT_TRUE(a.worker.run(ownership, [] { return false; })) << "told to stop";
  EXPECT_EQ(pending(0), 1U);
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(a.worker.run(ownership, on));
    cluster.clock.advance_ms(1000);
  }
  EXPECT_EQ(pending(0), 0U);
  tracker::Ownership none({.own = tracker::Own::none, .replica = "n", .jobs = {}}, nullptr, cluster.clock);
  EXPECT_TRUE(a.worker.run(none, on));
}

// Groups of several partitions share hot rows, which are read once then.
TEST_F(WorkerTest, PartitionsOfAJobAreWorkedOnTogether) {
  std::set<std::uint32_t> partitions;
  for (int i = 0; i < 8; ++i) {
    const std::string host = "h" + std::to_string(i);
    append(a, {"cpu"}, host, now, i);
    partitions.insert(a.series.directory().name(a.group({"cpu"}, host).id).partition);
  }
  ASSERT_GT(partitions.size(), 2U);
  tracker::Ownership ownership(
      {.own = tracker::Own::list, .replica = "a", .jobs = {.partitions = {0, 1, 2, 3}, .jobs = 1}}, nullptr,
      cluster.clock);
  const auto on = [] { return true; };
  ASSERT_TRUE(a.worker.run(ownership, on));
  cluster.clock.advance_ms(kHour + quiet);
  cluster.rows.reset_counts();
  ASSERT_TRUE(a.worker.run(ownership, on));
  EXPECT_EQ(pending(0), 0U);
  EXPECT_EQ(cluster.rows.counts(cluster.tables.prefix_lengths).reads, 1U) << "all slots are of one reading";
}

TEST_F(WorkerTest, APartitionThatFailsKeepsNoOtherOne) {
  std::map<std::uint32_t, std::uint64_t> pending_in;
  for (int i = 0; i < 8; ++i) {
    const std::string host = "h" + std::to_string(i);
    append(a, {"cpu"}, host, now, i);
    ++pending_in[a.series.directory().name(a.group({"cpu"}, host).id).partition];
  }
  const auto bad = SealedView::cells("h5", {"cpu"});
  cluster.rows.before_read([&](const RowRead& read) -> Status {
    if (read.table == &cluster.tables.sealed && read.partition[1] == bad.group) return fail(Code::timeout, "slow");
    return {};
  });
  tracker::Ownership ownership(
      {.own = tracker::Own::list, .replica = "a", .jobs = {.partitions = {0, 1, 2, 3}, .jobs = 1}}, nullptr,
      cluster.clock);
  const auto on = [] { return true; };
  cluster.clock.advance_ms(kHour + quiet);
  ASSERT_TRUE(a.worker.run(ownership, on));
  EXPECT_EQ(pending(0), pending_in[a.series.directory().name(a.group({"cpu"}, "h5").id).partition]);
  cluster.rows.before_read({});
  cluster.clock.advance_ms(60'000);
  ASSERT_TRUE(a.worker.run(ownership, on));
  EXPECT_EQ(pending(0), 0U);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
