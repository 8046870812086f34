// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/known_lengths.h"

#include <gtest/gtest.h>

#include "engine/cassandra/tables/prefix_lengths.h"
#include "engine/cassandra/testing/appender_fixture.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::testing::kDay;
using model::testing::kHour;

HotPiece piece_of(Timestamp slot, unsigned bits, char hash = 'a') {
  return {hash_prefix_of(std::string(kGroupHashBytes, hash), bits), slot, {}};
}

TEST(KnownLengths, EachSlotAndLengthIsWrittenOnceADay) {
  constexpr auto kDaily = KnownLengths::kKnownMs;
  KnownLengths known;
  const model::TenantId tenant{1}, other{2};
  const std::vector<HotPiece> pieces = {piece_of(kHour, 3), piece_of(kHour, 3, 'z'), piece_of(0, 3),
                                        piece_of(kHour, 64)};
  const auto all = known.missing(tenant, pieces, 5);
  ASSERT_EQ(all, (std::vector<KnownLengths::Length>{{tenant, 0, 3}, {tenant, kHour, 3}, {tenant, kHour, 64}}));
  EXPECT_EQ(known.missing(tenant, pieces, 5), all) << "until they stand";
  known.stand(std::span(all).first(2), 5);
  EXPECT_EQ(known.missing(tenant, pieces, 5), (std::vector<KnownLengths::Length>{{tenant, kHour, 64}}));
  known.stand(all, 6);
  known.stand(all, 4);  // it came late
  EXPECT_TRUE(known.missing(tenant, pieces, 5 + kDaily).empty());
  EXPECT_EQ(known.missing(other, pieces, 5).size(), 3U);
  EXPECT_EQ(known.missing(tenant, pieces, 6 + kDaily), all);
}

TEST(KnownLengths, ItIsBounded) {
  KnownLengths known(10);
  const model::TenantId tenant{1};
  std::size_t held = 0;
  for (int slot = 0; slot < 100; ++slot) {
    const HotPiece piece = piece_of(slot * kHour, 3);
    known.stand(known.missing(tenant, {&piece, 1}, 0), 0);
    EXPECT_TRUE(known.missing(tenant, {&piece, 1}, 0).empty());
  }
  for (int slot = 0; slot < 100; ++slot) {
    const HotPiece piece = piece_of(slot * kHour, 3);
    held += known.missing(tenant, {&piece, 1}, 0).empty();
  }
  EXPECT_LE(held, 10U);
}

class PrefixLengthAppendsTest : public AppenderTest {
 protected:
  std::size_t written() { return cluster.rows.counts(cluster.tables.prefix_lengths).rows_written; }
  // So many that their hash prefixes have more bits.
  static void grow(ClusterReplica& replica) {
    for (int i = 0; i < 1025; ++i) replica.group({"cpu"}, "more" + std::to_string(i));
  }
  // What a question reads of the slot: "value of its first sample" of each hot row.
  static std::string read(ClusterReplica& replica, const ClusterReplica::Line& line, Timestamp slot) {
    const GroupRef group = group_ref(replica.series.directory(), line.id);
    const SlotsWanted wanted{&group, {slot, slot + kHour}, {0}, {slot}};
    const auto lists = replica.reader.read({&wanted, 1}, {});
    EXPECT_TRUE(lists) << lists.error().message;
    std::string text;
    for (const SlotData& data : (*lists)[0]) {
      for (const SlotData::Hot& hot : data.hot) {
        text += std::to_string(model::RowView{reinterpret_cast<const std::byte*>(hot.rows.data())}.value(0).as_long());
      }
    }
    return text;
  }
};

TEST_F(PrefixLengthAppendsTest, ItIsWrittenWithTheFirstRow) {
  const auto line = a.group({"cpu"}, "h");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(is_good(a.append(line, now, i)));
  EXPECT_EQ(written(), 1U);
  ASSERT_TRUE(is_good(a.append(line, now - kHour, 5)));
  EXPECT_EQ(written(), 2U) << "another slot";
  cluster.clock.advance_ms(1);
  ASSERT_TRUE(is_good(b.append(b.group({"cpu"}, "h"), now, 7)));
  EXPECT_EQ(written(), 3U) << "another process";
  cluster.clock.advance_ms(kDay);
  ASSERT_TRUE(is_good(a.append(line, now, 4)));
  EXPECT_EQ(written(), 4U) << "the row must outlive what comes now";
  EXPECT_EQ(read(b, b.group({"cpu"}, "h"), now), "01274");
}

// Until it stands nothing is written that relies on it, whoever sends it again.
TEST_F(PrefixLengthAppendsTest, ItIsRememberedWhenItStands) {
  const auto line = a.group({"cpu"}, "h");
  cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table == &cluster.tables.prefix_lengths) return fail(Code::timeout, "slow");
    return {};
  });
  EXPECT_EQ(code_of(a.append(line, now, 1)), Code::timeout);
  EXPECT_EQ(pending(a), 0U);
  EXPECT_EQ(size(cluster.tables.raw), 0U) << "it would be found much later";
  cluster.rows.before_write({});
  ASSERT_TRUE(is_good(a.append(line, now, 2)));
  EXPECT_EQ(read(b, b.group({"cpu"}, "h"), now), "2");
}

TEST_F(PrefixLengthAppendsTest, WhereALengthIsKnownOthersAreNotAskedFor) {
  const auto line = a.group({"cpu"}, "h");
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  cluster.rows.reset_counts();
  EXPECT_EQ(read(a, line, now), "1");
  EXPECT_EQ(cluster.rows.counts(cluster.tables.raw).reads, 1U);
  EXPECT_EQ(read(a, line, now - kHour), "");
  EXPECT_EQ(cluster.rows.counts(cluster.tables.raw).reads, 1U) << "nothing came for that slot";
}

TEST_F(PrefixLengthAppendsTest, ATenantMayGrow) {
  const auto line = a.group({"cpu"}, "h");
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  grow(a);
  ASSERT_TRUE(is_good(a.append(line, now, 2)));
  EXPECT_EQ(written(), 2U);
  cluster.clock.advance_ms(1);
  ASSERT_TRUE(is_good(b.append(b.group({"cpu"}, "h"), now, 3)));  // which knows few of them
  EXPECT_EQ(read(b, b.group({"cpu"}, "h"), now), "123");
}

// A row of another copy than the one that is read may stand without its length.
TEST_F(PrefixLengthAppendsTest, WhereReadsMissWritesAllAreAskedFor) {
  const auto line = a.group({"cpu"}, "h");
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  const GroupRef group = group_ref(a.series.directory(), line.id);
  const SlotReader reader(cluster.rows, cluster.tables, cluster.schema, kHour, false);
  const RowWrite row = prefix_length_write(cluster.tables, "t", now, kHour, 3, 1, now);
  ASSERT_TRUE(cluster.rows.erase_now({{row.table, row.partition, row.clustering, INT64_MAX}}));
  EXPECT_EQ(read(a, line, now), "");
  const std::vector<Timestamp> slots = {now};
  EXPECT_EQ(reader.last_arrivals(group, slots, {})->size(), 1U);
  EXPECT_EQ(a.reader.last_arrivals(group, slots, {})->size(), 0U);
}

TEST_F(PrefixLengthAppendsTest, ALengthThatCannotBeReadIsNoEmptySlot) {
  const auto line = a.group({"cpu"}, "h");
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  cluster.rows.before_read([&](const RowRead& read) -> Status {
    if (read.table == &cluster.tables.prefix_lengths) return fail(Code::timeout, "slow");
    return {};
  });
  cluster.clock.advance_ms(2 * kHour);
  EXPECT_FALSE(a.turns());
  EXPECT_EQ(pending(a), 1U);
  const std::vector<Timestamp> slots = {now};
  EXPECT_FALSE(a.reader.last_arrivals(group_ref(a.series.directory(), line.id), slots, {}));
  cluster.rows.before_read({});
  ASSERT_TRUE(a.turns());
  EXPECT_EQ(pending(a), 0U);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
