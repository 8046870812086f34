// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/message_appender.h"

#include "engine/cassandra/testing/message_replicas.h"

namespace varve::engine::cassandra::testing {
namespace {

class MessageAppenderTest : public MessageReplicasTest {
 protected:
  std::size_t written(const Table& table) { return cluster.rows.counts(table).rows_written; }
};

TEST_F(MessageAppenderTest, ARequestIsARowForEachSlotAndNothingIsRead) {
  ASSERT_TRUE(is_good(put_at(a, {1, 2, 3})));
  cluster.rows.reset_counts();
  std::size_t reads = 0;
  cluster.rows.before_read([&](const RowRead&) {
    ++reads;
    return Status();
  });
  ASSERT_TRUE(is_good(put_at(a, {4, 5, kHourUs, 6, kHourUs + 1})));
  cluster.rows.before_read([](const RowRead&) { return Status(); });
  EXPECT_EQ(reads, 0U);
  EXPECT_EQ(written(cluster.tables.messages), 2U);
  EXPECT_EQ(written(cluster.tables.message_buckets), 1U) << "of the slot that is new";
  EXPECT_EQ(written(cluster.tables.message_time_windows), 0U);
  EXPECT_EQ(texts(b).size(), 8U);
  EXPECT_EQ(pending(b), 2U);
}

TEST_F(MessageAppenderTest, LongRequestsAreSeveralRows) {
  std::vector<TestMessage> messages;
  messages.reserve(50);
  for (int i = 0; i < 50; ++i) messages.push_back({begin_us + i, std::to_string(i) + std::string(100'000, 'x')});
  ASSERT_TRUE(is_good(put(a, messages)));
  EXPECT_EQ(size(cluster.tables.messages), 5U);
  EXPECT_EQ(size(cluster.tables.message_buckets), 1U);
  EXPECT_EQ(texts(b).size(), 50U);
}

TEST_F(MessageAppenderTest, NamesAreWrittenOnceInAnIndexBucket) {
  TestMessage one{begin_us, "x"};
  one.fields = {{"status", "1"}, {"other", "2"}};
  one.objects = {"T:a", "T:b"};
  ASSERT_TRUE(is_good(put(a, {one, one})));
  EXPECT_EQ(written(cluster.tables.message_names), 3U);
  ASSERT_TRUE(is_good(put(a, {one})));
  EXPECT_EQ(written(cluster.tables.message_names), 3U);
  EXPECT_EQ(written(cluster.tables.tenants), 1U);
  one.fields.emplace("new", "3");
  ASSERT_TRUE(is_good(put(a, {one})));
  EXPECT_EQ(written(cluster.tables.message_names), 4U);
  cluster.clock.advance_ms(kIndexBucketMs);
  ASSERT_TRUE(is_good(put(a, {one})));
  EXPECT_EQ(written(cluster.tables.message_names), 8U);
  const auto names = b.message_reader.names("t");
  ASSERT_TRUE(names);
  EXPECT_EQ(names->fields.size(), 3U);
  EXPECT_EQ(names->object_types.size(), 1U);
}

// Nothing that failed is taken for written.
TEST_F(MessageAppenderTest, WhatCannotBeWrittenIsNotAcknowledged) {
  for (std::size_t rows = 0; rows < 4; ++rows) {
    cluster.rows.fail_writes_after(rows);
    TestMessage one{begin_us, "x"};
    one.fields = {{"f", "1"}};
    EXPECT_FALSE(is_good(put(a, {one})));
    cluster.rows.let_write();
  }
  TestMessage one{begin_us, "x"};
  one.fields = {{"f", "1"}};
  ASSERT_TRUE(is_good(put(a, {one})));
  EXPECT_FALSE(texts(b).empty());
  EXPECT_EQ(b.message_reader.names("t")->fields.size(), 1U);
  EXPECT_EQ(size(cluster.tables.message_buckets), 1U);
}

TEST_F(MessageAppenderTest, WithoutALeaseNothingIsTaken) {
  a.renews = false;
  cluster.clock.advance_ms(Watermark::kLeaseMs + 1);
  const auto status = put_at(a, {1});
  ASSERT_TRUE(status && !*status);
  EXPECT_EQ(status->error().code, Code::unavailable);
  EXPECT_EQ(size(cluster.tables.messages), 0U);
}

TEST_F(MessageAppenderTest, ABucketTakesRowsForFiveMinutesOrUntilItIsFull) {
  HotBuckets buckets;
  const std::int64_t first = 1'000'000;
  EXPECT_EQ(buckets.take("t", 0, first, 10).opened_us, first);
  EXPECT_FALSE(buckets.take("t", 0, first + 1, 10).is_named);
  buckets.named("t", 0, first);
  EXPECT_TRUE(buckets.take("t", 0, first + kHotBucketUs - 1, 10).is_named);
  EXPECT_EQ(buckets.take("t", 1, first + 5, 10).opened_us, first + 5) << "of another slot";
  EXPECT_EQ(buckets.take("u", 0, first + 6, 10).opened_us, first + 6) << "of another tenant";
  const auto later = buckets.take("t", 0, first + kHotBucketUs, HotBuckets::kBytesMax);
  EXPECT_EQ(later.opened_us, first + kHotBucketUs);
  EXPECT_FALSE(later.is_named);
  EXPECT_EQ(buckets.take("t", 0, first + kHotBucketUs + 1, 1).opened_us, first + kHotBucketUs + 1) << "it is full";
  buckets.named("t", 0, first + kHotBucketUs);
  EXPECT_FALSE(buckets.take("t", 0, first + kHotBucketUs + 2, 1).is_named) << "another one was named";
}

TEST_F(MessageAppenderTest, ArrivalsAscendAndProcessesDoNotMeet) {
  EXPECT_LT(message_arrival(5, 1), message_arrival(6, 1));
  EXPECT_NE(message_arrival(5, 1), message_arrival(5, 2));
  EXPECT_EQ(message_arrival(5, 1) >> 11, 5U);
  std::vector<TestMessage> messages(100, {begin_us, "same"});
  std::set<std::uint64_t> arrivals;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(is_good(put(i % 2 == 0 ? a : b, messages)));
  const auto parts = a.message_reader.parts("t", begin_us, begin_us);
  ASSERT_TRUE(parts);
  for (const auto& part : *parts) {
    const auto rows = storage::testing::PartRows::read(part, begin_us, begin_us);
    ASSERT_TRUE(rows);
    for (const auto row : rows->rows()) arrivals.insert(row.arrival());
  }
  EXPECT_EQ(arrivals.size(), 400U);
}

// The directory is what is replayed.
TEST_F(MessageAppenderTest, WithoutRedisAMarkerIsHeardAndTheSlotIsSealedLater) {
  a.trackers.away(true);
  ASSERT_TRUE(is_good(put_at(a, {1})));
  EXPECT_EQ(cluster.missed_touches(), 1U);
  EXPECT_EQ(texts(b), Texts{"1"});
  EXPECT_EQ(pending(b), 0U);
  a.trackers.away(false);
  ASSERT_TRUE(a.missed_touches.turn());
  EXPECT_EQ(pending(b), 1U);
  EXPECT_EQ(cluster.missed_touches(), 0U);
}

TEST_F(MessageAppenderTest, AnEmptyRedisLearnsFromTheDirectory) {
  ASSERT_TRUE(is_good(put_at(a, {1, kHourUs})));
  ASSERT_TRUE(is_good(put_at(a, {2}, "other")));
  cluster.redis.lose();
  EXPECT_EQ(pending(b), 0U);
  ASSERT_TRUE(b.missed_touches.turn());
  EXPECT_EQ(pending(b), 3U);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
