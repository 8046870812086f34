// SPDX-License-Identifier: Apache-2.0
// Strata of some weeks: what is asked says the same before and after they are made of days.
#include <gtest/gtest.h>

#include "engine/rocksdb/testing/strata_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::TimeRange;
using model::Timestamp;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

// Twelve days with a sample each ten minutes.
class Weeks : public testing::StrataStore {
 protected:
  static constexpr Timestamp kFirst = kStart - 8 * kDay;
  static constexpr TimeRange kWeeks{kFirst, kFirst + 12 * kDay};
  static_assert(kFirst % (12 * kDay) == 0);

  void put_tens(Timestamp from, Timestamp to) {
    for (Timestamp t = from; t < to; t += 10 * kMinute) put(t, static_cast<double>(t / kMinute % 1000));
  }
  void make_weeks() {
    put_tens(kWeeks.first, kWeeks.last);
    settle();
    ASSERT_EQ(strata(), 12U);
    settle_in(kHour * 12);
    ASSERT_EQ(slots().size(), 1U);
  }
  void check_weeks() {
    check(kWeeks);
    check({kFirst + 90 * kMinute + 1, kFirst + 7 * kHour + 12 * kMinute});
    check({kFirst + 3 * kDay + 5 * kHour, kFirst + 9 * kDay + 23 * kHour + 1});
  }
};

TEST_F(Weeks, are_made_of_days_that_have_been_quiet) {
  put_tens(kWeeks.first, kWeeks.last + 2 * kDay);
  settle();
  EXPECT_EQ(strata(), 14U);
  settle_in(kHour * 11);
  EXPECT_EQ(strata(), 14U) << "half a day is not over";
  settle_in(kHour);
  ASSERT_EQ(strata(), 3U) << "the other weeks have not ended";
  EXPECT_EQ(slots().back().start, kWeeks.first);
  EXPECT_EQ(slots().back().end, kWeeks.last);
  EXPECT_EQ(slots().back().samples, 12U * 144U);
  EXPECT_EQ(slots().back().phase, storage::SlotPhase::sealed);
  EXPECT_EQ(samples_read(kWeeks), 0U);
  check_weeks();
  engine.restart();
  EXPECT_EQ(strata(), 3U);
  check_weeks();
  settle_in(kHour * 12);
  EXPECT_EQ(strata(), 3U);
}

TEST_F(Weeks, are_not_made_where_samples_are_soon_dropped) {
  put_tens(kWeeks.first, kWeeks.last);
  settle();
  engine.options().raw_retention_ms = 84 * kDay - 1;
  engine.restart();
  settle_in(kHour * 12);
  EXPECT_EQ(strata(), 12U);
  const Timestamp now = clock.now_ms();
  engine.options().raw_retention_ms = 84 * kDay;
  engine.restart();
  settle_in(kFirst + 84 * kDay + 1 - now);
  EXPECT_EQ(strata(), 12U) << "what is about to go";
  clock.advance_ms(now - clock.now_ms());
  settle_in(kHour * 12);
  EXPECT_EQ(strata(), 1U);
  check_weeks();
}

TEST_F(Weeks, are_not_made_of_large_days) {
  put_tens(kWeeks.first, kWeeks.last);
  settle();
  std::uint64_t bytes = 0;
  for (const auto& slot : slots()) bytes += slot.bytes;
  for (const std::uint64_t bytes_max : {bytes - 1, bytes}) {
    engine.options().strata[1].bytes_max = bytes_max;
    engine.restart();
    settle_in(kHour * 12);
    EXPECT_EQ(strata(), bytes_max < bytes ? 12U : 1U);
  }
  check_weeks();
}

TEST_F(Weeks, take_what_comes_late) {
  make_weeks();
  put(kFirst + 3 * kHour + 1, 1000);
  put(kFirst + 8 * kDay, -1);  // over one
  put(kFirst + 11 * kDay + 23 * kHour + 7, 2000);
  EXPECT_EQ(samples_read(kWeeks), 3U * 7U - 1U);
  check_weeks();
  engine.restart();  // flushes what the log holds
  EXPECT_EQ(samples_read(kWeeks), 3U * 7U - 1U);
  check_weeks();
  settle();
  EXPECT_EQ(samples_read(kWeeks), 0U);
  ASSERT_EQ(slots().size(), 1U);
  EXPECT_EQ(slots()[0].samples, 12U * 144U + 2U);
  check_weeks();
  for (int minute = 0; minute < 36 * 60; minute += 7) put(kFirst + 5 * kDay + 13 * kHour + minute * kMinute, minute);
  flush();
  ASSERT_EQ(slots().size(), 1U);
  EXPECT_EQ(slots()[0].fragments, 1U + 3U) << "two days and the rest of an hour lie beside it";
  check_weeks();
  engine.restart();
  EXPECT_EQ(slots().size(), 1U);
  check_weeks();
  settle();
  EXPECT_EQ(samples_read(kWeeks), 0U);
  check_weeks();
}

TEST_F(Weeks, are_erased_in_part_and_as_a_whole) {
  make_weeks();
  for (const TimeRange range : {TimeRange{kFirst + 90 * kMinute + 1, kFirst + 7 * kHour + 12 * kMinute},
                                TimeRange{kFirst + 2 * kDay, kFirst + 4 * kDay + 5 * kHour}, kWeeks}) {
    ASSERT_TRUE(engine.samples().erase(store.tenant(), store.find("m"), range, nullptr));
    std::erase_if(samples, [&](const auto& sample) { return range.contains(sample.first); });
    check_weeks();
    settle();
    check_weeks();
  }
  EXPECT_TRUE(slots().empty());
}

// Also where something came late that is not sealed, on either side of the edge.
TEST_F(Weeks, are_read_no_longer_than_their_hours_would_be) {
  make_weeks();
  put(kFirst + 5 * kHour + 1, 3);
  put(kFirst + 7 * kDay + kMinute, 4);
  settle();
  engine.options().raw_retention_ms = 96 * kDay;
  engine.restart();
  clock.advance_ms(kFirst + 96 * kDay + 5 * kDay + 5 * kHour + 30 * kMinute - clock.now_ms());
  const auto check_read = [&](std::size_t more) {
    EXPECT_EQ(read("m", kMinute, kWeeks).sums.size(), (7U * 24U - 5U) * 6U + 1U + more);
    EXPECT_EQ(read("m", kHour, kWeeks).sums.size(), 12U * 24U) << "of its windows";
    EXPECT_EQ(read("m", kDay, kWeeks).sums.at(kFirst).count, 145U);
  };
  check_read(0);
  put(kFirst + 10 * kDay + 2 * kHour + kMinute, 5);
  check_read(1);
  put(kFirst + 2 * kDay + kMinute, 6);
  check_read(1 + 7);
  settle();
  check_read(1);
  ASSERT_EQ(slots().back().phase, storage::SlotPhase::sealed);
  clock.advance_ms(7 * kDay);
  settle();
  EXPECT_EQ(slots().back().phase, storage::SlotPhase::dropped);
  EXPECT_TRUE(read("m", kHour, kWeeks, false).sums.empty());
  // What comes late is added, once, to whichever of its windows.
  put(kFirst + 2 * kHour + 1, 1e6);
  put(kFirst + 9 * kHour + 1, 2e6);
  put(kFirst + 9 * kDay + 1, 3e6);
  for (int look = 0; look < 3; ++look) {
    SCOPED_TRACE(look);
    EXPECT_EQ(read("m", kHour, kWeeks).sums.at(kFirst + 2 * kHour).count, 7U);
    EXPECT_EQ(read("m", kDay, kWeeks).sums.at(kFirst).count, 147U);
    EXPECT_EQ(read("m", kDay, kWeeks).sums.at(kFirst + 9 * kDay).count, 145U);
    look == 1 ? engine.restart() : settle();
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
