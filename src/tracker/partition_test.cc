// SPDX-License-Identifier: Apache-2.0
#include "tracker/partition.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/testing/lengths.h"
#include "model/time.h"

namespace varve::tracker {
namespace {

// Numbers that Ceres users know: the same function over the bytes of tenant and series.
TEST(Partition, GoldenVectorsOfCeres) {
  const auto of = [](std::uint32_t partitions) {
    return partition_of("tenant-1", "some_metric,some_tags", partitions);
  };
  EXPECT_EQ(of(1), 0U);
  EXPECT_EQ(of(2), 1U);
  EXPECT_EQ(of(4), 3U);
  EXPECT_EQ(of(16), 12U);
  EXPECT_EQ(of(64), 61U);
  EXPECT_EQ(of(128), 80U);
}

// Ours. Replicas of different versions share partitions: these numbers must never change.
TEST(Partition, GoldenVectorsOfOurIdentity) {
  const auto of = [](std::string_view tenant, std::string_view metric, const model::TagViews& tags,
                     std::uint32_t partitions) {
    return partition_of(tenant, model::series_set_hash(model::series_key(metric, tags)), partitions);
  };
  const model::TagViews prod = {{"deployment", "prod"}, {"os", "linux"}};
  const model::TagViews accents = {{"hôte", "é"}};
  EXPECT_EQ(of("default", "cpu_idle", prod, 64), 16U);
  EXPECT_EQ(of("default", "cpu_idle", prod, 128), 98U);
  EXPECT_EQ(of("t-1", "cpu_idle", prod, 64), 25U);
  EXPECT_EQ(of("t-1", "cpu_idle", {}, 64), 40U);
  EXPECT_EQ(of("t-1", "température", accents, 64), 33U);
  EXPECT_EQ(of("t-1", "température", accents, 65536), 24818U);
  EXPECT_EQ(of("t-1", "cpu_idle", prod, 1), 0U);
}

TEST(Partition, IsEvenAndMovesOnlyToTheNewOne) {
  constexpr std::uint32_t kSeries = 64'000;
  std::vector<std::uint32_t> counts(64);
  for (std::uint32_t i = 0; i < kSeries; ++i) {
    const std::string series = "series" + std::to_string(i);
    const auto of64 = partition_of("t", series, 64);
    ASSERT_LT(of64, 64U);
    ++counts[of64];
    const auto of65 = partition_of("t", series, 65);
    ASSERT_TRUE(of65 == of64 || of65 == 64) << series;
  }
  for (const auto count : counts) EXPECT_NEAR(count, 1000, 160);  // five standard deviations
}

TEST(Slot, IsTheFloorAlsoBeforeTheEpoch) {
  using model::testing::kHour;
  const auto slot = [](std::int64_t t) { return model::window_start(t, kHour); };
  EXPECT_EQ(slot(0), 0);
  EXPECT_EQ(slot(kHour - 1), 0);
  EXPECT_EQ(slot(kHour), kHour);
  EXPECT_EQ(slot(-1), -kHour);
  EXPECT_EQ(slot(-kHour), -kHour);
  EXPECT_EQ(slot(-kHour - 1), -2 * kHour);
  EXPECT_EQ(slot(1'605'206'543'658), 1'605'204'000'000);                            // 18:42:23.658 → 18:00
  EXPECT_EQ(model::window_start(1'599'939'743'658, 2 * kHour), 1'599'933'600'000);  // 19:42:23.658 → 18:00
  EXPECT_EQ(slot(model::kTimestampMin) % kHour, 0);
  EXPECT_LE(slot(model::kTimestampMin), model::kTimestampMin);
}

}  // namespace
}  // namespace varve::tracker
