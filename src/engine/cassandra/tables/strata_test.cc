// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/strata.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "engine/cassandra/tables/cell.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra {
namespace {

using model::TimeRange;
using model::Timestamp;
using model::testing::kDay;
using model::testing::kHour;

constexpr Timestamp kDayStart = 20'000 * kDay;
constexpr ChunkFields kAll{.chunk = true, .stats = true};

class StrataTest : public ::testing::Test {
 protected:
  const GroupCells group{"acme", std::string(16, 'g')};
  SchemaOptions schema = [] {
    SchemaOptions options;
    options.raw_retention_ms = 90 * kDay;
    return options;
  }();
  Tables tables{schema};
  ChunkTable table = sealed_table(tables, schema, kHour);

  static ChunkWrite slot(std::int64_t hour, std::size_t bytes = 10, std::int64_t version = 5) {
    const Timestamp start = kDayStart + hour * kHour;
    return {start,
            0,
            std::string(bytes, static_cast<char>('a' + hour % 24)),
            {version, {{start + 1, start + 2, 2, 2}, {}}},
            {}};
  }
  std::vector<RowWrite> written(const std::vector<ChunkWrite>& slots, Timestamp now = kDayStart + kDay) const {
    std::vector<RowWrite> rows;
    add_sealed(rows, table, group, slots, now);
    return rows;
  }
  static std::vector<ChunkWrite> slots(std::int64_t from, std::int64_t until, std::size_t bytes = 10) {
    std::vector<ChunkWrite> list;
    for (std::int64_t hour = from; hour < until; ++hour) list.push_back(slot(hour, bytes));
    return list;
  }
  // "hour:chunk …" of a row; nullopt: an error.
  std::optional<std::string> read(const RowWrite& row, TimeRange range, const ChunkFields& fields = kAll) const {
    std::vector<std::string_view> cells = {row.clustering[0]};
    if (fields.chunk) cells.push_back(row.values[0]);
    cells.push_back(row.values[1]);
    std::string text;
    const Status status = for_each_slot(table, {cells}, fields, range, [&](const SealedSlotRow& one) -> Status {
      EXPECT_EQ(one.stats.version, row.timestamp_us);
      EXPECT_EQ(one.stats.series, (std::vector<storage::SeriesStats>{{one.slot + 1, one.slot + 2, 2, 2}, {}}));
      text += std::to_string((one.slot - kDayStart) / kHour) + ":" + std::string(one.chunk) + " ";
      return {};
    });
    EXPECT_TRUE(status || status.error().code == Code::corrupt);
    return status ? std::optional(text) : std::nullopt;
  }
};

TEST_F(StrataTest, ManySlotsOfADayAreOneRow) {
  const auto rows = written(slots(0, 24, 1));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].timestamp_us, 5);
  EXPECT_EQ(*read(rows[0], {kDayStart, kDayStart + kDay}),
            "0:a 1:b 2:c 3:d 4:e 5:f 6:g 7:h 8:i 9:j 10:k 11:l 12:m 13:n 14:o 15:p 16:q 17:r 18:s 19:t 20:u 21:v 22:w "
            "23:x ");
  EXPECT_EQ(*read(rows[0], {kDayStart + 2 * kHour - 1, kDayStart + 3 * kHour + 1}), "1:b 2:c 3:d ");
  EXPECT_EQ(*read(rows[0], {kDayStart + kHour, kDayStart + 2 * kHour}, {.chunk = false, .stats = true}), "1: ");
  EXPECT_EQ(*read(rows[0], {kDayStart - kHour, kDayStart}), "");
}

TEST_F(StrataTest, FewSlotsAreRowsOfTheirOwn) {
  EXPECT_EQ(written(slots(3, 8)).size(), 5U);
  EXPECT_EQ(written(slots(3, 9)).size(), 1U);
  // Days and gaps separate them.
  EXPECT_EQ(written(slots(21, 27)).size(), 6U);
  EXPECT_EQ(written(slots(18, 30)).size(), 2U);
  auto gap = slots(0, 12);
  gap.erase(gap.begin() + 5);
  EXPECT_EQ(written(gap).size(), 5U + 1U);
  const auto single = written(slots(7, 8));
  EXPECT_EQ(*read(single[0], {kDayStart, kDayStart + kDay}), "7:hhhhhhhhhh ");
  EXPECT_EQ(*read(single[0], {kDayStart, kDayStart + 7 * kHour}), "");
}

TEST_F(StrataTest, LargeSlotsAreNot) {
  EXPECT_EQ(written(slots(0, 24, kStratumBytesMax / 12)).size(), 2U);
  EXPECT_EQ(written(slots(0, 24, kStratumBytesMax / 4)).size(), 24U);
}

TEST_F(StrataTest, EachRunHasAKeyOfItsOwnBehindTheSlots) {
  std::set<std::string> keys;
  std::size_t runs = 0;
  for (std::int64_t first = 0; first < 24; ++first) {
    for (std::int64_t end = first + static_cast<std::int64_t>(kStratumSlotsMin); end <= 24; ++end, ++runs) {
      const auto rows = written(slots(first, end, 1));
      ASSERT_EQ(rows.size(), 1U);
      const Timestamp key = *timestamp_of(rows[0].clustering[0]);
      EXPECT_GT(key, kDayStart + 23 * kHour);
      EXPECT_LT(key, kDayStart + kDay);
      keys.insert(rows[0].clustering[0]);
      const std::string begin = std::to_string(first) + ":";
      EXPECT_TRUE(read(rows[0], {kDayStart, kDayStart + kDay})->starts_with(begin));
    }
  }
  EXPECT_EQ(keys.size(), runs);
  EXPECT_EQ(*keys.rbegin(), written(slots(0, 24))[0].clustering[0]) << "the longest is the last";
}

TEST_F(StrataTest, AllOfADayExpiresTogether) {
  const Timestamp now = kDayStart + 2 * kDay;
  const auto stratum = written(slots(0, 24), now), single = written(slots(0, 1), now);
  EXPECT_EQ(stratum[0].ttl_s, 90 * 86'400U);  // a day, and the day for clocks that differ
  EXPECT_EQ(single[0].ttl_s, stratum[0].ttl_s);
}

TEST_F(StrataTest, NoneWhereSamplesGoSoon) {
  schema.raw_retention_ms = 6 * kDay;
  table = sealed_table(tables, schema, kHour);
  EXPECT_EQ(written(slots(0, 24), kDayStart).size(), 24U);
  EXPECT_EQ(written(slots(0, 1), kDayStart)[0].ttl_s, (7 * kDay + kHour) / 1000);
  schema.raw_retention_ms = 90 * kDay;
  table = sealed_table(tables, schema, kHour);
  std::vector<RowWrite> rows;
  add_sealed(rows, table, {"acme", std::string(16, 'g'), 7 * 86'400}, slots(0, 24), kDayStart);
  EXPECT_EQ(rows.size(), 24U) << "the group's samples have a TTL";
}

TEST_F(StrataTest, AReadOfASlotHasTheStrataOfItsDay) {
  std::vector<RowRead> reads;
  add_reads(reads, table, group, 0, {kDayStart + 3 * kHour, kDayStart + 4 * kHour}, kAll);
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(reads[0].from, timestamp_cell(kDayStart + 3 * kHour));
  EXPECT_EQ(reads[0].until.value_or(timestamp_cell(kDayStart + kDay)), timestamp_cell(kDayStart + kDay));
}

TEST_F(StrataTest, WhatIsNoStratumIsRefused) {
  const RowWrite good = written(slots(0, 8))[0];
  const TimeRange day{kDayStart, kDayStart + kDay};
  ASSERT_TRUE(read(good, day));
  for (const Timestamp key : {kDayStart + 1, kDayStart + 23 * kHour + 1, kDayStart + kDay - 1, kDayStart + kHour / 2,
                              kDayStart + 23 * kHour + 7 * 24 + 17, kDayStart + 23 * kHour + 6 * 24}) {
    RowWrite bad = good;
    bad.clustering[0] = timestamp_cell(key);
    EXPECT_FALSE(read(bad, day)) << key - kDayStart;
  }
  for (std::size_t size = 0; size < good.values[1].size(); ++size) {
    RowWrite cut = good;
    cut.values[1].resize(size);
    EXPECT_FALSE(read(cut, day)) << size;
  }
  RowWrite longer = good;
  longer.values[0] += 'x';
  EXPECT_FALSE(read(longer, day));
  RowWrite shorter = good;
  shorter.values[0].pop_back();
  EXPECT_FALSE(read(shorter, day));
}

}  // namespace
}  // namespace varve::engine::cassandra
