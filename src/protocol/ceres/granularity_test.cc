// SPDX-License-Identifier: Apache-2.0
#include "protocol/ceres/granularity.h"

#include <gtest/gtest.h>

namespace varve::protocol::ceres {
namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr model::Timestamp kPickedAt = 1'600'000'000'000;

// From `ago` until `until` before now.
std::int64_t pick(const Retentions& kept, std::int64_t ago, std::int64_t until = 0) {
  return pick_granularity(kept, {kPickedAt - ago, kPickedAt - until}, kPickedAt).value_or(-1);
}

const Retentions kThree{6 * kHour, {{5 * kMinute, 14 * kDay}, {kHour, 365 * kDay}, {2 * kHour, 500 * kDay}}};

TEST(PickGranularity, ByRange) {
  EXPECT_EQ(pick(kThree, kHour), 5 * kMinute);
  EXPECT_EQ(pick(kThree, 15 * kDay), kHour);
  EXPECT_EQ(pick(kThree, 400 * kDay), 2 * kHour);
  EXPECT_EQ(pick(kThree, 14 * kDay - 1), 5 * kMinute);
  EXPECT_EQ(pick(kThree, 14 * kDay), kHour);
}

TEST(PickGranularity, NothingReaches) {
  EXPECT_EQ(pick(kThree, 5000 * kDay), 2 * kHour);
  EXPECT_EQ(pick({0, {{kMinute, 12 * kHour}, {2 * kMinute, kDay}}}, kDay), 2 * kMinute);
}

TEST(PickGranularity, ByAgeToo) {
  EXPECT_EQ(pick(kThree, 100 * kDay, 100 * kDay - kHour), kHour);  // an hour, but one long ago
  EXPECT_EQ(pick(kThree, 13 * kDay, 13 * kDay - kHour), 5 * kMinute);
}

TEST(PickGranularity, TheEndMayLieAhead) {
  EXPECT_EQ(pick(kThree, kHour, -20 * kDay), kHour);
  EXPECT_EQ(pick(kThree, -kHour, -2 * kHour), 5 * kMinute);
}

TEST(PickGranularity, RawOrAFinerOneCanFillIn) {
  const Retentions raw{90 * kDay, {{5 * kMinute, 14 * kDay}, {kHour, 365 * kDay}}};
  EXPECT_EQ(pick(raw, 60 * kDay), 5 * kMinute);
  const Retentions finer{0, {{5 * kMinute, 365 * kDay}, {kHour, 14 * kDay}, {7 * kMinute, kDay}}};
  EXPECT_EQ(pick(finer, 60 * kDay), 5 * kMinute);
  EXPECT_EQ(pick({0, {{7 * kMinute, 365 * kDay}, {kHour, 14 * kDay}}}, 10 * kDay), 7 * kMinute);
}

TEST(PickGranularity, OrderDoesNotMatter) {
  const Retentions turned{6 * kHour, {{2 * kHour, 500 * kDay}, {5 * kMinute, 14 * kDay}, {kHour, 365 * kDay}}};
  for (const std::int64_t ago : {kHour, 15 * kDay, 400 * kDay, 5000 * kDay})
    EXPECT_EQ(pick(turned, ago), pick(kThree, ago));
}

TEST(PickGranularity, NoRollups) { EXPECT_EQ(pick({90 * kDay, {}}, kHour), -1); }

}  // namespace
}  // namespace varve::protocol::ceres
