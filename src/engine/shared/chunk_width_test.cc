// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/chunk_width.h"

#include <gtest/gtest.h>

#include "model/testing/lengths.h"

namespace varve::engine::shared {
namespace {

using model::testing::kHour;

TEST(ChunkWidth, parts_of_long_slots) {
  EXPECT_EQ(chunk_width_ms(1000), 1000);
  EXPECT_EQ(chunk_width_ms(kHour), kHour);
  EXPECT_EQ(chunk_width_ms(4 * kHour), 4 * kHour);
  EXPECT_EQ(chunk_width_ms(5 * kHour), 5 * kHour / 2);
  EXPECT_EQ(chunk_width_ms(24 * kHour), 4 * kHour);
  EXPECT_EQ(chunk_width_ms(7 * 24 * kHour), 4 * kHour);
  EXPECT_EQ(chunk_width_ms(14'400'017), 4 * kHour);  // has no part of a minute or more
}

}  // namespace
}  // namespace varve::engine::shared
