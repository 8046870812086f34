// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/blobs.h"

#include <gtest/gtest.h>

#include "engine/cassandra/tables/spans.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra {
namespace {

using model::testing::kDay;
using model::testing::kHour;

TEST(SpansTest, AreMultiplesOfSlotAndGranularity) {
  EXPECT_EQ(bucket_ms(kHour), 7 * kDay);
  EXPECT_EQ(rollup_block_ms(300'000, kHour), 4 * kHour);
  EXPECT_EQ(rollup_block_ms(kHour, kHour), 2 * kDay);
  EXPECT_EQ(rollup_block_ms(kDay, kHour), 48 * kDay);
  EXPECT_EQ(rollup_block_ms(1000, kHour), kHour);              // more windows than wanted
  EXPECT_EQ(rollup_block_ms(90'000, 60'000), 72 * 60'000);     // 48 windows, 72 slots
  EXPECT_EQ(rollup_block_ms(300'000, 7'000'000), 21'000'000);  // 70 windows, 3 slots
  // Each is made of whole ones of the finer granularity.
  const auto blocks = [](std::vector<std::int64_t> widths) { return rollup_blocks_ms(widths, kHour); };
  EXPECT_EQ(blocks({300'000, kHour, kDay}), (std::vector{4 * kHour, 2 * kDay, 48 * kDay}));
  EXPECT_EQ(blocks({360'000, kHour, kDay}), (std::vector{5 * kHour, 50 * kHour, 50 * kDay}));
  EXPECT_EQ(blocks({720'000, kHour}), (std::vector{10 * kHour, 50 * kHour}));
  EXPECT_EQ(index_bucket_of(-1), -kIndexBucketMs);
}

TEST(BlobsTest, StatsComeBack) {
  const ColumnShardStats stats{1'700'000'000'000'001, {{1000, 1999, 3, 6}, {}, {-5, -5, 1, 1}}};
  const auto back = decode_stats(encode_stats(stats, 1000), 1000);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->version, stats.version);
  EXPECT_EQ(back->series, stats.series);
}

TEST(BlobsTest, StatsAreAsWrittenDown) {
  EXPECT_EQ(encode_stats({2, {{1000, 1300, 5, 3}, {}}}, 990),
            std::string("\x01\x02\0\0\0\0\0\0\0\x05\x14\xac\x02\x03\0", 15));
}

TEST(BlobsTest, StatsThatAreNoneAreRefused) {
  const std::string good = encode_stats({2, {{1000, 1300, 5, 3}}}, 990);
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    const auto got = decode_stats(std::string_view(good).substr(0, cut), 990);
    EXPECT_EQ(got.has_value(), cut == 9) << cut;  // no series at all
  }
  EXPECT_EQ(decode_stats("\x02", 0).error().code, Code::unsupported);
  EXPECT_TRUE(decode_stats(
      std::string("\x01") + std::string(8, '\0') + "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x01", 0));
}

TEST(BlobsTest, ArrivalsComeBackInOrderOnly) {
  const std::vector<Arrival> arrivals{{-1, 9}, {5, -2}, {5, 7}};
  const std::string blob = encode_arrivals(arrivals);
  EXPECT_EQ(decode_arrivals(blob).value(), arrivals);
  EXPECT_EQ(decode_arrivals(blob.substr(0, 20)).error().code, Code::corrupt);
  EXPECT_EQ(decode_arrivals("").error().code, Code::corrupt);
  EXPECT_EQ(decode_arrivals("\x03").error().code, Code::unsupported);
  EXPECT_EQ(decode_arrivals(encode_arrivals(std::vector<Arrival>{{5, 7}, {5, -2}})).error().code, Code::corrupt);
}

}  // namespace
}  // namespace varve::engine::cassandra
