// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/stored_for.h"

#include <gtest/gtest.h>

#include <vector>

namespace varve::engine::shared {
namespace {

constexpr std::int64_t hour = 3'600'000;

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

TEST(StoredFor, kept_from_its_beginning) {
  EXPECT_EQ(kept_from(500, 1500), 1000);
  EXPECT_EQ(kept_from(rollup::kForEver, 1500), model::kTimestampMin);
  EXPECT_EQ(alive_from(0, 1500), model::kTimestampMin);
  EXPECT_EQ(alive_from(1, 1500), 500);
}

// What ended at 1000 and is kept for 500, with a margin of 100.
TEST(StoredFor, near_its_end_it_is_made_of_no_less) {
  struct Case {
    std::int64_t now_ms;
    Kept kept;
    bool made_anew, made_again, closed_in_part, closed_whole;
  };
  for (const Case& c : std::vector<Case>{
           {0, Kept::kept, true, true, false, false},
           {1399, Kept::kept, true, true, false, false},
           {1400, Kept::ending, false, true, true, false},
           {1499, Kept::ending, false, true, true, false},
           {1500, Kept::gone, false, true, true, true},
           {9999, Kept::gone, false, true, true, true},
       }) {
    SCOPED_TRACE(c.now_ms);
    const Kept kept = is_kept(1000, 500, c.now_ms, 100);
    EXPECT_EQ(kept, c.kept);
    EXPECT_EQ(may_make(kept, false), c.made_anew);
    EXPECT_EQ(may_make(kept, true), c.made_again);
    EXPECT_EQ(is_closed(kept, false), c.closed_in_part);
    EXPECT_EQ(is_closed(kept, true), c.closed_whole);
  }
  EXPECT_EQ(is_kept(1000, rollup::kForEver, model::kTimestampMax, 100), Kept::kept);
}

}  // namespace
}  // namespace varve::engine::shared
