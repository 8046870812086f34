// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/pending.h"

#include <gtest/gtest.h>

#include "model/testing/lengths.h"

namespace varve::engine::cassandra {
namespace {

using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;
const std::vector<std::int64_t> kGranularities{5 * kMinute, kHour, kDay};

std::string shown(const TimeRanges& ranges) {
  std::string text;
  for (const auto& r : ranges) text += "[" + std::to_string(r.first) + "," + std::to_string(r.last) + ")";
  return text;
}

TEST(PendingTest, AWindowIsTrustedOnlyWithAllThatItIsMadeOf) {
  const auto distrust = [](const Pending& pending, std::size_t level) {
    return shown(distrusted(pending, level, kGranularities, kHour));
  };
  const Pending slot{{kDay + kHour}, {{}, {}, {}}};
  EXPECT_EQ(distrust(slot, 0), shown({{kDay + kHour, kDay + 2 * kHour}}));
  EXPECT_EQ(distrust(slot, 1), shown({{kDay + kHour, kDay + 2 * kHour}}));
  EXPECT_EQ(distrust(slot, 2), shown({{kDay, 2 * kDay}}));
  const Pending finest{{}, {{4 * kHour}, {}, {}}};
  EXPECT_EQ(distrust(finest, 1), shown({{4 * kHour, 8 * kHour}}));
  EXPECT_EQ(distrust(finest, 2), shown({{0, kDay}}));
  const Pending middle{{}, {{}, {2 * kDay}, {}}};
  EXPECT_EQ(distrust(middle, 0), "");
  EXPECT_EQ(distrust(middle, 1), shown({{2 * kDay, 4 * kDay}}));
  EXPECT_EQ(distrust(middle, 2), shown({{2 * kDay, 4 * kDay}}));
  const Pending before_1970{{-kHour}, {{}, {}, {}}};
  EXPECT_EQ(distrust(before_1970, 2), shown({{-kDay, 0}}));
}

}  // namespace
}  // namespace varve::engine::cassandra
