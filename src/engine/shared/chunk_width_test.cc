// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/chunk_width.h"

#include <gtest/gtest.h>

#include "engine/shared/stored_for.h"

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

TEST(StoredFor, as_long_as_something_may_be_made_of_it) {
  // Of a day's retention, in slots of an hour: what is made within a slot, of which what is wider is made.
  const std::vector<rollup::Level> levels = {{300'000, 24 * hour}, {hour, 12 * hour}, {24 * hour, rollup::kForEver}};
  EXPECT_EQ(stored_for_ms(levels, 0, 48 * hour, hour), 24 * hour);
  EXPECT_EQ(stored_for_ms(levels, 1, 48 * hour, hour), 72 * hour) << "late samples change the day";
  EXPECT_EQ(stored_for_ms(levels, 2, 48 * hour, hour), rollup::kForEver);
  EXPECT_EQ(stored_for_ms(levels, 1, rollup::kForEver, hour), rollup::kForEver) << "and no longer";
}

TEST(StoredFor, over_when_its_last_moment_is) {
  EXPECT_FALSE(is_over(1000, 500, 1499));
  EXPECT_TRUE(is_over(1000, 500, 1500));
  EXPECT_FALSE(is_over(1000, rollup::kForEver, model::kTimestampMax));
}

}  // namespace
}  // namespace varve::engine::shared
