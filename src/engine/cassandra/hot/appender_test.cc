// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/appender.h"

#include <set>
#include <thread>

#include "engine/cassandra/testing/appender_fixture.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::testing::kHour;

TEST_F(AppenderTest, RowsCountInTheOrderOfTheCalls) {
  const auto line = a.group({"cpu", "mem"}, "h");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(is_good(a.append(line, now + 5, i)));
  ASSERT_TRUE(is_good(b.append(b.group({"cpu", "mem"}, "h"), now + 6, 7)));
  EXPECT_EQ(hot(a, line, now), "1:5=0 |2:6=7 |1:5=1 |1:5=2 ") << "b's clock stood still, too";
  EXPECT_EQ(pending(b), 1U);
}

TEST_F(AppenderTest, ABatchOfManyGroupsAndSlotsIsOneWrite) {
  const auto one = a.group({"cpu"}, "h1"), two = a.group({"cpu", "mem"}, "h2");
  model::LineGroup first, second;
  one.set(first);
  two.set(second);
  model::RowBatch batch;
  batch.add(first, now, model::Value::of_long(1));
  batch.add(second, now, std::vector<model::Value>(2, model::Value::of_long(2)));
  batch.add(first, now - kHour, model::Value::of_long(3));
  batch.add(first, now + 1, model::Value::of_long(4));
  ASSERT_TRUE(is_good(a.append(batch)));
  EXPECT_EQ(cluster.rows.counts(cluster.tables.raw).batches, 1U);
  EXPECT_EQ(hot(a, one, now), "1:0=1 1=4 ");
  EXPECT_EQ(hot(a, one, now - kHour), "1:0=3 ");
  EXPECT_EQ(hot(a, two, now), "1:0=2 ");
  EXPECT_EQ(size(cluster.tables.pending_journal), 3U);
  EXPECT_EQ(pending(a), 3U);
  EXPECT_TRUE(is_good(a.append(model::RowBatch{}))) << "nothing";
}

// By which the samples of several slots are told apart where they are added to one rollup block.
TEST_F(AppenderTest, RowsOfOneGroupHaveArrivalsOfTheirOwn) {
  const auto line = a.group({"cpu"}, "h");
  model::LineGroup group;
  line.set(group);
  model::RowBatch batch;
  for (int slot = 0; slot < 5; ++slot) batch.add(group, now - slot * kHour, model::Value::of_long(slot));
  ASSERT_TRUE(is_good(a.append(batch)));
  const GroupName name = a.series.directory().name(line.id);
  HotReads hot(cluster.tables);
  for (int slot = 0; slot < 5; ++slot) {
    hot.add(a.series.directory().tenant_name(name.tenant), blob_of(name.hash), now - slot * kHour, kPrefixLengths, 0);
  }
  std::set<Arrival> arrivals;
  const auto note = [&](std::size_t, const Arrival& arrival, std::string_view) -> Status {
    arrivals.insert(arrival);
    return {};
  };
  ASSERT_TRUE(cluster.rows.read(hot.reads(), {},
                                [&](std::size_t read, const RowView& view) { return hot.row(read, view, note); }));
  EXPECT_EQ(arrivals.size(), 5U);
}

TEST_F(AppenderTest, RowsOfTheFutureLiveUntilTheyAreSealed) {
  const auto line = a.group({"cpu"}, "h");
  ASSERT_TRUE(is_good(a.append(line, now + 100 * kHour, 1)));
  cluster.clock.advance_ms(102 * kHour);
  EXPECT_EQ(hot(a, line, now + 100 * kHour), "1:0=1 ");
  cluster.clock.advance_ms(kHotKeptMs);
  EXPECT_EQ(hot(a, line, now + 100 * kHour), "");
}

// Whatever row is the last that stands: it fails, nothing is acknowledged, and the same may be sent again.
TEST_F(AppenderTest, EachRowMayFail) {
  std::size_t rows = 0;
  for (bool done = false; !done; ++rows) {
    ASSERT_LT(rows, 100U);
    const std::string host = "h" + std::to_string(rows);
    const auto line = a.group({"cpu", "mem"}, host);
    const auto pending_before = pending(a);
    cluster.rows.fail_writes_after(rows);
    const auto status = a.append(line, now, 1);
    ASSERT_TRUE(status) << "calls back in any case";
    done = status->has_value();
    EXPECT_EQ(pending(a), pending_before + (done ? 1 : 0));
    cluster.rows.let_write();
    ASSERT_TRUE(is_good(a.append(line, now, 1)));
    EXPECT_EQ(pending(a), pending_before + 1);
    EXPECT_TRUE(b.series.load(*b.series.tenant("t"), "mem", {}, {}));
    EXPECT_EQ(b.series.tag_values(*b.series.tenant("t"), "mem", "host", {})->size(), rows + 1);
  }
  EXPECT_GT(rows, 5U);
}

TEST_F(AppenderTest, WhatTheStoreRefusesIsFreed) {
  const auto line = a.group({"cpu"}, "h");
  cluster.rows.refuse(true);
  auto kept = std::make_shared<int>();
  model::LineGroup group;
  line.set(group);
  model::RowBatch batch;
  batch.add(group, now, model::Value::of_long(1));
  Code code = Code::invalid;
  a.appender.append(batch,
                    [kept, &code](const Status& status) { code = status ? Code::invalid : status.error().code; });
  EXPECT_EQ(code, Code::unavailable);
  EXPECT_EQ(kept.use_count(), 1);
}

TEST_F(AppenderTest, TheJournalHasARowForEachHourAndProcess) {
  const auto line = a.group({"cpu"}, "h");
  const auto& journal = cluster.tables.pending_journal;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(is_good(a.append(line, now, i)));
  EXPECT_EQ(cluster.rows.counts(journal).rows_written, 1U);
  ASSERT_TRUE(is_good(a.append(line, now + kHour, 1)));
  EXPECT_EQ(cluster.rows.counts(journal).rows_written, 2U) << "another slot";
  ASSERT_TRUE(is_good(b.append(b.group({"cpu"}, "h"), now, 1)));
  EXPECT_EQ(cluster.rows.counts(journal).rows_written, 3U) << "another process";
  EXPECT_EQ(size(journal), 2U);
  cluster.clock.advance_ms(kHour);
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  EXPECT_EQ(size(journal), 3U) << "another hour";
}

// A journal row is written before the touch, and remembered only when it stands.
TEST_F(AppenderTest, TheJournalComesBeforeTheTouch) {
  const auto line = a.group({"cpu"}, "h");
  const auto& journal = cluster.tables.pending_journal;
  std::size_t seen = 0;
  a.trackers.before_touch = [&] { seen = size(journal); };
  cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table == &journal) return fail(Code::timeout, "slow");
    return {};
  });
  EXPECT_EQ(code_of(a.append(line, now, 1)), Code::timeout);
  EXPECT_EQ(pending(a), 0U);
  cluster.rows.before_write({});
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  EXPECT_EQ(seen, 1U);
}

TEST_F(AppenderTest, TouchesThatChangeNothingAreLeftOut) {
  const auto line = a.group({"cpu"}, "h");
  int touches = 0;
  a.trackers.before_touch = [&] { ++touches; };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(is_good(a.append(line, now, i)));
  EXPECT_EQ(touches, 1);
  cluster.redis.lose();
  EXPECT_TRUE(a.trackers.check());
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  EXPECT_EQ(touches, 2) << "it was lost";
  cluster.clock.advance_ms(cluster.options.quiet_ms / 2);
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  EXPECT_EQ(touches, 3);
}

TEST_F(AppenderTest, WhatTakesLongIsNotAcknowledged) {
  const auto line = a.group({"cpu"}, "h");
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  bool once = true;
  cluster.rows.before_write([&](const MemoryRows::Change&) -> Status {
    if (std::exchange(once, false)) a.live(cluster.options.quiet_ms / 2 + 1);
    return {};
  });
  EXPECT_EQ(code_of(a.append(line, now, 1)), Code::unavailable);
  EXPECT_TRUE(is_good(a.append(line, now, 1)));
}

TEST_F(AppenderTest, WhatIsForgottenMeanwhileIsAnnouncedAgain) {
  const auto line = a.group({"cpu"}, "h");
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  ASSERT_EQ(cluster.rows.counts(cluster.tables.series_sets).rows_written, 1U);
  const Hash series = model::series_set_hash(model::series_key("cpu", {{"host", "h"}}));
  const auto forget = [&] {
    cluster.clock.advance_ms(1);
    const std::pair<Hash, std::int64_t> gone{series, cluster.clock.now_ms() * 1000};
    a.series.directory().add_forgotten(*a.series.tenant("t"), "cpu", {&gone, 1}, 0);
    cluster.clock.advance_ms(1);
  };
  bool once = true;
  cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table == &cluster.tables.raw && std::exchange(once, false)) forget();
    return {};
  });
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  EXPECT_EQ(cluster.rows.counts(cluster.tables.series_sets).rows_written, 2U);

  cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table == &cluster.tables.raw || &change.table == &cluster.tables.series_sets) forget();
    return {};
  });
  EXPECT_EQ(code_of(a.append(line, now, 1)), Code::unavailable) << "again and again";
}

TEST_F(AppenderTest, AGroupThatWasNeverDefinedIsOurOwnFault) {
  model::LineGroup group;
  group.id = model::GroupId{77};
  group.count = 1;
  model::RowBatch batch;
  batch.add(group, now, model::Value::of_long(1));
  EXPECT_DEATH(a.appender.append(batch, [](const Status&) {}), "a group that there is");
}

TEST_F(AppenderTest, ManyAtOnce) {
  constexpr int kThreads = 4, kAppends = 200;
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        ClusterReplica& replica = t % 2 == 0 ? a : b;
        for (int i = 0; i < kAppends; ++i) {
          const auto line = replica.group({"cpu", "mem"}, "h" + std::to_string(i % 20));
          if (i % 50 == t) replica.trackers.away(true);
          if (i % 50 == t + 10) replica.trackers.away(false);
          if (is_good(replica.append(line, now + i, t))) ++good;
        }
      });
    }
    for (int i = 0; i < 20; ++i) {
      for (ClusterReplica* replica : {&a, &b}) {
        if (!replica->missed_touches.turn()) continue;
        EXPECT_TRUE(replica->pending.pending(*replica->series.tenant("t"), {}));
      }
    }
  }
  EXPECT_GT(good, 0);
  a.trackers.away(false);
  b.trackers.away(false);
  EXPECT_TRUE(a.missed_touches.turn());
  EXPECT_TRUE(b.missed_touches.turn());
  EXPECT_EQ(pending(a), 20U);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
