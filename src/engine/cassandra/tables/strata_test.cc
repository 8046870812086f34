// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/strata.h"

#include <gtest/gtest.h>

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
constexpr TimeRange kWholeDay{kDayStart, kDayStart + kDay};
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

  static Timestamp at(std::int64_t hour) { return kDayStart + hour * kHour; }
  static std::vector<Timestamp> hours(std::int64_t from, std::int64_t until) {
    std::vector<Timestamp> list;
    for (std::int64_t hour = from; hour < until; ++hour) list.push_back(at(hour));
    return list;
  }
  std::size_t length(const std::vector<Timestamp>& slots) const { return stratum_length(table, group, slots); }
  RowWrite written(std::int64_t from, std::int64_t until, Timestamp now = kDayStart + kDay) const {
    StratumWrite stratum{at(from), 0, "chunk", {5, {}}};
    for (std::int64_t hour = from; hour < until; ++hour) {
      stratum.stats.slots.push_back({{at(hour) + 1, at(hour) + 2, 2, 2}, {}});
    }
    std::vector<RowWrite> rows;
    add_stratum(rows, table, group, stratum, now);
    return rows[0];
  }
  // "hour/group …" of a row; nullopt: it is corrupt.
  std::optional<std::string> read(const RowWrite& row, TimeRange range, const ChunkFields& fields = kAll) const {
    std::vector<std::string_view> cells = {row.clustering[0]};
    if (fields.chunk) cells.emplace_back(row.values[0]);
    cells.emplace_back(row.values[1]);
    std::string text;
    const Status status = for_each_slot(table, {cells}, fields, range, [&](const SealedSlotRow& one) -> Status {
      EXPECT_EQ(one.chunk, fields.chunk ? "chunk" : "");
      EXPECT_EQ(one.stats.version, row.timestamp_us);
      EXPECT_EQ(one.stats.series, (std::vector<storage::SeriesStats>{{one.slot + 1, one.slot + 2, 2, 2}, {}}));
      text += std::to_string((one.slot - kDayStart) / kHour) + "/" + std::to_string(one.group) + " ";
      return {};
    });
    EXPECT_TRUE(status || status.error().code == Code::corrupt);
    return status ? std::optional(text) : std::nullopt;
  }
};

TEST_F(StrataTest, ARowHasManySlots) {
  const RowWrite row = written(2, 8);
  EXPECT_EQ(row.timestamp_us, 5);
  EXPECT_EQ(*read(row, kWholeDay), "2/0 3/1 4/2 5/3 6/4 7/5 ");
  EXPECT_EQ(*read(row, {at(3) + 5, at(4) + 1}), "3/1 4/2 ");
  EXPECT_EQ(*read(row, {at(4), at(5)}, {.chunk = false, .stats = true}), "4/2 ");
  EXPECT_EQ(*read(row, {at(0), at(2)}), "");
}

TEST_F(StrataTest, ASlotMayBeARowOfItsOwn) {
  std::vector<RowWrite> rows;
  add_write(rows, table, group, {at(7), 0, "chunk", {6, {{at(7) + 1, at(7) + 2, 2, 2}, {}}}, {}}, kDayStart);
  EXPECT_EQ(*read(rows[0], kWholeDay), "7/0 ");
  EXPECT_EQ(*read(rows[0], {at(0), at(7)}), "");
}

TEST_F(StrataTest, SixSlotsOrMoreThatFollowOneAnother) {
  EXPECT_EQ(length(hours(3, 8)), 1U);
  EXPECT_EQ(length(hours(3, 9)), 6U);
  EXPECT_EQ(length(hours(0, 48)), 24U) << "of one day";
  EXPECT_EQ(length(hours(19, 48)), 1U);
  auto gap = hours(0, 20);
  gap.erase(gap.begin() + 7);
  EXPECT_EQ(length(gap), 7U);
  gap.erase(gap.begin() + 3);
  EXPECT_EQ(length(gap), 1U);
}

TEST_F(StrataTest, EachRunHasAKeyOfItsOwnBehindTheSlots) {
  std::set<std::string> keys;
  std::size_t runs = 0;
  for (std::int64_t first = 0; first < 24; ++first) {
    for (std::int64_t end = first + 2; end <= 24; ++end, ++runs) {
      const RowWrite row = written(first, end);
      const Timestamp key = *timestamp_of(row.clustering[0]);
      EXPECT_GT(key, at(23));
      EXPECT_LT(key, at(24));
      keys.insert(row.clustering[0]);
      EXPECT_TRUE(read(row, kWholeDay)->starts_with(std::to_string(first) + "/0 "));
    }
  }
  EXPECT_EQ(keys.size(), runs);
  EXPECT_EQ(*keys.rbegin(), written(0, 24).clustering[0]) << "the longest is the last";
}

TEST_F(StrataTest, AllOfADayExpiresTogether) {
  const Timestamp now = kDayStart + 2 * kDay;
  std::vector<RowWrite> rows;
  add_write(rows, table, group, {at(0), 0, "x", {5, {}}, {}}, now);
  EXPECT_EQ(written(0, 24, now).ttl_s, 90 * 86'400U) << "a day's end, and a day for clocks that differ";
  EXPECT_EQ(rows[0].ttl_s, 90 * 86'400U);
}

TEST_F(StrataTest, NoneWhereSamplesGoSoon) {
  const GroupCells mortal{"acme", std::string(16, 'g'), 7 * 86'400};
  EXPECT_EQ(stratum_length(table, mortal, hours(0, 24)), 1U);
  schema.raw_retention_ms = 6 * kDay;
  table = sealed_table(tables, schema, kHour);
  EXPECT_EQ(length(hours(0, 24)), 1U);
  std::vector<RowWrite> rows;
  add_write(rows, table, group, {at(0), 0, "x", {5, {}}, {}}, kDayStart);
  EXPECT_EQ(rows[0].ttl_s, (7 * kDay + kHour) / 1000);
}

TEST_F(StrataTest, WhatIsNoStratumIsRefused) {
  const RowWrite good = written(0, 8);
  ASSERT_TRUE(read(good, kWholeDay));
  for (const Timestamp key :
       {at(0) + 1, at(23) + 1, at(24) - 1, at(0) + kHour / 2, at(23) + 7 * 24 + 17, at(23) + 6 * 24}) {
    RowWrite bad = good;
    bad.clustering[0] = timestamp_cell(key);
    EXPECT_FALSE(read(bad, kWholeDay)) << key - kDayStart;
  }
  for (std::size_t size = 0; size < good.values[1].size(); ++size) {
    RowWrite cut = good;
    cut.values[1].resize(size);
    EXPECT_FALSE(read(cut, kWholeDay)) << size;
  }
}

}  // namespace
}  // namespace varve::engine::cassandra
