// SPDX-License-Identifier: Apache-2.0
// Messages in the log and in the head.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/rocksdb/head/message_record.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/messages.h"
#include "message/builder.h"

namespace varve::engine::rocksdb {
namespace {

using testing::SeenMessage;

constexpr std::int64_t kHourUs = 3'600'000'000;
constexpr std::int64_t kBeginUs = 472'222 * kHourUs;

class MessagesTest : public ::testing::Test {
 protected:
  MessagesTest() : engine_(options()) {}

  Options options() {
    Options options;
    options.path = directory_.path() + "/data";
    return options;
  }
  Store& store() { return engine_.store(); }
  void restart() { engine_.restart(); }

  // A message's text says when it is: "0", "1" … behind the beginning.
  Status put(std::string_view tenant, const std::vector<std::int64_t>& times_us) {
    std::vector<SeenMessage> messages;
    for (const auto time : times_us) messages.push_back({kBeginUs + time, 0, std::to_string(time), ""});
    return testing::put_messages(store(), tenant, messages);
  }
  // In order of arrival.
  std::vector<SeenMessage> seen(std::string_view tenant, std::int64_t first = -kHourUs * 100,
                                std::int64_t last = kHourUs * 100) {
    auto out = testing::messages_of(store(), tenant, kBeginUs + first, kBeginUs + last);
    std::ranges::sort(out, {}, &SeenMessage::arrival);
    return out;
  }
  std::vector<std::string> texts(std::string_view tenant) {
    std::vector<std::string> out;
    for (const SeenMessage& one : seen(tenant)) out.push_back(one.text);
    return out;
  }

  testing::TemporaryDirectory directory_;
  testing::RocksdbEngine engine_;
};

TEST_F(MessagesTest, AreSeenWhenTheyAreAcknowledged) {
  EXPECT_TRUE(texts("t").empty());
  ASSERT_TRUE(put("t", {5, 3}));
  ASSERT_TRUE(put("t", {4}));
  EXPECT_EQ(texts("t"), (std::vector<std::string>{"5", "3", "4"}));
}

TEST_F(MessagesTest, ARestartKeepsThemAndTheirOrder) {
  ASSERT_TRUE(put("t", {5, 3, kHourUs * 2, -kHourUs}));
  ASSERT_TRUE(put("other", {1}));
  ASSERT_TRUE(put("t", {4}));
  const auto before = seen("t");
  restart();
  const auto after = seen("t");
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].text, before[i].text);
    EXPECT_EQ(after[i].arrival, before[i].arrival);
  }
  ASSERT_TRUE(put("t", {9}));
  EXPECT_EQ(texts("t").back(), "9");
  EXPECT_EQ(texts("other"), std::vector<std::string>{"1"});
}

TEST_F(MessagesTest, TenantsAreApart) {
  ASSERT_TRUE(put("a", {1}));
  ASSERT_TRUE(put("b", {2}));
  EXPECT_EQ(texts("a"), std::vector<std::string>{"1"});
  EXPECT_EQ(texts("b"), std::vector<std::string>{"2"});
  EXPECT_TRUE(texts("c").empty());
}

TEST_F(MessagesTest, PartsAreOfTheTimeThatIsAsked) {
  ASSERT_TRUE(put("t", {0, 10, kHourUs, kHourUs * 2}));
  EXPECT_EQ(seen("t", 0, 10).size(), 2U);
  EXPECT_EQ(seen("t", kHourUs, kHourUs).size(), 1U);
  EXPECT_EQ(seen("t", 11, kHourUs - 1).size(), 0U);
  EXPECT_EQ(seen("t", 5, 6).size(), 2U);  // a part may hold others, too
  EXPECT_EQ(seen("t", 6, 5).size(), 0U);
}

TEST_F(MessagesTest, LargeOnesAndManyInOneRequest) {
  std::vector<std::int64_t> times(20'000);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<std::int64_t>(i);
  ASSERT_TRUE(put("t", times));
  message::Batch batch;
  message::Builder builder(batch);
  builder.start();
  const std::string text(message::kTextBytesMax, 'x');
  ASSERT_TRUE(builder.set(message::Column::text, text));
  builder.finish(kBeginUs);
  store().append_messages("t", batch, [](const Status& status) { EXPECT_TRUE(status); });
  restart();
  const auto all = texts("t");
  ASSERT_EQ(all.size(), times.size() + 1);
  EXPECT_EQ(all[19'999], "19999");
  EXPECT_EQ(all.back(), text);
}

TEST_F(MessagesTest, AFlushMovesThemIntoTheDatabase) {
  std::vector<std::int64_t> times;
  for (std::int64_t i = 0; i < 30'000; ++i) times.push_back((i * 7919) % 30'000 * 1'000'000);  // over nine hours
  ASSERT_TRUE(put("t", times));
  ASSERT_TRUE(put("other", {1}));
  const auto before = seen("t");
  ASSERT_EQ(before.size(), times.size());
  ASSERT_TRUE(store().settle());
  EXPECT_GT(store().storage_bytes().message, 0U);
  const auto same = [&] {
    const auto after = seen("t");
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      ASSERT_EQ(after[i].text, before[i].text);
      ASSERT_EQ(after[i].arrival, before[i].arrival);
    }
  };
  same();
  restart();
  same();
  EXPECT_EQ(texts("other"), std::vector<std::string>{"1"});
  // Only those pieces are read that the time needs.
  EXPECT_LT(seen("t", 0, 1'000'000).size(), 3'601U);
  EXPECT_GE(seen("t", 0, 1'000'000).size(), 2U);
  ASSERT_TRUE(put("t", {3}));
  EXPECT_EQ(texts("t").back(), "3");
  EXPECT_EQ(seen("t").size(), before.size() + 1);
}

TEST_F(MessagesTest, SamplesAndMessagesShareLogAndFlush) {
  auto& engine = engine_;
  const auto tenant = store().tenant("t");
  const std::string_view metric = "m";
  const auto group = store().define_group(*tenant, {{"host", "a"}}, {&metric, 1});
  ASSERT_TRUE(group);
  model::RowBatch rows;
  model::LineGroup line;
  line.id = *group;
  line.count = 1;
  rows.add(line, kBeginUs / 1000, model::Value::of_long(1));
  engine.samples().append(rows, [](const Status& status) { EXPECT_TRUE(status); });
  ASSERT_TRUE(put("t", {1}));
  restart();
  ASSERT_TRUE(store().settle());
  restart();
  EXPECT_EQ(texts("t"), std::vector<std::string>{"1"});
  const auto stats = store().series_stats(*tenant, *store().select(*tenant, "m", {}));
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->at(0).points, 1U);
}

TEST(MessageRecord, SaysWhoseMessagesTheyAre) {
  const std::vector<std::byte> rows(3, std::byte{7});
  const auto bytes = encode_messages(model::TenantId{9}, "tenant", rows);
  ASSERT_TRUE(holds_messages(bytes));
  const MessageRecord record = decode_messages(bytes);
  EXPECT_EQ(record.tenant, model::TenantId{9});
  EXPECT_EQ(record.name, "tenant");
  EXPECT_TRUE(std::ranges::equal(record.rows, rows));
  EXPECT_FALSE(whole_messages(record.rows));
  EXPECT_FALSE(holds_messages(rows));
  // Cut short in its name: nothing is left of it.
  EXPECT_EQ(decode_messages(std::span(bytes).first(kMessageHeadBytes + 2)).name, "");
}

}  // namespace
}  // namespace varve::engine::rocksdb
