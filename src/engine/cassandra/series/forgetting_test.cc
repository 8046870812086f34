// SPDX-License-Identifier: Apache-2.0
// Series are forgotten by one replica while others know them, write to them, or are just announcing them.
#include <gtest/gtest.h>

#include "engine/cassandra/series/testing/replica.h"

namespace varve::engine::cassandra::testing {
namespace {

using Names = std::vector<std::string>;

class ForgettingTest : public ::testing::Test {
 protected:
  Names metrics(Replica& replica) { return replica.metric_names(**replica.find_tenant("t"), {}).value(); }
  void listen() {
    ASSERT_TRUE(a.listen());
    ASSERT_TRUE(b.listen());
  }

  Shared shared;
  Replica a{shared}, b{shared};
};

TEST_F(ForgettingTest, WhatOneForgetsTheOtherDoesNotShow) {
  ASSERT_TRUE(a.append(a.group({"cpu", "mem"}, "a")));
  ASSERT_TRUE(a.append(a.group({"cpu"}, "b")));
  ASSERT_EQ(*b.hosts("cpu"), (Names{"a", "b"}));
  shared.clock.advance_ms(1000);
  b.erase("cpu", "a");
  for (Replica* replica : {&b, &a}) {
    EXPECT_EQ(*replica->hosts("cpu"), Names{"b"});
    EXPECT_EQ(*replica->hosts("mem"), Names{"a"}) << "the same group";
    EXPECT_EQ(metrics(*replica), (Names{"cpu", "mem"}));
    EXPECT_EQ(replica->series_count(), 2U);
  }
  a.erase("mem", "a");
  listen();
  Replica c(shared);
  for (Replica* replica : {&b, &a, &c}) {
    EXPECT_TRUE(replica->hosts("mem")->empty());
    EXPECT_EQ(*replica->hosts("cpu"), Names{"b"});
    EXPECT_EQ(metrics(*replica), Names{"cpu"});
  }
}

TEST_F(ForgettingTest, WhatHasSamplesIsNotForgotten) {
  ASSERT_TRUE(a.append(a.group({"cpu"}, "a")));
  const auto tenant = **b.find_tenant("t");
  b.forget_empty(tenant, *b.select(tenant, "cpu", {}));
  EXPECT_EQ(*a.hosts("cpu"), Names{"a"});
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  EXPECT_EQ(shared.rows.size(shared.tables.forgotten), 0U);
}

TEST_F(ForgettingTest, WhatWasNeverWrittenIsForgottenUntilItIs) {
  ASSERT_TRUE(a.append(a.group({"m"}, "a")));
  const auto empty = a.group({"m", "n"}, "b");
  EXPECT_EQ(metrics(a), (Names{"m", "n"}));
  a.erase("m", "b");
  a.erase("n", "b");
  EXPECT_EQ(metrics(a), Names{"m"});
  EXPECT_EQ(*a.hosts("m"), Names{"a"});
  EXPECT_EQ(a.series_count(), 1U);
  ASSERT_TRUE(a.append(empty));
  for (Replica* replica : {&a, &b}) {
    EXPECT_EQ(metrics(*replica), (Names{"m", "n"}));
    EXPECT_EQ(*replica->hosts("n"), Names{"b"});
  }
}

TEST_F(ForgettingTest, WrittenAgainItIsThereAgain) {
  const auto group = a.group({"cpu", "mem"}, "a");
  ASSERT_TRUE(a.append(group));
  ASSERT_EQ(*b.hosts("cpu"), Names{"a"});
  for (int round = 0; round < 3; ++round) {
    Replica& eraser = round == 1 ? a : b;
    shared.clock.advance_ms(1000);
    eraser.erase("cpu", "a");
    eraser.erase("mem", "a");
    listen();
    for (Replica* replica : {&a, &b}) {
      EXPECT_TRUE(replica->hosts("cpu")->empty());
      EXPECT_TRUE(metrics(*replica).empty());
    }
    ASSERT_TRUE(a.append(group));
    Replica c(shared);
    for (Replica* replica : {&b, &a, &c}) {
      EXPECT_EQ(*replica->hosts("cpu"), Names{"a"});
      EXPECT_EQ(*replica->hosts("mem"), Names{"a"});
      EXPECT_EQ(metrics(*replica), (Names{"cpu", "mem"}));
    }
  }
}

TEST_F(ForgettingTest, DefinedAgainItIsThereAgain) {
  ASSERT_TRUE(a.append(a.group({"cpu"}, "a")));
  a.erase("cpu", "a");
  EXPECT_TRUE(a.hosts("cpu")->empty());
  (void)a.group({"cpu"}, "a");
  EXPECT_EQ(*a.hosts("cpu"), Names{"a"});
  EXPECT_TRUE(b.hosts("cpu")->empty()) << "not written yet";
}

// The other replica does not know yet, takes a sample as announced, and acknowledges it.
TEST_F(ForgettingTest, WrittenBeforeTheOtherHasHeardOfIt) {
  const auto group = a.group({"cpu"}, "a");
  ASSERT_TRUE(a.append(group));
  ASSERT_EQ(*b.hosts("cpu"), Names{"a"});
  shared.clock.advance_ms(1000);
  b.erase("cpu", "a");
  shared.clock.advance_ms(10);
  ASSERT_TRUE(a.append(group));
  EXPECT_TRUE(b.hosts("cpu")->empty()) << "for as long as a has not heard";
  ASSERT_TRUE(a.listen());
  Replica c(shared);
  for (Replica* replica : {&b, &a, &c}) {
    EXPECT_EQ(*replica->hosts("cpu"), Names{"a"});
    EXPECT_EQ(metrics(*replica), Names{"cpu"});
  }
}

// An append's sample is visible before the delete looks, and acknowledged after it.
TEST_F(ForgettingTest, ForgottenWhileItIsAppended) {
  const auto group = a.group({"cpu"}, "a");
  ASSERT_TRUE(a.append(group));
  ASSERT_EQ(*b.hosts("cpu"), Names{"a"});
  shared.clock.advance_ms(1000);
  ASSERT_TRUE(a.append(group, shared.bucket(), [&] {
    b.erase("cpu", "a");
    ASSERT_TRUE(a.listen());
  }));
  EXPECT_EQ(*a.hosts("cpu"), Names{"a"});
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
}

// In the moment between its looking and its saying so.
TEST_F(ForgettingTest, WrittenWhileItIsForgotten) {
  const auto group = a.group({"cpu"}, "a");
  ASSERT_TRUE(a.append(group));
  ASSERT_EQ(*b.hosts("cpu"), Names{"a"});
  shared.clock.advance_ms(1000);
  bool once = true;
  shared.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table == &shared.tables.forgotten && std::exchange(once, false)) return a.append(group);
    return {};
  });
  b.erase("cpu", "a");
  shared.rows.before_write({});
  ASSERT_FALSE(once);
  ASSERT_TRUE(a.listen());
  Replica c(shared);
  for (Replica* replica : {&b, &a, &c}) EXPECT_EQ(*replica->hosts("cpu"), Names{"a"});
}

TEST_F(ForgettingTest, AnnouncedWhileItIsForgotten) {
  const auto first = b.group({"cpu"}, "a");
  ASSERT_TRUE(b.append(first));
  const auto group = a.group({"cpu"}, "a");
  bool once = true;
  shared.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table != &shared.tables.series_sets || !std::exchange(once, false)) return {};
    shared.clock.advance_ms(5);
    b.erase("cpu", "a");
    return {};
  });
  ASSERT_TRUE(a.append(group));
  shared.rows.before_write({});
  ASSERT_FALSE(once);
  ASSERT_TRUE(a.listen());
  Replica c(shared);
  for (Replica* replica : {&b, &a, &c}) EXPECT_EQ(*replica->hosts("cpu"), Names{"a"});
}

TEST_F(ForgettingTest, OneGroupOfTwoIsAnnouncedAgain) {
  const auto pair = a.group({"cpu", "mem"}, "a");
  const auto alone = b.group({"cpu"}, "a");
  ASSERT_TRUE(a.append(pair));
  ASSERT_TRUE(b.append(alone));
  shared.clock.advance_ms(1000);
  a.erase("cpu", "a");
  listen();
  EXPECT_TRUE(b.hosts("cpu")->empty());
  shared.clock.advance_ms(1000);
  ASSERT_TRUE(b.append(alone));
  EXPECT_EQ(*a.hosts("cpu"), Names{"a"});
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  EXPECT_EQ(*b.hosts("mem"), Names{"a"});
}

TEST_F(ForgettingTest, TheNameOfAMetricStaysWhereAnotherReplicaHasSeriesOfIt) {
  ASSERT_TRUE(a.append(a.group({"cpu"}, "a")));
  ASSERT_EQ(*b.hosts("cpu"), Names{"a"});
  shared.clock.advance_ms(120'000);
  // b forgets the last series that it knows of; that of a's it was not told yet.
  bool once = true;
  shared.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (!change.erases || !std::exchange(once, false)) return {};
    shared.clock.advance_ms(-5);
    return a.append(a.group({"cpu"}, "new"));
  });
  b.erase("cpu", "a");
  shared.rows.before_write({});
  ASSERT_FALSE(once);
  shared.clock.advance_ms(1000);
  listen();
  Replica c(shared);
  for (Replica* replica : {&b, &a, &c}) EXPECT_EQ(metrics(*replica), Names{"cpu"});
}

// What announces a series ahead of the clock stands for longer than it takes from now on.
TEST_F(ForgettingTest, SamplesAheadOfTheClockBringNothingBack) {
  const SeriesOptions options{.directory = {}, .retention_ms = 2 * kIndexBucketMs};
  Replica writer(shared, options), eraser(shared, options);
  constexpr int kAhead = 9;
  for (const int weeks : {kAhead, 0}) {
    for (const char* const host : {"a", "b"}) {
      ASSERT_TRUE(writer.append(writer.group({"cpu"}, host), shared.bucket() + weeks * kIndexBucketMs));
    }
  }
  shared.clock.advance_ms(1000);
  eraser.erase("cpu", "a");
  ASSERT_TRUE(writer.listen());
  for (int week = 0; week < kAhead + 5; ++week) {
    Replica later(shared, options);
    const bool is_over = week >= kAhead + 3;  // announcements stand for an index bucket longer than samples
    EXPECT_EQ(*later.hosts("cpu"), is_over ? Names() : Names{"b"}) << week;
    shared.clock.advance_ms(kIndexBucketMs);
  }
}

TEST_F(ForgettingTest, WithoutRedisNothingIsForgotten) {
  const auto group = a.group({"cpu"}, "a");
  ASSERT_TRUE(a.append(group));
  ASSERT_EQ(*b.hosts("cpu"), Names{"a"});
  shared.versions.away(true);
  b.erase("cpu", "a");
  shared.versions.away(false);
  EXPECT_EQ(shared.rows.size(shared.tables.forgotten), 0U);
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
}

// Of a replica that Redis does not answer: it looks by itself, if not often.
TEST_F(ForgettingTest, WhoCannotHearOfItLooks) {
  const auto group = a.group({"cpu"}, "a");
  ASSERT_TRUE(a.append(group));
  ASSERT_TRUE(a.listen());
  b.erase("cpu", "a");
  shared.clock.advance_ms(100);
  ASSERT_TRUE(a.append(group));
  shared.versions.away(true);
  EXPECT_FALSE(a.listen());
  Replica c(shared);
  EXPECT_EQ(*c.hosts("cpu"), Names{"a"}) << "announced again";
  shared.rows.reset_counts();
  for (int second = 0; second < 599; ++second) {
    shared.clock.advance_ms(1000);
    EXPECT_FALSE(a.listen());
  }
  EXPECT_EQ(shared.rows.counts(shared.tables.forgotten).reads, 0U);
  shared.clock.advance_ms(2000);
  EXPECT_FALSE(a.listen());
  EXPECT_EQ(shared.rows.counts(shared.tables.forgotten).reads, 16U);
}

TEST_F(ForgettingTest, AfterALossAllIsLookedAt) {
  const auto group = a.group({"cpu"}, "a");
  ASSERT_TRUE(a.append(group));
  ASSERT_TRUE(a.listen());
  b.erase("cpu", "a");
  shared.clock.advance_ms(100);
  ASSERT_TRUE(a.append(group));
  shared.versions.lose();
  ASSERT_TRUE(a.listen());
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
  shared.rows.reset_counts();
  ASSERT_TRUE(a.listen());
  EXPECT_EQ(shared.rows.counts(shared.tables.forgotten).reads, 0U);
}

TEST_F(ForgettingTest, AnnouncingAgainIsTriedAgain) {
  const auto group = a.group({"cpu"}, "a");
  ASSERT_TRUE(a.append(group));
  shared.clock.advance_ms(100);
  b.erase("cpu", "a");
  shared.clock.advance_ms(100);
  ASSERT_TRUE(a.append(group));
  shared.rows.fail_writes_after(0);
  EXPECT_FALSE(a.listen());
  shared.rows.let_write();
  EXPECT_TRUE(b.hosts("cpu")->empty());
  EXPECT_TRUE(a.listen());
  EXPECT_EQ(*b.hosts("cpu"), Names{"a"});
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
