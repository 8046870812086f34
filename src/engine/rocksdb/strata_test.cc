// SPDX-License-Identifier: Apache-2.0
// Strata: the slots of a day become one when they have settled; nothing that is asked says anything else before, during
// and after it, whatever comes late, is deleted or has outlived its time.
#include "engine/rocksdb/runs/strata.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "engine/rocksdb/testing/strata_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::TimeRange;
using model::Timestamp;
using model::Value;
using Strata = testing::StrataStore;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

TEST_F(Strata, a_day_that_has_settled_becomes_one_slot) {
  put_minutes_by_hours(kStart, kStart + 26 * kHour);
  put_minutes(clock.now_ms(), clock.now_ms() + 2 * kHour);
  settle();
  EXPECT_EQ(strata(), 2U) << "the first two days; today has not ended";
  EXPECT_EQ(slots().size(), 2U + 2U);
  EXPECT_EQ(slots().back().samples, 24U * 60U);
  check_all();
  engine.restart();
  EXPECT_EQ(slots().size(), 2U + 2U);
  check_all();
  settle();
  EXPECT_EQ(slots().size(), 2U + 2U);
  EXPECT_EQ(samples_read(kAll), 0U);
}

// Of what is sent long afterwards a flush makes strata at once, and adds to them.
TEST_F(Strata, a_day_that_is_backfilled_is_one_slot_from_the_beginning) {
  put_minutes(kStart, kStart + 26 * kHour);
  flush();
  ASSERT_EQ(strata(), 2U) << "of the second day there are two hours only, but they follow a day";
  EXPECT_EQ(slots().size(), 2U);
  EXPECT_EQ(slots().back().phase, storage::SlotPhase::pending);
  EXPECT_EQ(slots().back().samples, 24U * 60U);
  check_all();
  put(kStart + 5 * kHour + 1, 7);  // one of its hours lies beside it
  storage::testing::Group& wider = *store.group({"m", "n"});
  for (int minute = 0; minute < 24 * 60; minute += 50) {
    const Timestamp time = kStart + minute * kMinute;
    ASSERT_TRUE(store.put(wider, time, {Value::of_double(minute), Value::of_double(0)}));
    samples[time] = minute;
  }
  check_all();
  flush();
  EXPECT_EQ(slots().back().fragments, 2U);
  EXPECT_EQ(slots().size(), 2U);
  check_all();
  settle();
  EXPECT_EQ(slots().back().fragments, 1U);
  EXPECT_EQ(slots().back().phase, storage::SlotPhase::sealed);
  EXPECT_EQ(samples_read(kFirstDay), 0U);
  check_all();
}

// More series, and more days, than are sealed at once.
TEST_F(Strata, a_month_of_many_series_is_backfilled) {
  const std::int64_t host_count = 40;
  std::vector<storage::testing::Group*> hosts;
  for (int i = 0; i < host_count; ++i) hosts.push_back(store.group({"m"}, {{"host", std::to_string(i)}}));
  for (Timestamp t = kStart - 30 * kDay; t < kStart; t += 5 * kMinute) {
    samples[t] = static_cast<double>(t / kMinute % 1000);
    const auto& host = *hosts[static_cast<std::size_t>(t / (5 * kMinute) % host_count)];
    ASSERT_TRUE(store.put(host, t, {Value::of_double(samples[t])}));
  }
  const TimeRange month{kStart - 30 * kDay, kStart};
  settle();
  EXPECT_EQ(strata(), 30U);
  EXPECT_EQ(samples_read(month), 0U);
  check(month);
  check({month.first + 11 * kDay + 7 * kHour, month.first + 13 * kDay + 1});
}

TEST_F(Strata, are_not_begun_by_what_has_few_hours_of_each_group) {
  put_minutes(kStart + 2 * kHour, kStart + 5 * kHour);
  flush();
  EXPECT_EQ(slots().size(), 3U);
  EXPECT_EQ(strata(), 0U);
  put_minutes(kStart + 5 * kHour, kStart + 10 * kHour);  // beside them
  flush();
  EXPECT_EQ(slots().size(), 8U);
  EXPECT_EQ(strata(), 0U);
  check_all();
  for (int hour = 0; hour < 24; ++hour) {  // each of another group
    storage::testing::Group& one = *store.group({"m"}, {{"host", std::to_string(hour)}});
    ASSERT_TRUE(store.put(one, kStart + 2 * kDay + hour * kHour, {Value::of_double(1)}));
  }
  flush();
  EXPECT_EQ(strata(), 0U);
  EXPECT_EQ(slots().size(), 8U + 24U);
}

TEST_F(Strata, are_not_begun_today_nor_where_samples_are_soon_gone) {
  const Timestamp today = model::window_start(clock.now_ms(), kDay);
  clock.advance_ms(20 * kHour);
  put_minutes(today, today + 20 * kHour);
  flush();
  EXPECT_EQ(strata(), 0U);
  engine.options().raw_retention_ms = 10 * kDay;
  engine.restart();
  put_minutes(kStart, kStart + kDay);  // of which the retention's edge goes through
  flush();
  EXPECT_EQ(strata(), 0U);
  put_minutes(kStart + kDay, kStart + 2 * kDay);
  flush();
  EXPECT_EQ(strata(), 1U);
}

// What comes to a day whose samples are gone is added to its windows by the hour, as ever.
TEST_F(Strata, are_not_begun_again_when_they_are_gone) {
  put_minutes(kStart, kStart + kDay);
  settle();
  engine.options().raw_retention_ms = 12 * kDay;
  engine.restart();
  clock.advance_ms(4 * kDay);
  settle();
  ASSERT_EQ(slots().back().phase, storage::SlotPhase::dropped);
  engine.options().raw_retention_ms = 100 * kDay;
  engine.restart();
  put_minutes(kStart, kStart + 12 * kHour);
  for (int look = 0; look < 3; ++look) {
    SCOPED_TRACE(look);
    EXPECT_EQ(read("m", kDay, kFirstDay).sums.at(kStart).count, 36U * 60U);
    look == 0 ? flush() : settle();
  }
}

TEST_F(Strata, are_not_made_where_nothing_is_rolled_up_or_soon_dropped) {
  put_minutes(kStart, kStart + 4 * kHour);
  engine.options().rollups.levels.clear();
  engine.restart();
  settle();
  EXPECT_EQ(strata(), 0U);
  engine.options().rollups.levels = options().rollups.levels;
  engine.options().raw_retention_ms = 7 * kDay - 1;
  clock.advance_ms(-8 * kDay);
  engine.restart();
  settle();
  EXPECT_EQ(strata(), 0U);
  engine.options().raw_retention_ms = 7 * kDay;
  engine.restart();
  settle();
  EXPECT_EQ(strata(), 1U);
  check();
}

TEST_F(Strata, what_comes_late_makes_but_its_hours_be_read_as_samples) {
  put_minutes(kStart, kStart + kDay);
  settle();
  put(kStart + 3 * kHour + 1, 1000);
  put(kStart + 3 * kHour, -1);  // over one
  put(kStart + 20 * kHour + 7, 2000);
  EXPECT_EQ(slots().size(), 1U);
  EXPECT_EQ(slots()[0].phase, storage::SlotPhase::hot);
  EXPECT_EQ(samples_read(kFirstDay), 2 * 61U);
  check_all();
  engine.restart();  // flushes what the log holds
  check_all();
  EXPECT_EQ(samples_read(kFirstDay), 2 * 61U);
  settle();
  EXPECT_EQ(samples_read(kFirstDay), 0U);
  ASSERT_EQ(slots().size(), 1U);
  EXPECT_EQ(slots()[0].fragments, 1U);
  EXPECT_EQ(slots()[0].samples, 24U * 60U + 2U);
  check_all();
}

// Wherever a range begins and ends: of one group, under what came late, and of a series that two groups have.
TEST_F(Strata, any_range_has_what_is_in_it) {
  std::mt19937_64 random(27);
  const auto check_ranges = [&] {
    for (int i = 0; i < 30; ++i) {
      const auto some_ms = [&random](std::int64_t most) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
      };
      const Timestamp first = kStart - kHour + some_ms(26 * kHour);
      check({first, first + some_ms(i % 3 == 0 ? 10 * kMinute : 9 * kHour)});
    }
  };
  put_minutes(kStart, kStart + kDay);
  settle();
  check_ranges();
  for (int hour = 1; hour < 24; hour += 6) put(kStart + hour * kHour + 7, hour);
  check_ranges();
  engine.restart();
  check_ranges();
  storage::testing::Group& wider = *store.group({"m", "n"});
  for (int minute = 0; minute < 24 * 60; minute += 50) {
    const Timestamp time = kStart + minute * kMinute;
    ASSERT_TRUE(store.put(wider, time, {Value::of_double(minute), Value::of_double(0)}));
    samples[time] = minute;
  }
  check_ranges();
  settle();
  ASSERT_EQ(strata(), 1U);
  check_ranges();
}

// Between the look at the slots and the commit a flush may add to them.
TEST(StrataRuns, take_over_what_was_flushed_meanwhile) {
  const model::TenantId tenant{1};
  const auto run = [&](const SlotKey& slot, std::uint64_t number, std::uint64_t content) {
    rocksdb::Run made{
        .key = {slot, number}, .content = content, .first_groups = {1}, .samples = 1, .chunks = 1, .bytes = 10};
    made.first_time = made.last_time = slot.start;
    return std::make_shared<const rocksdb::Run>(made);
  };
  const SlotKey first{tenant, 0, kStart};
  const SlotKey second{tenant, 0, kStart + kHour};
  const SlotKey next_day{tenant, 0, kStart + kDay};
  const SlotKey stratum = stratum_slot(tenant, kDay, kStart + 5 * kHour);
  Runs runs({{5 * kMinute}, {}});
  for (const SlotKey& slot : {first, second, next_day}) runs.add(run(slot, 7, 7), 1);
  runs.set_mark(first, {7, false, {5 * kMinute}, {}});
  for (const SlotKey& slot : {first, second}) runs.add(run(slot, 1 << 20, 1 << 20), 2);  // of one flush
  for (const SlotKey& slot : {first, second}) runs.remove({slot, 7});
  runs.add(run(stratum, 8, 7), 3);
  EXPECT_EQ(runs.home_of(first), stratum);
  EXPECT_EQ(runs.home_of(second), stratum);
  EXPECT_EQ(runs.home_of(next_day), next_day);
  EXPECT_FALSE(runs.slots.contains(first));
  ASSERT_EQ(runs.slots.at(stratum).runs.size(), 3U);
  EXPECT_EQ(runs.slots.at(stratum).runs[0]->key.run, 8U);
  EXPECT_EQ(runs.slots.at(stratum).mark, Mark{});
  EXPECT_TRUE(runs.pending().contains(stratum));
  runs.remove({first, 1 << 20});
  EXPECT_EQ(runs.slots.at(stratum).runs.size(), 2U) << "the other of the same number stays";
  std::vector<SlotKey> in_order;
  for_each_raw_slot(runs, tenant, {kStart + kHour, kStart + 2 * kDay}, kHour,
                    [&](const SlotKey& slot, const Runs::OfSlot&) { in_order.push_back(slot); });
  EXPECT_EQ(in_order, (std::vector{stratum, next_day}));
}

TEST_F(Strata, a_commit_that_fails_leaves_the_slots) {
  put_minutes_by_hours(kStart, kStart + kDay);
  for (const std::string_view at : {"widen.begin", "widen.written", "widen.committed"}) {
    SCOPED_TRACE(at);
    *hook = [&](std::string_view step) { return step == at ? fail(Code::unavailable, "no") : Status{}; };
    EXPECT_FALSE(engine.samples().settle());
    *hook = nullptr;
    check_all();
  }
  settle();
  EXPECT_EQ(slots().size(), 1U);
  check_all();
}

TEST_F(Strata, are_erased_in_part_and_as_a_whole) {
  put_minutes(kStart, kStart + kDay);
  settle();
  put(kStart + 6 * kHour + 3, 5);  // beside it, unsealed
  const auto erase = [&](TimeRange range) {
    const auto report = engine.samples().erase(store.tenant(), store.find("m"), range, nullptr);
    ASSERT_TRUE(report);
    std::erase_if(samples, [&](const auto& sample) { return range.contains(sample.first); });
  };
  erase({kStart + 90 * kMinute + 1, kStart + 7 * kHour + 12 * kMinute});
  check_all();
  settle();
  check_all();
  EXPECT_EQ(samples_read(kFirstDay), 0U);
  erase(kFirstDay);
  check_all();
  EXPECT_TRUE(slots().empty());
  put(kStart + kHour, 3);
  EXPECT_EQ(slots().size(), 1U);
  check_all();
  engine.restart();
  settle();
  check_all();
}

// A sample is not read for longer than its slot of an hour would have been; the day goes as a whole.
TEST_F(Strata, are_read_no_longer_than_their_hours_would_be) {
  put_minutes(kStart, kStart + kDay);
  settle();
  ASSERT_EQ(strata(), 1U);
  engine.options().raw_retention_ms = 12 * kDay;
  engine.restart();
  clock.advance_ms(2 * kDay + 5 * kHour + 30 * kMinute);
  settle();
  EXPECT_EQ(strata(), 1U);
  EXPECT_EQ(read("m", kMinute, kFirstDay).sums.begin()->first, kStart + 5 * kHour);
  EXPECT_EQ(read("m", kMinute, kFirstDay).sums.size(), 19U * 60U);
  EXPECT_EQ(read("m", kHour, kFirstDay).sums.size(), 24U) << "of its windows";
  EXPECT_EQ(read("m", kHour, kFirstDay).sums.at(kStart).count, 60U);
  clock.advance_ms(kDay);
  settle();
  EXPECT_EQ(slots().back().phase, storage::SlotPhase::dropped);
  EXPECT_EQ(read("m", kHour, kFirstDay).sums.at(kStart).count, 60U);
  EXPECT_TRUE(read("m", kHour, kFirstDay, false).sums.empty());
  // What comes late is added, once, also where several hours go into one window.
  put(kStart + 2 * kHour + 1, 1e6);
  put(kStart + 9 * kHour + 1, 2e6);
  for (int look = 0; look < 3; ++look) {
    SCOPED_TRACE(look);
    EXPECT_EQ(read("m", kHour, kFirstDay).sums.at(kStart + 2 * kHour).count, 61U);
    EXPECT_EQ(read("m", kDay, kFirstDay).sums.at(kStart).count, 24U * 60U + 2U);
    EXPECT_EQ(read("m", kDay, kFirstDay).sums.at(kStart).max, 2e6);
    look == 1 ? engine.restart() : settle();
  }
}

// Windows of ten seconds have level slots of an hour: a stratum's are in many of them.
TEST_F(Strata, are_sealed_again_when_other_windows_are_wanted) {
  put_minutes(kStart, kStart + kDay);
  settle();
  engine.options().rollups.levels.insert(engine.options().rollups.levels.begin(), {10'000, rollup::kForEver});
  engine.restart();
  check_all();
  settle();
  check_all();
  EXPECT_EQ(read("m", 10'000, kFirstDay).windows, 24U * 60U);
  EXPECT_EQ(read("m", 10'000, kFirstDay).samples, 0U);
}

}  // namespace
}  // namespace varve::engine::rocksdb
