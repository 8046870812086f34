// SPDX-License-Identifier: Apache-2.0
// One replica alone does not reach Redis: what it acknowledges, every other one sees at once (docs/decisions/0024).
#include "engine/cassandra/hot/missed_touches.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/testing/appender_fixture.h"

namespace varve::engine::cassandra::testing {
namespace {

class HeardMarkersTest : public AppenderTest {
 protected:
  const ClusterReplica::Line line = a.group({"cpu"}, "h");

  void SetUp() override {
    ASSERT_TRUE(b.series.tenant("t"));
    ASSERT_TRUE(b.missed_touches.turn());
  }
  auto begin(const ClusterReplica::Line& of, Timestamp time) {
    return a.begin_append(ClusterReplica::batch_of(of, time, 1));
  }
  static std::optional<Status> told(const std::shared_ptr<ClusterReplica::Told>& append) {
    const std::lock_guard lock(append->mutex);
    return append->status;
  }
  std::vector<Timestamp> seen(ClusterReplica& replica) {
    const auto found = replica.pending.pending(*replica.series.tenant("t"), {});
    EXPECT_TRUE(found);
    return found ? found->slots : std::vector<Timestamp>();
  }
  std::size_t series_at(ClusterReplica& replica, const std::string& metric = "cpu") {
    const auto found = replica.series.select(*replica.series.tenant("t"), metric, {});
    EXPECT_TRUE(found);
    return found ? found->size() : 0;
  }
  std::size_t looks() { return cluster.rows.counts(cluster.tables.alarms).reads; }
};

// Whenever it is acknowledged: a question at that moment sees it, also at one who looked a moment before the marker.
TEST_F(HeardMarkersTest, WhatIsAcknowledgedIsSeenByOneThatReachesRedis) {
  EXPECT_EQ(seen(b).size(), 0U);
  a.trackers.away(true);
  const auto append = begin(line, now);
  EXPECT_EQ(missed_touches(), 1U);
  int ticks = 0;
  for (; !told(append); ++ticks) {
    ASSERT_LT(ticks, 100) << "the wait is bounded";
    EXPECT_TRUE(a.missed_touches.unheard());
    cluster.clock.advance_ms(100);
    EXPECT_FALSE(ticks % 10 == 9 && a.missed_touches.turn());
    a.missed_touches.tell_heard();
  }
  ASSERT_TRUE(is_good(told(append)));
  EXPECT_EQ(ticks * 100, MissedTouches::kHeardMs);
  EXPECT_EQ(seen(b), std::vector<Timestamp>{now});
  ASSERT_TRUE(is_good(told(begin(line, now + Cluster::kSlotMs)))) << "from then on it is heard";
  EXPECT_EQ(seen(b), (std::vector<Timestamp>{now, now + Cluster::kSlotMs})) << "though b has just read the journal";
}

// b was stopped since before the marker: what it knew of markers is too old by its own steady clock.
TEST_F(HeardMarkersTest, OneThatWasStoppedLooksAgainBeforeItAnswers) {
  EXPECT_EQ(seen(b).size(), 0U);
  a.trackers.away(true);
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  const std::size_t before = looks();
  EXPECT_EQ(seen(b), std::vector<Timestamp>{now});
  EXPECT_EQ(looks(), before + 1);
  EXPECT_EQ(seen(b), std::vector<Timestamp>{now});
  EXPECT_EQ(looks(), before + 1) << "not for each question";
  cluster.clock.advance_ms(MissedTouches::kTrustedMs);
  cluster.rows.refuse(true);
  EXPECT_EQ(b.pending.pending(*b.series.tenant("t"), {}).error().code, Code::unavailable) << "it cannot know";
}

// The row of a that was stopped may have been taken away meanwhile: it is heard once more before anything goes on.
TEST_F(HeardMarkersTest, WhoWasStoppedIsHeardAgain) {
  a.trackers.away(true);
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  ASSERT_TRUE(b.missed_touches.turn());
  cluster.clock.advance_ms(MissedTouches::kDeadMs + 1);
  ASSERT_TRUE(b.missed_touches.turn());
  ASSERT_EQ(missed_touches(), 0U) << "b has taken it over";
  ASSERT_TRUE(a.watermark.renew());
  const auto append = begin(line, now + Cluster::kSlotMs);
  EXPECT_EQ(missed_touches(), 1U);
  a.missed_touches.tell_heard();
  EXPECT_FALSE(told(append));
  EXPECT_EQ(seen(b), std::vector<Timestamp>{now});
  cluster.clock.advance_ms(MissedTouches::kHeardMs);
  a.missed_touches.tell_heard();
  ASSERT_TRUE(is_good(told(append)));
  EXPECT_EQ(seen(b), (std::vector<Timestamp>{now, now + Cluster::kSlotMs}));
}

// Whether a marker is refreshed is seen by whether it changes, not by what the clocks say.
TEST_F(HeardMarkersTest, TheClockOfWhoRaisedItDoesNotMatter) {
  cluster.clock.advance_ms(1000);
  for (const std::int64_t ahead : {-2 * Cluster::kSlotMs, std::int64_t{0}, 2 * Cluster::kSlotMs, -Cluster::kSlotMs}) {
    a.trackers.away(true);
    a.clock.set(ahead);
    ASSERT_TRUE(is_good(a.append(line, now, 1)));
    for (int i = 0; i < 10; ++i) {
      cluster.clock.advance_ms(MissedTouches::kRefreshMs);
      EXPECT_FALSE(a.missed_touches.turn());
      ASSERT_TRUE(b.missed_touches.turn());
      ASSERT_EQ(missed_touches(), 1U) << "it lives";
    }
  }
}

TEST_F(HeardMarkersTest, WhatWaitsIsAcknowledgedWhenRedisHasItAfterAll) {
  a.trackers.away(true);
  const auto append = begin(line, now);
  a.trackers.away(false);
  ASSERT_TRUE(a.missed_touches.turn());
  EXPECT_TRUE(is_good(told(append))) << "without waiting";
  EXPECT_EQ(missed_touches(), 0U);
  EXPECT_EQ(seen(b), std::vector<Timestamp>{now});
}

TEST_F(HeardMarkersTest, WhatWaitsAtTheEndIsRefused) {
  a.trackers.away(true);
  const auto append = begin(line, now);
  a.missed_touches.close();
  EXPECT_EQ(code_of(told(append)), Code::unavailable);
  EXPECT_EQ(code_of(told(begin(line, now))), Code::unavailable);
}

// The wait is no reason to refuse it, however short the quiet time is.
TEST_F(HeardMarkersTest, TheWaitIsNotCountedAsWriting) {
  a.trackers.away(true);
  const auto append = begin(line, now);
  a.live(cluster.options.quiet_ms);
  EXPECT_FALSE(a.missed_touches.turn()) << "refreshed";
  cluster.clock.advance_ms(MissedTouches::kHeardMs);
  a.missed_touches.tell_heard();
  EXPECT_TRUE(is_good(told(append)));
}

// --- new series

TEST_F(HeardMarkersTest, ANewSeriesIsSeenAtOnce) {
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  EXPECT_EQ(series_at(b), 1U);
  a.trackers.away(true);
  cluster.redis.versions.away(true);
  ASSERT_TRUE(is_good(a.append(a.group({"cpu"}, "new"), now, 1)));
  cluster.redis.versions.away(false);  // for b
  EXPECT_EQ(series_at(b), 2U);
  cluster.redis.versions.away(true);
  ASSERT_TRUE(is_good(a.append(a.group({"cpu"}, "more"), now, 1)));
  cluster.redis.versions.away(false);
  EXPECT_EQ(series_at(b), 3U);
}

// The number alone could not be raised: Redis answered the touch.
TEST_F(HeardMarkersTest, AMarkerStandsForNumbersThatCouldNotBeRaised) {
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  EXPECT_EQ(series_at(b), 1U);
  const auto line2 = a.group({"cpu"}, "new");
  cluster.redis.versions.away(true);
  const auto append = begin(line2, now);
  cluster.redis.versions.away(false);
  EXPECT_FALSE(told(append));
  const auto second = begin(line2, now + 1);
  EXPECT_FALSE(told(second)) << "its series is announced, but others do not know of it";
  cluster.clock.advance_ms(MissedTouches::kHeardMs);
  a.missed_touches.tell_heard();
  EXPECT_TRUE(is_good(told(append)));
  EXPECT_TRUE(is_good(told(second)));
  EXPECT_EQ(series_at(b), 2U);
  ASSERT_TRUE(a.series.listen());
  ASSERT_TRUE(a.missed_touches.turn());
  EXPECT_FALSE(*a.missed_touches.any());
  cluster.clock.advance_ms(MissedTouches::kTrustedMs);
  EXPECT_EQ(series_at(b), 2U);
}

// b does not reach Redis; a does, and knows nothing of that.
TEST_F(HeardMarkersTest, OneWithoutRedisSeesWhatOthersAcknowledge) {
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  b.trackers.away(true);
  for (int i = 1; i <= 3; ++i) {
    const Timestamp slot = now - i * Cluster::kSlotMs;
    ASSERT_TRUE(is_good(a.append(a.group({"cpu"}, "h" + std::to_string(i)), slot, 1)));
    EXPECT_EQ(seen(b).size(), static_cast<std::size_t>(i) + 1);
    cluster.redis.versions.away(true);
    EXPECT_EQ(series_at(b), static_cast<std::size_t>(i) + 1);
    cluster.redis.versions.away(false);
  }
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
