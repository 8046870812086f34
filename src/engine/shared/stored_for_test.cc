// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/stored_for.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/testing/lengths.h"

namespace varve::engine::shared {
namespace {

using model::testing::kHour;

TEST(StoredFor, as_long_as_something_may_be_made_of_it) {
  // Of a day's retention, in slots of an hour: what is made within a slot, of which what is wider is made.
  const std::vector<rollup::Level> levels = {
      {300'000, 24 * kHour}, {kHour, 12 * kHour}, {24 * kHour, rollup::kForEver}};
  EXPECT_EQ(stored_for_ms(levels, 0, 48 * kHour, kHour), 24 * kHour);
  EXPECT_EQ(stored_for_ms(levels, 1, 48 * kHour, kHour), 72 * kHour) << "late samples change the day";
  EXPECT_EQ(stored_for_ms(levels, 2, 48 * kHour, kHour), rollup::kForEver);
  EXPECT_EQ(stored_for_ms(levels, 1, rollup::kForEver, kHour), rollup::kForEver) << "and no longer";
}

TEST(StoredFor, over_when_its_last_moment_is) {
  EXPECT_FALSE(is_over(1000, 500, 1499));
  EXPECT_TRUE(is_over(1000, 500, 1500));
  EXPECT_FALSE(is_over(1000, rollup::kForEver, model::kTimestampMax));
}

TEST(StoredFor, kept_from_its_beginning) {
  EXPECT_EQ(kept_from(500, 1500), 1000);
  EXPECT_EQ(kept_from(rollup::kForEver, 1500), model::kAllTime.first) << "slots and windows begin before samples";
  EXPECT_EQ(alive_from(0, 1500), model::kAllTime.first) << "windows begin before samples";
  EXPECT_EQ(alive_from(1, 1500), 500);
}

// Whatever ends then, is kept so long and is asked about then, as computed in 128 bits.
TEST(StoredFor, nothing_overflows_at_the_ends_of_time) {
  __extension__ typedef __int128 Wide;
  constexpr std::int64_t kWidest = 288LL * 366 * model::kDayMs;
  const model::Timestamp ends[] = {
      model::kTimestampMin - kWidest, model::kTimestampMin,          -1, 0, 1'700'000'000'000,
      model::kTimestampMax,           model::kTimestampMax + kWidest};
  for (const model::Timestamp end : ends) {
    for (const model::Timestamp now : ends) {
      for (const std::int64_t retention : {std::int64_t{1}, kHour, rollup::kForEver - 1, rollup::kForEver}) {
        const bool over = retention < rollup::kForEver && Wide{end} + retention <= now;
        EXPECT_EQ(is_over(end, retention, now), over) << end << ' ' << now;
        EXPECT_EQ(is_kept(end, retention, now, kHour) == Kept::gone, over) << end << ' ' << now;
        EXPECT_TRUE(retention < rollup::kForEver || kept_from(retention, now) < end);
      }
      for (const std::uint32_t ttl_s : {1U, UINT32_MAX}) {
        const bool over = end <= model::kTimestampMin || Wide{end} + Wide{ttl_s} * 1000 <= now;
        EXPECT_EQ(is_ttl_over(end, ttl_s, now), over) << end << ' ' << now << ' ' << ttl_s;
      }
    }
  }
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

TEST(StoredFor, of_a_whole_store) {
  const std::vector<rollup::Level> levels = {{300'000, 24 * kHour}, {24 * kHour, 48 * kHour}};
  const Lifetimes lifetimes{levels, 12 * kHour, kHour};
  EXPECT_EQ(lifetimes.level_of(24 * kHour), 1U);
  EXPECT_EQ(lifetimes.level_of(kHour), 2U) << "no such granularity";
  EXPECT_EQ(lifetimes.stored_ms(0), 36 * kHour);
  EXPECT_EQ(lifetimes.longest_ms(), 48 * kHour);
  EXPECT_EQ((Lifetimes{{}, 12 * kHour, kHour}).longest_ms(), 12 * kHour) << "only samples";
}

TEST(StoredFor, a_time_to_live_is_over_when_its_last_sample_is) {
  EXPECT_TRUE(is_ttl_over(1000, 1, 2000));
  EXPECT_FALSE(is_ttl_over(1001, 1, 2000));
  EXPECT_FALSE(is_ttl_over(1000, 0, model::kTimestampMax)) << "none";
}

TEST(StoredFor, late_samples_are_added_where_nothing_else_brings_them) {
  struct Case {
    Kept output, input;
    bool is_due, added;
  };
  for (const Case& c : std::vector<Case>{
           {Kept::kept, Kept::kept, false, true},
           {Kept::kept, Kept::kept, true, false},
           {Kept::kept, Kept::ending, true, false},
           {Kept::kept, Kept::gone, true, true},
           {Kept::kept, Kept::gone, false, true},
           {Kept::ending, Kept::kept, false, true},
           {Kept::gone, Kept::kept, false, false},
           {Kept::gone, Kept::gone, true, false},
       }) {
    EXPECT_EQ(takes_late(c.output, c.input, c.is_due), c.added)
        << static_cast<int>(c.output) << static_cast<int>(c.input) << c.is_due;
  }
}

TEST(StoredFor, erased_in_part_it_is_made_again_of_what_says_as_much) {
  struct Case {
    bool samples_dropped, has_finer, samples_erased;
    Remake remade;
  };
  for (const Case& c : std::vector<Case>{
           {false, false, false, Remake::nothing},
           {false, true, false, Remake::nothing},
           {false, false, true, Remake::of_samples},
           {false, true, true, Remake::of_samples},
           {true, false, true, Remake::nothing},
           {true, true, false, Remake::of_finer},
           {true, true, true, Remake::of_finer},
       }) {
    EXPECT_EQ(remake(c.samples_dropped, c.has_finer, c.samples_erased), c.remade)
        << c.samples_dropped << c.has_finer << c.samples_erased;
  }
  EXPECT_TRUE(says_no_less(2, 2));
  EXPECT_FALSE(says_no_less(1, 2));
}

TEST(StoredFor, samples_go_when_windows_hold_them) {
  EXPECT_TRUE(may_drop(Kept::gone, true));
  EXPECT_FALSE(may_drop(Kept::gone, false)) << "not rolled up";
  EXPECT_FALSE(may_drop(Kept::ending, true));
  EXPECT_FALSE(may_drop(Kept::kept, true));
}

// What ended at 1000 and is kept for 5000: hot rows are for 2000, clocks may differ by 100, those of replicas by 10.
TEST(StoredFor, hot_rows_go_before_or_after_the_end_of_the_samples) {
  struct Case {
    std::int64_t now_ms;
    bool in_windows, without;
  };
  for (const Case& c : std::vector<Case>{
           {3899, true, true},   // sealed rows outlive them
           {3900, true, false},  // they may not
           {5889, true, false},
           {5890, false, false},  // nothing is sealed any more
           {6000, false, false},
           {6099, false, false},
           {6100, true, false},  // nothing is left of the sealed ones
           {99'999, true, false},
       }) {
    SCOPED_TRACE(c.now_ms);
    EXPECT_EQ(may_drop_hot(1000, 5000, c.now_ms, {2000, 100, 10}, true), c.in_windows);
    EXPECT_EQ(may_drop_hot(1000, 5000, c.now_ms, {2000, 100, 10}, false), c.without);
  }
  EXPECT_TRUE(may_drop_hot(1000, rollup::kForEver, model::kTimestampMax, {2000, 100, 10}, false));
}

}  // namespace
}  // namespace varve::engine::shared
