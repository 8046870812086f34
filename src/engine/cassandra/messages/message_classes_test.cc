// SPDX-License-Identifier: Apache-2.0
// Classes of messages in the cluster: blocks do not mix them, and each has its own time.
#include <algorithm>
#include <set>

#include "engine/cassandra/messages/message_owner.h"
#include "engine/cassandra/testing/cluster.h"
#include "storage/testing/message_fixture.h"

namespace varve::engine::cassandra::testing {
namespace {

constexpr std::int64_t kClassHourMs = Cluster::kSlotMs;
constexpr std::int64_t kClassDayMs = 24 * kClassHourMs;

message::ClassRule class_by_text(std::string name, std::int64_t retention_ms, std::string text) {
  return {.name = std::move(name),
          .retention_ms = retention_ms,
          .column = message::Column::text,
          .value = std::move(text),
          .is_prefix = true};
}

class MessageClassesTest : public ::testing::Test {
 protected:
  using Texts = std::vector<std::string>;

  void put(ClusterReplica& replica, const Texts& texts) {
    if (!replica.watermark.has_lease()) std::ignore = replica.watermark.renew();
    message::Batch batch;
    for (const std::string& text : texts) {
      storage::testing::add_message(batch, {(cluster.clock.now_ms() - kClassHourMs) * 1000, text});
    }
    std::optional<Status> told;
    replica.message_appender.append("t", batch, [&](Status status) { told = std::move(status); });
    ASSERT_TRUE(told && *told);
  }
  void pass(std::int64_t ms) {
    for (; ms > 0; ms -= Watermark::kLeaseMs) {
      cluster.clock.advance_ms(std::min(ms, Watermark::kLeaseMs));
      for (ClusterReplica* const replica : {&a, &b}) ASSERT_TRUE(replica->watermark.renew());
    }
  }
  // Of each part the texts, sorted.
  std::vector<Texts> parts(const MessageReader& reader) {
    constexpr std::int64_t kFar = 10'000 * kClassDayMs * 1000;
    const std::int64_t now_us = cluster.clock.now_ms() * 1000;
    const auto found = reader.parts("t", now_us - kFar, now_us + kFar);
    EXPECT_TRUE(found);
    std::vector<Texts> out;
    for (const auto& part : *found) {
      blocks += part.block != nullptr ? 1 : 0;
      const auto rows = storage::testing::PartRows::read(part, part.first_us, part.last_us);
      EXPECT_TRUE(rows);
      Texts& texts = out.emplace_back();
      for (const auto row : rows->rows()) texts.push_back(storage::testing::test_message(row).text);
      std::ranges::sort(texts);
    }
    std::ranges::sort(out);
    return out;
  }
  std::vector<Texts> parts() { return parts(b.message_reader); }

  Cluster cluster{ClusterOptions{
      .message_retention_ms = 3 * kClassDayMs,
      .message_rules = {class_by_text("audit", 9 * kClassDayMs, "a"), class_by_text("brief", kClassDayMs, "b")}}};
  ClusterReplica a{cluster, 1}, b{cluster, 2};
  std::size_t blocks = 0;
};

TEST_F(MessageClassesTest, ABlockHoldsOneClass) {
  put(a, {"x1", "a1", "b1", "a2"});
  EXPECT_EQ(parts(), (std::vector<Texts>{{"a1", "a2"}, {"b1"}, {"x1"}}));
  EXPECT_EQ(blocks, 0U);
  pass(kClassHourMs + cluster.options.quiet_ms);
  ASSERT_TRUE(a.turns());
  EXPECT_EQ(parts(), (std::vector<Texts>{{"a1", "a2"}, {"b1"}, {"x1"}}));
  EXPECT_EQ(blocks, 3U);
  pass(MessageSealer::kHotKeptMs);
  ASSERT_TRUE(b.message_worker.drop([] { return true; }));
  EXPECT_EQ(cluster.rows.size(cluster.tables.messages), 0U);
  EXPECT_EQ(cluster.rows.size(cluster.tables.message_buckets), 0U);
  EXPECT_EQ(parts().size(), 3U);
}

TEST_F(MessageClassesTest, EachGoesWhenItsOwnTimeIsOver) {
  put(a, {"a", "b", "x"});
  pass(kClassHourMs + cluster.options.quiet_ms);
  ASSERT_TRUE(a.turns());
  cluster.clock.advance_ms(kClassDayMs);
  EXPECT_EQ(parts(), (std::vector<Texts>{{"a"}, {"x"}}));
  cluster.clock.advance_ms(2 * kClassDayMs);
  EXPECT_EQ(parts(), (std::vector<Texts>{{"a"}}));
  // Rows have the time of their class, and a day: those of the others are gone.
  cluster.clock.advance_ms(2 * kClassDayMs);
  EXPECT_EQ(cluster.rows.size(cluster.tables.message_slots), 1U);
  cluster.clock.advance_ms(6 * kClassDayMs);
  EXPECT_TRUE(parts().empty());
  EXPECT_EQ(cluster.rows.size(cluster.tables.message_slots), 0U);
  EXPECT_EQ(cluster.rows.size(cluster.tables.message_blocks), 0U);
}

// The names of classes stand in the store.
TEST_F(MessageClassesTest, WhatIsStoredStaysReadableWhenTheConfigurationChanges) {
  put(a, {"a", "b", "x"});
  const MessageTables changed(cluster.tables, cluster.rows, kClassHourMs, {class_by_text("new", kClassDayMs, "n")},
                              5 * kClassDayMs);
  const MessageReader reader(cluster.tables, cluster.rows, changed, cluster.clock);
  EXPECT_EQ(parts(reader), (std::vector<Texts>{{"a"}, {"b"}, {"x"}}));
  EXPECT_EQ(changed.owners("t").value(), (Texts{"t", "t/audit", "t/brief", "t/new"}));
  EXPECT_EQ(changed.owners("other").value(), (Texts{"other", "other/new"}));
  const auto names = reader.names("t");
  ASSERT_TRUE(names);
  EXPECT_TRUE(names->fields.empty() && names->object_types.empty());
}

TEST(MessageOwner, Names) {
  EXPECT_EQ(message_owner("t", ""), "t");
  EXPECT_EQ(message_owner("t", "audit"), "t/audit");
  EXPECT_EQ(tenant_of_owner("t/audit"), "t");
  EXPECT_EQ(class_of_owner("t/audit"), "audit");
  EXPECT_EQ(tenant_of_owner("t"), "t");
  EXPECT_EQ(class_of_owner("t"), "");
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
