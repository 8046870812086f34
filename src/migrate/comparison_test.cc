// SPDX-License-Identifier: Apache-2.0
#include "migrate/comparison.h"

#include <gtest/gtest.h>

namespace varve::migrate {
namespace {

Compared compared(const MetricCount& found, std::uint64_t held, std::uint64_t duplicates = 0,
                  std::uint64_t unchecked = 0) {
  return {.metric = "m", .found = found, .unchecked = unchecked, .duplicates = duplicates, .held = held};
}

TEST(Comparison, SaysWhy) {
  const MetricCount good{.cells = 10, .samples = 10, .types = 2};
  EXPECT_FALSE(compared(good, 10).differs());
  EXPECT_EQ(describe(compared(good, 10)), "m: KairosDB held 10 samples, varve holds 10");
  EXPECT_FALSE(compared(good, 8, 2).differs());
  EXPECT_EQ(
      describe(compared(good, 8, 2)),
      "m: KairosDB held 10 samples, varve holds 8: 2 at the time of another of the series that was written later, "
      "of another type");
  EXPECT_TRUE(compared(good, 9).differs());
  EXPECT_EQ(describe(compared(good, 9)),
            "m: KairosDB held 10 samples, varve holds 9: 1 that are missing without a known reason");
  EXPECT_EQ(describe(compared(good, 12)),
            "m: KairosDB held 10 samples, varve holds 12: 2 more in varve, written by somebody else");
  const MetricCount mixed{.cells = 10, .samples = 4, .other = 3, .bad = 2, .too_old = 1};
  EXPECT_TRUE(compared(mixed, 4).differs());
  EXPECT_EQ(
      describe(compared(mixed, 4)),
      "m: KairosDB held 10 samples, varve holds 4: 3 of types that are not migrated, 2 that are damaged or not taken, "
      "1 older than what is kept of its series");
  const MetricCount aged{.cells = 10, .samples = 10, .old = 4};
  EXPECT_FALSE(compared(aged, 6, 0, 4).differs());
  EXPECT_EQ(describe(compared(aged, 6, 0, 4)), "m: KairosDB held 6 samples, varve holds 6");
}

TEST(Comparison, MoreIsNoDifferenceWhereOthersWrite) {
  const MetricCount good{.cells = 10, .samples = 10};
  EXPECT_TRUE(compared(good, 12).differs());
  Compared in_use = compared(good, 12);
  in_use.others_write = true;
  EXPECT_FALSE(in_use.differs());
  in_use.held = 9;
  EXPECT_TRUE(in_use.differs());
}

}  // namespace
}  // namespace varve::migrate
