// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/prefix_lengths.h"

#include <gtest/gtest.h>

#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/hot_rows.h"
#include "engine/cassandra/tables/testing/memory_rows.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra {
namespace {

using model::Timestamp;
using model::testing::kDay;
using model::testing::kHour;
using Lengths = std::vector<unsigned>;

constexpr std::int64_t kPartitionMs = 168 * kHour;  // a partition

class PrefixLengthsTest : public ::testing::Test {
 protected:
  ManualClock clock{100 * kPartitionMs};
  Tables tables{SchemaOptions{"k", "SimpleStrategy:1", kHour, 30 * kDay, {}, 64, rollup::kForEver, {}}};
  testing::MemoryRows rows{clock};
  const Timestamp now = clock.now_ms();

  void put(const std::string& tenant, Timestamp slot, unsigned bits, std::int64_t us = 1) {
    ASSERT_TRUE(rows.write_now({prefix_length_write(tables, tenant, slot, kHour, bits, us, clock.now_ms())}));
  }
  // Of the slots of "t".
  std::vector<Lengths> read(const std::vector<Timestamp>& slots, Status* status = nullptr) {
    PrefixLengthReads lengths(tables, kHour);
    for (const Timestamp slot : slots) lengths.add("t", slot);
    const Status read =
        rows.read(lengths.reads(), {}, [&](std::size_t at, const RowView& view) { return lengths.row(at, view); });
    if (status != nullptr) *status = read;
    std::vector<Lengths> list;
    for (const Timestamp slot : slots) {
      const auto of = lengths.of("t", slot);
      list.emplace_back(of.begin(), of.end());
    }
    return list;
  }
};

TEST_F(PrefixLengthsTest, ARowIsAsItIsDocumented) {
  const RowWrite row = prefix_length_write(tables, "t", now + 5 * kHour, kHour, 68, 7, now);
  EXPECT_EQ(row.table->name, "prefix_lengths_p_pt1h");
  EXPECT_EQ(row.partition, (Cells{"t", timestamp_cell(now)}));
  EXPECT_EQ(row.clustering, (Cells{timestamp_cell(now + 5 * kHour), smallint_cell(68)}));
  EXPECT_TRUE(row.values.empty());
  EXPECT_EQ(row.timestamp_us, 7);
}

TEST_F(PrefixLengthsTest, EachSlotHasItsOwn) {
  put("t", now, 128);
  put("t", now, 3);
  put("t", now + kHour, 64);
  put("t", now - kHour, 5);  // another partition
  put("u", now + 2 * kHour, 72);
  EXPECT_EQ(read({now - kHour, now, now + kHour, now + 2 * kHour}), (std::vector<Lengths>{{5}, {3, 128}, {64}, {}}));
  EXPECT_EQ(read({now + kHour}), (std::vector<Lengths>{{64}})) << "nothing else is found";
}

TEST_F(PrefixLengthsTest, SlotsOfAPartitionAreOneRead) {
  PrefixLengthReads lengths(tables, kHour);
  for (int hour = 0; hour < 24; ++hour) {
    for (int group = 0; group < 9; ++group) lengths.add("t", now + hour * kHour);
  }
  lengths.add("t", now - kHour);
  lengths.add("u", now);
  EXPECT_EQ(lengths.reads().size(), 3U);
}

// Hot rows that rely on it are written for a day yet, and may be written late.
TEST_F(PrefixLengthsTest, ItOutlivesTheHotRows) {
  const Timestamp ahead = now + 40 * kDay;
  put("t", now - kDay, 3);
  put("t", ahead, 3);
  clock.advance_ms(kHotKeptMs + kLengthsSlackMs - kHour);
  EXPECT_EQ(read({now - kDay, ahead}), (std::vector<Lengths>{{3}, {3}}));
  clock.advance_ms(2 * kHour);
  EXPECT_EQ(read({now - kDay, ahead}), (std::vector<Lengths>{{}, {3}}));
  clock.advance_ms(40 * kDay - 2 * kHour);
  EXPECT_EQ(read({ahead}), (std::vector<Lengths>{{3}})) << "they live until their slot is sealed";
  clock.advance_ms(3 * kHour);
  EXPECT_EQ(read({ahead}), (std::vector<Lengths>{{}}));
}

TEST_F(PrefixLengthsTest, ALengthThatNobodyWritesIsCorrupt) {
  for (const unsigned bits : {0U, 4U, 129U, 0xffffU}) {
    put("t", now, bits, 1);
    Status status;
    read({now}, &status);
    ASSERT_FALSE(status) << bits;
    EXPECT_EQ(status.error().code, Code::corrupt);
    const RowWrite row = prefix_length_write(tables, "t", now, kHour, bits, 1, now);
    ASSERT_TRUE(rows.erase_now({{row.table, row.partition, row.clustering, 1}}));
  }
}

}  // namespace
}  // namespace varve::engine::cassandra
