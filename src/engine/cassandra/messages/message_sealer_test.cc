// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/message_sealer.h"

#include <atomic>
#include <future>
#include <thread>

#include "engine/cassandra/messages/message_merge.h"
#include "engine/cassandra/testing/message_replicas.h"

namespace varve::engine::cassandra::testing {
namespace {

class MessageSealerTest : public MessageReplicasTest {
 protected:
  const std::int64_t quiet = cluster.options.quiet_ms;

  // All that is pending and quiet by then.
  void seal(ClusterReplica& replica) {
    live(kSlotMs + quiet);
    ASSERT_TRUE(replica.turns());
    ASSERT_EQ(pending(replica), 0U);
  }
  static void drop(ClusterReplica& replica) {
    ASSERT_TRUE(replica.message_worker.drop([] { return true; }));
  }
  SealedMessages sealed(ClusterReplica& replica) {
    const auto slots = replica.message_tables.read("t", begin_us, begin_us + kHourUs - 1);
    EXPECT_TRUE(slots && slots->size() == 1);
    return slots->at(0).sealed;
  }
};

TEST_F(MessageSealerTest, HotRowsBecomeABlockThatCountsInsteadOfThem) {
  ASSERT_TRUE(is_good(put_at(a, {5, 1})));
  ASSERT_TRUE(is_good(put_at(b, {3, 1})));
  EXPECT_EQ(find(a).hot_parts, 1U) << "two buckets, read at once";
  seal(b);
  EXPECT_GT(size(cluster.tables.messages), 0U);
  const Found found = find(a);
  EXPECT_EQ(found.texts, (Texts{"1", "1", "3", "5"}));
  EXPECT_EQ(std::pair(found.blocks, found.hot_parts), std::pair(std::size_t{1}, std::size_t{0}));
  EXPECT_TRUE(sealed(a).beyond.empty());
}

TEST_F(MessageSealerTest, WhatIsSealedIsDroppedAndReplacedBlocksToo) {
  ASSERT_TRUE(is_good(put_at(a, {5, 1})));
  seal(a);
  drop(a);
  EXPECT_GT(size(cluster.tables.messages), 0U) << "queries may read them yet";
  live(MessageSealer::kHotKeptMs);
  drop(a);
  EXPECT_EQ(size(cluster.tables.messages), 0U);
  EXPECT_EQ(size(cluster.tables.message_buckets), 0U);
  EXPECT_EQ(texts(b), (Texts{"1", "5"}));
  const std::size_t sections = size(cluster.tables.message_blocks);
  ASSERT_TRUE(is_good(put_at(b, {3})));
  EXPECT_EQ(texts(a), (Texts{"1", "3", "5"}));
  seal(b);
  EXPECT_EQ(sealed(a).blocks.size(), 1U);
  EXPECT_GT(size(cluster.tables.message_blocks), sections);
  live(MessageSealer::kHotKeptMs);
  drop(a);
  EXPECT_GT(size(cluster.tables.messages), 0U) << "what was replaced is there, too";
  live(MessageSealer::kReplacedKeptMs);
  drop(a);
  EXPECT_EQ(size(cluster.tables.messages), 0U);
  EXPECT_EQ(size(cluster.tables.message_blocks), sections);
  EXPECT_EQ(texts(a), (Texts{"1", "3", "5"}));
}

// Settled a moment after it was written: W is not above it yet.
TEST_F(MessageSealerTest, WhatIsNotBelowTheWatermarkIsNamed) {
  ASSERT_TRUE(is_good(put_at(a, {1, 2})));
  ASSERT_TRUE(a.worker.settle());
  EXPECT_EQ(sealed(a).beyond.size(), 1U);
  EXPECT_EQ(find(b).hot_parts, 0U);
  EXPECT_EQ(texts(b), (Texts{"1", "2"}));
  ASSERT_TRUE(is_good(put_at(a, {3})));
  EXPECT_EQ(texts(b), (Texts{"1", "2", "3"}));
  ASSERT_TRUE(b.worker.settle());
  EXPECT_EQ(sealed(a).beyond.size(), 2U);
  EXPECT_EQ(texts(b), (Texts{"1", "2", "3"}));
  EXPECT_GT(pending(a), 0U) << "somebody may have left out a touch";
  live(kSlotMs + quiet);
  ASSERT_TRUE(a.turns());
  EXPECT_TRUE(sealed(a).beyond.empty()) << "published anew, so that its buckets can go";
  live(MessageSealer::kReplacedKeptMs);
  drop(a);
  EXPECT_EQ(size(cluster.tables.messages), 0U);
  EXPECT_EQ(texts(b), (Texts{"1", "2", "3"}));
}

TEST_F(MessageSealerTest, ASenderMayRepeat) {
  const std::string id = "0123456789abcdef";
  const TestMessage once{begin_us, "once", id}, other{begin_us + 1, "later", id};
  ASSERT_TRUE(is_good(put(a, {once, once, other})));
  ASSERT_TRUE(is_good(put(b, {once})));
  seal(a);
  EXPECT_EQ(texts(a), (Texts{"once", "later"}));
  ASSERT_TRUE(is_good(put(b, {once})));
  seal(a);
  EXPECT_EQ(texts(a), (Texts{"once", "later"}));
}

// A slow sealer whose version is later: the other one's publication, and what was dropped because of it, came between
// its reading and its publication.
TEST_F(MessageSealerTest, ALatePublicationLacksNothingThatWasDropped) {
  ASSERT_TRUE(is_good(put_at(a, {1})));
  live(10'000);  // W is above it
  bool once = true;
  cluster.rows.before_write([&](const MemoryRows::Change& change) {
    if (&change.table != &cluster.tables.message_slots || !std::exchange(once, false)) return Status();
    // The row is about to be published by b; a has drawn before, and reads and drops everything now.
    EXPECT_TRUE(put_at(a, {2}));
    live(kHourUs / 4000);
    EXPECT_TRUE(a.message_sealer.seal("t", slot));
    live(MessageSealer::kHotKeptMs);
    EXPECT_TRUE(a.message_sealer.drop("t", slot));
    EXPECT_EQ(size(cluster.tables.messages), 0U);
    return Status();
  });
  ASSERT_TRUE(b.message_sealer.seal("t", slot));
  cluster.rows.before_write([](const MemoryRows::Change&) { return Status(); });
  EXPECT_FALSE(once);
  EXPECT_EQ(texts(a), (Texts{"1", "2"})) << "a's version is the later one: b's row is not seen";
}

// The same with the later version late, from one whose watermark is behind: a drops what b's publication has to name.
TEST_F(MessageSealerTest, TheLaterVersionHasWhatTheEarlierOneDropped) {
  live(5000);
  const model::Timestamp opened = cluster.clock.now_ms();
  ASSERT_TRUE(is_good(put_at(a, {1})));
  live(kHotBucketUs / 1000 - 10'000);
  cluster.clock.advance_ms(7000);
  ASSERT_TRUE(is_good(put_at(a, {2})));  // into the same bucket
  cluster.clock.advance_ms(opened + kHotBucketUs / 1000 + 500 - cluster.clock.now_ms());
  ASSERT_TRUE(b.watermark.renew());  // has an old row of a's before it
  ASSERT_TRUE(a.watermark.renew());
  ASSERT_LT(*b.watermark.value(), *a.watermark.value() - 3'000'000);

  std::promise<void> reached, go_on;
  std::atomic<bool> first_read = true;
  std::thread late;
  cluster.rows.before_write([&](const MemoryRows::Change& change) {
    if (&change.table != &cluster.tables.message_slots || std::this_thread::get_id() != late.get_id()) return Status();
    reached.set_value();
    go_on.get_future().wait();
    return Status();
  });
  cluster.rows.before_read([&](const RowRead& read) {
    if (read.table != &cluster.tables.message_buckets || !first_read.exchange(false)) return Status();
    // a has taken W and drawn. b takes and draws after it, and reads all.
    std::promise<void> known;
    late = std::thread([&] {
      known.get_future().wait();
      EXPECT_TRUE(b.message_sealer.seal("t", slot));
    });
    known.set_value();
    reached.get_future().wait();
    return Status();
  });
  ASSERT_TRUE(a.message_sealer.seal("t", slot));
  EXPECT_TRUE(sealed(a).beyond.empty());
  cluster.clock.advance_ms(MessageSealer::kHotKeptMs);
  EXPECT_TRUE(a.message_sealer.drop("t", slot));
  EXPECT_EQ(size(cluster.tables.messages), 0U);
  EXPECT_EQ(texts(a), (Texts{"1", "2"}));
  const std::int64_t version = sealed(a).version;
  go_on.set_value();
  late.join();
  EXPECT_GT(sealed(a).version, version) << "b's is the later one";
  EXPECT_EQ(texts(a), (Texts{"1", "2"}));
}

// b has read before the mark of a's delete stood, and a dies before it seals: what b publishes nobody sees, and the
// next sealing takes it away.
TEST_F(MessageSealerTest, ASealerThatDidNotKnowOfADeleteBringsNothingBack) {
  ASSERT_TRUE(is_good(put_at(a, {1, 2, 3})));
  live(10'000);
  const auto two = message::Condition::of(*message::make_term(message::Column::text, {}, message::Op::equal, "2"));
  bool once = true;
  cluster.rows.before_write([&](const MemoryRows::Change& change) {
    if (&change.table != &cluster.tables.message_slots || !std::exchange(once, false)) return Status();
    a.rows.kill_after(1, true);
    EXPECT_FALSE(a.message_eraser.erase("t", begin_us, begin_us + 10, two, {})) << "it dies before it seals";
    EXPECT_EQ(size(cluster.tables.message_erasures), 1U);
    EXPECT_EQ(texts(b), (Texts{"1", "3"})) << "hot";
    return Status();
  });
  ASSERT_TRUE(b.message_sealer.seal("t", slot));
  cluster.rows.before_write([](const MemoryRows::Change&) { return Status(); });
  EXPECT_FALSE(once);
  EXPECT_EQ(sealed(b).blocks.at(0).messages, 3U);
  EXPECT_EQ(texts(b), (Texts{"1", "3"}));
  EXPECT_EQ(*b.message_eraser.erase("t", begin_us, begin_us + 10, two, {}), 0U) << "it is done; what is left is sealed";
  EXPECT_EQ(sealed(b).blocks.at(0).messages, 2U);
  EXPECT_EQ(find(b).blocks, 1U);
  EXPECT_EQ(texts(b), (Texts{"1", "3"}));
  ASSERT_TRUE(is_good(put_at(b, {2})));
  EXPECT_EQ(texts(b), (Texts{"1", "2", "3"})) << "what comes later is not meant";
  ASSERT_TRUE(b.message_sealer.seal("t", slot));
  EXPECT_EQ(texts(b), (Texts{"1", "2", "3"}));
}

TEST_F(MessageSealerTest, WhoTakesTooLongPublishesNothing) {
  ASSERT_TRUE(is_good(put_at(a, {1})));
  live(10'000);
  bool once = true;
  cluster.rows.before_write([&](const MemoryRows::Change& change) {
    if (&change.table == &cluster.tables.message_blocks && std::exchange(once, false)) {
      live(MessageSealer::kPublishWithinMs + 1000);
    }
    return Status();
  });
  EXPECT_FALSE(a.message_sealer.seal("t", slot));
  cluster.rows.before_write([](const MemoryRows::Change&) { return Status(); });
  EXPECT_EQ(size(cluster.tables.message_slots), 0U);
  EXPECT_EQ(texts(b), Texts{"1"});
}

// A process that dies after so many rows of sealing: what stands is complete, and another one goes on.
TEST_F(MessageSealerTest, DyingWhileItSealsLosesNothing) {
  for (std::size_t rows = 0; rows < 6; ++rows) {
    SCOPED_TRACE(rows);
    const std::string text = std::to_string(rows);
    ASSERT_TRUE(is_good(put_at(b, {static_cast<std::int64_t>(rows)})));
    live(kSlotMs + quiet);
    cluster.rows.fail_writes_after(rows);
    std::ignore = b.turns();
    cluster.rows.let_write();
    EXPECT_EQ(texts(a).size(), rows + 1);
    EXPECT_EQ(texts(a).back(), text);
  }
  seal(a);
  EXPECT_EQ(texts(b).size(), 6U);
}

TEST_F(MessageSealerTest, AQueryThatIsTooSlowIsToldSo) {
  ASSERT_TRUE(is_good(put_at(a, {1})));
  const auto parts = a.message_reader.parts("t", begin_us, begin_us + 10);
  ASSERT_TRUE(parts && parts->size() == 1);
  seal(a);
  EXPECT_TRUE(parts->at(0).read(begin_us, begin_us + 10)) << "there is some time";
  live(MessageSealer::kHotKeptMs);
  drop(a);
  const auto late = parts->at(0).read(begin_us, begin_us + 10);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::unavailable);
}

TEST_F(MessageSealerTest, DamageIsSetAsideAndAnswersFail) {
  ASSERT_TRUE(is_good(put_at(a, {1})));
  ASSERT_TRUE(is_good(put_at(a, {2}, "other")));
  std::vector<RowWrite> bad;
  const std::vector<std::string> values{"head", "value"};
  EXPECT_TRUE(cluster.rows.read_all(cluster.tables.messages, values, [&](const RowView& row) -> Status {
    if (row.cells[0] != "t") return {};
    Cells partition(row.cells.begin(), row.cells.begin() + 4);
    std::string value(row.cells[6]);
    value.back() = static_cast<char>(value.back() ^ 1);
    bad.push_back({&cluster.tables.messages,
                   partition,
                   {std::string(row.cells[4])},
                   {std::string(row.cells[5]), value},
                   std::int64_t{1} << 60,
                   0});
    return {};
  }));
  ASSERT_EQ(bad.size(), 1U);
  ASSERT_TRUE(cluster.rows.write_now(bad));
  ASSERT_TRUE(find(b).error);
  live(kSlotMs + quiet);
  ASSERT_TRUE(a.turns());
  EXPECT_EQ(a.message_worker.set_aside()->size(), 1U);
  EXPECT_EQ(find(b, "other").blocks, 1U) << "others go on";
}

TEST_F(MessageSealerTest, LargeSlotsAreMergedByStretchesOfTime) {
  std::vector<TestMessage> want;
  for (int request = 0; request < 20; ++request) {
    std::vector<TestMessage> messages;
    messages.reserve(200);
    for (int i = 0; i < 200; ++i) {
      messages.push_back({begin_us + (request * 7919 + i * 104'729) % 1'000'000, std::string(200, 'x')});
    }
    ASSERT_TRUE(is_good(put(request % 2 == 0 ? a : b, messages)));
    want.insert(want.end(), messages.begin(), messages.end());
  }
  const auto slots = a.message_tables.read("t", begin_us, begin_us + kHourUs - 1);
  ASSERT_TRUE(slots);
  MessageMerge merge(a.message_tables, a.rows, "t", slot, 5, 0, 100'000);
  const auto blocks = merge.merge(slots->at(0).hot, {});
  ASSERT_TRUE(blocks);
  std::size_t messages = 0;
  std::int64_t last = -1;
  for (const SealedBlock& block : *blocks) {
    EXPECT_GT(block.first_us, last) << "stretches do not overlap";
    last = block.last_us;
    messages += block.messages;
  }
  EXPECT_EQ(messages, want.size());
  MessageMerge again(a.message_tables, a.rows, "t", slot, 6, 0, 150'000);
  const auto merged = again.merge({}, *blocks);
  ASSERT_TRUE(merged);
  messages = 0;
  for (const SealedBlock& block : *merged) messages += block.messages;
  EXPECT_EQ(messages, want.size());
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
