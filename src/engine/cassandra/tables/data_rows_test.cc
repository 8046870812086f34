// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/data_rows.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "engine/cassandra/tables/testing/memory_rows.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra {
namespace {

using model::testing::kDay;
using model::testing::kHour;
constexpr std::int64_t kWeek = 7 * kDay;

class DataRows : public ::testing::Test {
 protected:
  ManualClock clock{10 * kWeek};
  SchemaOptions schema{"k", "SimpleStrategy:1", kHour, 30 * kDay, {{300'000, 90 * kDay}}, 64, rollup::kForEver, {}};
  Tables tables{schema};
  testing::MemoryRows rows{clock};
  const GroupCells group{"acme", std::string(16, 'g')};

  // "start=chunk" of what is read.
  std::string read(const ChunkTable& table, model::TimeRange range, unsigned column_shard = 0) {
    std::vector<RowRead> reads;
    add_reads(reads, table, group, column_shard, range);
    std::string text;
    EXPECT_TRUE(rows.read(reads, {}, [&](std::size_t, const RowView& view) -> Status {
      VARVE_ASSIGN_OR_RETURN(const ChunkRow row, chunk_row(view));
      text += std::to_string(row.start / kHour) + "=" + std::string(row.chunk) + " ";
      return {};
    }));
    return text;
  }
};

TEST_F(DataRows, ChunksAreFoundByTime) {
  const ChunkTable sealed = sealed_table(tables, schema, kHour);
  std::vector<RowWrite> writes;
  const model::Timestamp base = 9 * kWeek;
  for (const std::int64_t hour : {-1, 0, 1, 5, 168}) {
    add_write(writes, sealed, group, {base + hour * kHour, 0, std::to_string(hour), {1, {}}, {}}, clock.now_ms());
  }
  add_write(writes, sealed, group, {base, 1, "other shard", {1, {}}, {}}, clock.now_ms());
  EXPECT_EQ(writes[1].ttl_s, static_cast<std::uint32_t>((32 * kDay - kWeek) / 1000))
      << "a day longer than the last of its day is shown";
  ASSERT_TRUE(rows.write_now(std::move(writes)));
  const std::int64_t h = base / kHour;
  const auto at = [&](std::int64_t hour) { return std::to_string(h + hour) + "=" + std::to_string(hour) + " "; };
  EXPECT_EQ(read(sealed, {base, base + 2 * kHour}), at(0) + at(1) + at(5)) << "and what else is of the day";
  EXPECT_EQ(read(sealed, {base + kHour + 1, base + 2 * kHour}), at(1) + at(5)) << "rows that overlap";
  EXPECT_EQ(read(sealed, {base - kHour, base + 1}), at(-1) + at(0) + at(1) + at(5)) << "two buckets";
  EXPECT_EQ(read(sealed, {base + 6 * kHour, base + 9 * kHour}), "");
  EXPECT_EQ(read(sealed, {base - kWeek, base + 3 * kWeek}), at(-1) + at(0) + at(1) + at(5) + at(168));
  EXPECT_EQ(read(sealed, {base, base + kHour}, 1), std::to_string(h) + "=other shard ");
}

TEST_F(DataRows, WhatIsOverIsNotWritten) {
  const ChunkTable level = level_tables(tables, schema, kHour)[0];
  EXPECT_EQ(level.row_ms, 4 * kHour);
  std::vector<RowWrite> writes;
  add_write(writes, level, group, {clock.now_ms() - 91 * kDay - 4 * kHour, 0, "x", {1, {}}, {}}, clock.now_ms());
  EXPECT_TRUE(writes.empty());
  add_write(writes, level, group, {clock.now_ms() - 91 * kDay - 4 * kHour + 1, 0, "x", {1, {}}, {{5, 6}}},
            clock.now_ms());
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_EQ(writes[0].ttl_s, 1U);
  EXPECT_EQ(ttl_left_s(0, rollup::kForEver, clock.now_ms()), 0U);
}

TEST_F(DataRows, RowsOfAGroupThatLivesShorterGoWithIt) {
  GroupCells mortal = group;
  const ChunkTable sealed = sealed_table(tables, schema, kHour);
  const auto ttl_of = [&](model::Timestamp start, std::uint32_t ttl_s) -> std::int64_t {
    std::vector<RowWrite> writes;
    mortal.ttl_s = ttl_s;
    add_write(writes, sealed, mortal, {start, 0, "x", {1, {}}, {}}, clock.now_ms());
    return writes.empty() ? -1 : std::int64_t{writes[0].ttl_s};
  };
  const model::Timestamp start = clock.now_ms() - 5 * kHour;
  const model::Timestamp day_end = model::window_start(start, kDay) + kDay;
  EXPECT_EQ(ttl_of(start, 0), (day_end + 31 * kDay - clock.now_ms()) / 1000);
  EXPECT_EQ(ttl_of(start, 86'400), (kDay - 4 * kHour) / 1000);
  EXPECT_EQ(ttl_of(start, 365 * 86'400), ttl_of(start, 0)) << "it never lives longer";
  EXPECT_EQ(ttl_of(start, 4 * 3600 + 1), 1);
  EXPECT_EQ(ttl_of(start, 4 * 3600), -1) << "its slot's last sample is over";
}

// A rollup block of windows is made when it has ended.
TEST_F(DataRows, SamplesAreStoredUntilTheirRollupBlocksAreMade) {
  SchemaOptions shorter = schema;
  shorter.raw_retention_ms = 2 * kHour;
  EXPECT_EQ(sealed_table(tables, shorter, kHour).retention_ms, 4 * kHour + kGoneMarginMs);
  shorter.rollups.clear();
  EXPECT_EQ(sealed_table(tables, shorter, kHour).retention_ms, 2 * kHour + kGoneMarginMs);
  shorter.raw_retention_ms = rollup::kForEver;
  EXPECT_EQ(sealed_table(tables, shorter, kHour).retention_ms, rollup::kForEver);
}

}  // namespace
}  // namespace varve::engine::cassandra
