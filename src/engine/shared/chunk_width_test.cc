// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/chunk_width.h"

#include <gtest/gtest.h>

namespace varve::engine::shared {
namespace {

constexpr std::int64_t hour = 3'600'000;

TEST(ChunkWidth, parts_of_long_slots) {
  EXPECT_EQ(chunk_width_ms(1000), 1000);
  EXPECT_EQ(chunk_width_ms(hour), hour);
  EXPECT_EQ(chunk_width_ms(4 * hour), 4 * hour);
  EXPECT_EQ(chunk_width_ms(5 * hour), 5 * hour / 2);
  EXPECT_EQ(chunk_width_ms(24 * hour), 4 * hour);
  EXPECT_EQ(chunk_width_ms(7 * 24 * hour), 4 * hour);
  EXPECT_EQ(chunk_width_ms(14'400'017), 4 * hour);  // has no part of a minute or more
}

}  // namespace
}  // namespace varve::engine::shared
