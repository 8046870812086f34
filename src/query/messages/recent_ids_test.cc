// SPDX-License-Identifier: Apache-2.0
#include "query/messages/recent_ids.h"

#include <gtest/gtest.h>

namespace varve::query {
namespace {

TEST(RecentIds, TheLastOnesAreKnown) {
  RecentIds recent;
  for (std::uint64_t i = 0; i < RecentIds::kMost; ++i) EXPECT_FALSE(recent.holds({i, 7}));
  EXPECT_TRUE(recent.holds({0, 7}));
  EXPECT_FALSE(recent.holds({0, 8}));  // the first one is forgotten
  EXPECT_FALSE(recent.holds({0, 7}));
  EXPECT_TRUE(recent.holds({RecentIds::kMost - 1, 7}));
}

}  // namespace
}  // namespace varve::query
