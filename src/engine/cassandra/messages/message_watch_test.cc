// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/message_watch.h"

#include <algorithm>

#include "engine/cassandra/messages/blob_bytes.h"
#include "engine/cassandra/testing/message_replicas.h"

namespace varve::engine::cassandra::testing {
namespace {

class MessageWatchTest : public MessageReplicasTest {
 protected:
  // What b hears of a.
  TenantWatch watch{"t", b.message_tables, 2, [this] { return b.watermark.value(); }};
  Texts look() {
    const auto rows = watch.look();
    EXPECT_TRUE(rows) << rows.error().message;
    Texts out;
    for (const std::string& packed : *rows) {
      const auto bytes = blob_bytes(packed);
      for (const std::byte* at = bytes.data(); at != bytes.data() + bytes.size(); at += message::RowView{at}.bytes()) {
        EXPECT_EQ(message::RowView{at}.arrival(), 0U) << "as it was appended";
        out.push_back(storage::testing::test_message(message::RowView{at}).text);
      }
    }
    return out;
  }
};

TEST_F(MessageWatchTest, HearsOnceWhatAnotherReplicaStores) {
  ASSERT_TRUE(is_good(put_at(a, {1})));
  EXPECT_EQ(look(), Texts{}) << "it stood before";
  ASSERT_TRUE(is_good(put_at(a, {2, 3})));
  ASSERT_TRUE(is_good(put_at(b, {4})));
  ASSERT_TRUE(is_good(put_at(a, {5}, "other")));
  EXPECT_EQ(look(), (Texts{"2", "3"})) << "not its own, not another tenant's";
  EXPECT_EQ(look(), Texts{});
  ASSERT_TRUE(is_good(put_at(a, {-kHourUs * 300})));
  EXPECT_EQ(look(), (Texts{std::to_string(-kHourUs * 300)})) << "late, in another partition bucket";
  for (int i = 0; i < 30; ++i) {
    live(20'000);
    ASSERT_TRUE(is_good(put_at(a, {100 + i})));
    EXPECT_EQ(look(), Texts{std::to_string(100 + i)});
    EXPECT_EQ(look(), Texts{});
  }
}

// A row may stand later than one that arrived after it.
TEST_F(MessageWatchTest, HearsWhatWasOvertaken) {
  EXPECT_EQ(look(), Texts{});
  bool once = true;
  cluster.rows.before_write([&](const MemoryRows::Change& change) {
    if (&change.table == &cluster.tables.messages && std::exchange(once, false)) {
      EXPECT_TRUE(is_good(put_at(a, {2})));
      EXPECT_EQ(look(), Texts{"2"});
      live(5000);
      EXPECT_EQ(look(), Texts{});
    }
    return Status();
  });
  ASSERT_TRUE(is_good(put_at(a, {1})));
  EXPECT_EQ(look(), Texts{"1"});
  live(20'000);
  EXPECT_EQ(look(), Texts{});
}

TEST_F(MessageWatchTest, AfterAFailureAllOfItComes) {
  EXPECT_EQ(look(), Texts{});
  ASSERT_TRUE(is_good(put_at(a, {1})));
  for (const Table* const table : {&cluster.tables.message_time_windows, &cluster.tables.message_buckets}) {
    cluster.rows.before_read([&](const RowRead& read) {
      return read.table == table ? Status(fail(Code::unavailable, "not now")) : Status();
    });
    EXPECT_FALSE(watch.look());
  }
  bool first = true;
  cluster.rows.before_read([&](const RowRead& read) {
    const bool fails = read.values == std::vector<std::string>{"value"} && !std::exchange(first, false);
    return fails ? Status(fail(Code::unavailable, "not now")) : Status();
  });
  ASSERT_TRUE(is_good(put_at(a, {2})));
  ASSERT_TRUE(is_good(put_at(a, {3})));
  EXPECT_EQ(look(), Texts{"1"});
  EXPECT_FALSE(watch.is_whole());
  EXPECT_FALSE(watch.look());
  cluster.rows.before_read([](const RowRead&) { return Status(); });
  ASSERT_TRUE(is_good(put_at(a, {4})));
  EXPECT_EQ(look(), (Texts{"2", "3", "4"}));
  EXPECT_TRUE(watch.is_whole());
}

TEST_F(MessageWatchTest, WhoListensAndSettlesMissesNothing) {
  MessageWatch& hears = b.message_watch;
  ASSERT_TRUE(is_good(put_at(a, {1})));
  Mutex mutex;
  std::size_t bytes = 0;
  const auto count = [&](const Result<std::span<const std::byte>>& rows) {
    ASSERT_TRUE(rows);
    const MutexLock lock(mutex);
    bytes += rows->size();
  };
  auto listens = hears.listen("t", count);
  const auto also = hears.listen("t", count);
  ASSERT_TRUE(hears.settle(std::chrono::seconds(60)));
  ASSERT_TRUE(is_good(put_at(a, {2})));
  ASSERT_TRUE(hears.settle(std::chrono::seconds(60)));
  const MutexLock lock(mutex);
  message::Batch batch;
  storage::testing::add_message(batch, {begin_us + 2, "2"});
  EXPECT_EQ(bytes, 2 * batch.bytes().size());
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
