// SPDX-License-Identifier: Apache-2.0
// Rollups through the store: whatever of a range is read as windows says the same as the samples.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <random>

#include "engine/rocksdb/testing/rollup_store.h"
#include "engine/rocksdb/testing/sums.h"
#include "storage/testing/merging_sink.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using testing::expect_equal;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using testing::Sums;
using Rollup = testing::RollupStore;

TEST_F(Rollup, a_sealed_day_is_read_as_windows) {
  const auto group = store.group({"m"});
  for (Timestamp t = 0; t < kDay; t += 10'000)
    ASSERT_TRUE(store.put(*group, kStart + t, {Value::of_double(t * 0.001)}));
  const model::TimeRange day{kStart, kStart + kDay};
  const auto raw = read("m", kHour, day);
  EXPECT_EQ(raw.windows, 0U);
  settle();
  const auto hours = read("m", kHour, day);
  EXPECT_EQ(hours.windows, 24U);
  EXPECT_EQ(hours.samples, 0U);
  expect_equal(hours.sums, raw.sums);
  EXPECT_EQ(read("m", kDay, day).windows, 1U);
  EXPECT_EQ(read("m", 5 * kMinute, day).windows, 288U);
  EXPECT_EQ(read("m", 30 * kMinute, day).windows, 288U);  // of 5 minutes each
  EXPECT_EQ(read("m", 3 * kMinute, day).windows, 0U);
  engine.restart();
  expect_equal(read("m", kHour, day).sums, raw.sums);
  EXPECT_EQ(read("m", kHour, day).windows, 24U);
}

TEST_F(Rollup, the_edges_of_a_range_are_read_as_samples) {
  const auto group = store.group({"m"});
  for (Timestamp t = 0; t < kDay; t += 60'000) ASSERT_TRUE(store.put(*group, kStart + t, {Value::of_long(t / 1000)}));
  const model::TimeRange range{kStart + 90 * kMinute + 1, kStart + 20 * kHour + 7 * kMinute};
  const auto raw = read("m", kHour, range);
  settle();
  const auto windows = read("m", kHour, range);
  EXPECT_EQ(windows.windows, 18U + 5U + 1U);  // 02:00–20:00; 01:35–02:00 and 20:00–20:05 as windows of 5 minutes
  EXPECT_EQ(windows.samples, 4U + 2U);
  expect_equal(windows.sums, raw.sums);
}

TEST_F(Rollup, late_samples_are_seen_before_and_after_the_next_sealing) {
  const auto group = store.group({"m"});
  for (Timestamp t = 0; t < kDay; t += 60'000) ASSERT_TRUE(store.put(*group, kStart + t, {Value::of_long(1)}));
  settle();
  ASSERT_TRUE(store.put(*group, kStart + 3 * kHour + 30, {Value::of_long(100)}));
  ASSERT_TRUE(store.put(*group, kStart + 3 * kHour, {Value::of_long(50)}));  // over a sample that is rolled up
  const model::TimeRange day{kStart, kStart + kDay};
  const auto check = [&](std::size_t samples) {
    const auto got = read("m", kHour, day);
    EXPECT_EQ(got.samples, samples);
    const auto& hour = got.sums.at(kStart + 3 * kHour);
    EXPECT_EQ(hour.count, 61U);
    EXPECT_EQ(hour.sum, 59 + 100 + 50);
    EXPECT_EQ(hour.max, 100);
    expect_equal(got.sums, read("m", kHour, day, false).sums);
  };
  check(61);
  settle();
  check(0);
  EXPECT_EQ(read("m", kDay, day).windows, 1U);
  EXPECT_EQ(read("m", kDay, day).sums.at(kStart).sum, 24 * 60 - 1 + 100 + 50);
}

// Windows of six hours and of days, and what makes the first can be made to fail.
class CoarseRollup : public Rollup {
 protected:
  CoarseRollup() : CoarseRollup(std::make_shared<bool>(false)) {}
  std::shared_ptr<bool> fails;

 private:
  explicit CoarseRollup(const std::shared_ptr<bool>& coarse_fails)
      : Rollup(options_with(coarse_fails)), fails(coarse_fails) {}
  static Options options_with(const std::shared_ptr<bool>& fails) {
    Options o = options();
    o.rollups.levels.insert(o.rollups.levels.begin() + 2, {6 * kHour, rollup::kForEver});
    o.at_step = [fails](std::string_view step) -> Status {
      return *fails && step == "coarse.begin" ? fail(Code::unavailable, "no space") : Status{};
    };
    return o;
  }
};

// The day is made of windows of six hours, and these lack what came late.
TEST_F(CoarseRollup, a_window_is_not_read_while_one_that_it_is_made_of_lacks_something) {
  const auto group = store.group({"m"});
  for (Timestamp t = 0; t < kDay; t += 60'000) ASSERT_TRUE(store.put(*group, kStart + t, {Value::of_long(1)}));
  settle();
  ASSERT_TRUE(store.put(*group, kStart + 3 * kHour + 30, {Value::of_long(100)}));
  *fails = true;
  EXPECT_FALSE(engine.samples().settle());
  const model::TimeRange day{kStart, kStart + kDay};
  expect_equal(read("m", kDay, day).sums, read("m", kDay, day, false).sums);
  *fails = false;
  settle();
  EXPECT_EQ(read("m", kDay, day).windows, 1U);
  expect_equal(read("m", kDay, day).sums, read("m", kDay, day, false).sums);
}

// Two slots of two days that follow each other, yet more than a day apart: their days are one stretch of windows.
TEST_F(Rollup, a_late_slot_is_seen_beside_days_whose_slots_are_far_from_each_other) {
  const auto group = store.group({"m"});
  const auto put = [&](Timestamp t) { ASSERT_TRUE(store.put(*group, kStart + t, {Value::of_long(1)})); };
  put(0);
  put(kDay + 23 * kHour);
  settle();
  put(kDay + 10 * kHour);
  const model::TimeRange both{kStart, kStart + 2 * kDay};
  const auto got = read("m", kDay, both);
  EXPECT_EQ(got.windows, 2U);
  expect_equal(got.sums, read("m", kDay, both, false).sums);
}

TEST_F(Rollup, random_life_of_series_with_a_few_samples_a_month) {
  std::mt19937 random(11);
  const auto pick = [&](std::uint32_t below) { return random() % below; };
  const auto group = store.group({"m"});
  std::map<Timestamp, double> model;
  for (int step = 0; step < 120; ++step) {
    SCOPED_TRACE(step);
    for (std::uint32_t n = pick(4); n > 0; --n) {
      const Timestamp t = kStart - static_cast<Timestamp>(pick(60 * 24)) * kHour + pick(3'600'000);
      model[t] = pick(100);
      ASSERT_TRUE(store.put(*group, t, {Value::of_double(model[t])}));
    }
    if (pick(4) == 0) settle();
    const std::int64_t width = std::vector<std::int64_t>{5 * kMinute, kHour, kDay, 10 * kDay}[pick(4)];
    const Timestamp first = kStart - static_cast<Timestamp>(pick(61)) * kDay;
    const model::TimeRange range{first, first + static_cast<Timestamp>(1 + pick(60)) * kDay};
    Sums want;
    for (const auto& [time, v] : model) {
      if (range.contains(time)) want[model::window_start(time, width)].add(time, 1, v, v, v);
    }
    expect_equal(read("m", width, range).sums, want);
    if (HasFailure()) return;
  }
}

TEST_F(Rollup, late_samples_are_added_once_where_the_raw_ones_are_gone) {
  engine.options().raw_retention_ms = 2 * kDay;
  engine.restart();
  const auto group = store.group({"m"});
  for (Timestamp t = 0; t < kHour; t += 60'000) ASSERT_TRUE(store.put(*group, kStart + t, {Value::of_long(2)}));
  clock.advance_ms(kHour);  // retention is looked after once an hour
  settle();
  const model::TimeRange day{kStart, kStart + kDay};
  EXPECT_EQ(read("m", kHour, day, false).samples, 0U);  // dropped
  EXPECT_EQ(read("m", kHour, day).sums.at(kStart).sum, 120);
  ASSERT_TRUE(store.put(*group, kStart + 30, {Value::of_long(7)}));
  for (int look = 0; look < 4; ++look) {
    SCOPED_TRACE(look);
    for (const std::int64_t width : {5 * kMinute, kHour, kDay}) {
      const auto sums = read("m", width, day).sums;
      ASSERT_EQ(sums.count(kStart), 1U);
      EXPECT_EQ(sums.at(kStart).sum, width == 5 * kMinute ? 17 : 127) << width;
      EXPECT_EQ(sums.at(kStart).max, 7) << width;
    }
    if (look == 2) engine.restart();
    clock.advance_ms(kHour);
    settle();
  }
}

// Days are made of hours, and late ones are added to them, too.
TEST_F(Rollup, merged_histograms_outlive_their_samples) {
  using storage::testing::MergingSink;
  using storage::testing::small_histogram;
  engine.options().raw_retention_ms = 2 * kDay;
  engine.options().rollups.levels = {{5 * kMinute, rollup::kForEver}, {kHour, rollup::kForEver}};
  engine.restart();
  const auto group = store.group({"m"});
  storage::testing::Samples written;
  const auto put = [&](Timestamp time, const Value& value) {
    ASSERT_TRUE(store.put(*group, time, {value}));
    written[time] = storage::testing::OwnedValue(value);
  };
  for (unsigned i = 0; i < 300; ++i) put(kStart + i * kMinute, Value::of_histogram(small_histogram(i)));
  put(kStart + 5 * kHour, Value::of_string("text"));
  put(kStart + 5 * kHour + 1, Value::of_histogram(small_histogram(300)));
  put(kStart + 5 * kHour + 2, Value::of_long(7));
  const auto look = [&](bool numbers) {
    MergingSink sink(1, numbers);
    storage::ScanOptions options;
    options.range = {kStart, kStart + kDay};
    EXPECT_TRUE(engine.samples().scan(store.tenant(), store.find("m"), options, sink));
    EXPECT_EQ(sink.samples, 0U);
    return sink.hours(0);
  };
  clock.advance_ms(kHour);
  settle();
  EXPECT_TRUE(store.read("m").empty());
  auto want = storage::testing::hours_of(written);
  want[kStart + 5 * kHour].texts.clear();
  EXPECT_EQ(look(true), want);
  want[kStart + 5 * kHour].numbers = 0;
  want[kStart + 5 * kHour].sum = 0;
  EXPECT_EQ(look(false), want) << "numbers are wanted as samples, and gone";
  const Timestamp late = kStart + 2 * kHour + 30;
  ASSERT_TRUE(store.put(*group, late, {Value::of_histogram(small_histogram(500))}));
  want[kStart + 2 * kHour].add_histogram(late, 1, small_histogram(500));
  for (int twice = 0; twice < 2; ++twice) {
    clock.advance_ms(kHour);
    settle();
    EXPECT_EQ(look(false), want);
    engine.restart();
  }
}

TEST_F(Rollup, a_histogram_too_large_for_its_window_is_read_as_a_sample) {
  using storage::testing::MergingSink;
  engine.options().raw_retention_ms = 20 * kDay;
  engine.restart();
  const auto group = store.group({"m"});
  model::Histogram large{.precision = 40, .bins = {}, .min = 1, .max = 3, .mean = 2, .sum = 40'000};
  for (int i = 0; i < 20'000; ++i) large.bins.push_back({model::bin_of(1 + i * 1e-4, 40), 1});
  const std::string bytes = model::encode(large);
  ASSERT_TRUE(store.put(*group, kStart + 1, {Value::of_histogram(bytes)}));
  const auto look = [&](bool is_sample) {
    MergingSink sink(1, false);
    storage::ScanOptions options;
    options.range = {kStart, kStart + kDay};
    EXPECT_TRUE(engine.samples().scan(store.tenant(), store.find("m"), options, sink));
    EXPECT_EQ(sink.samples, is_sample ? 1U : 0U);
    const auto merged = model::decode_histogram(sink.hours(0).at(kStart).merged);
    EXPECT_EQ(merged->count(), 20'000U);
    EXPECT_EQ(merged->sum, 40'000);
    EXPECT_EQ(merged->precision == 40, is_sample);
  };
  settle();
  look(true);
  clock.advance_ms(20 * kDay);
  settle();
  look(false);
}

TEST_F(Rollup, windows_go_when_their_time_is_over) {
  engine.options().raw_retention_ms = kDay;
  engine.options().rollups.levels = {{5 * kMinute, 2 * kDay}, {kHour, 400 * kDay}};
  engine.restart();
  const auto group = store.group({"m"});
  for (Timestamp t = 0; t < kHour; t += 60'000) ASSERT_TRUE(store.put(*group, kStart + t, {Value::of_long(2)}));
  clock.advance_ms(kHour);
  settle();
  const model::TimeRange day{kStart, kStart + kDay};
  EXPECT_EQ(read("m", 5 * kMinute, day).sums.size(), 0U);
  EXPECT_EQ(read("m", kHour, day).sums.at(kStart).sum, 120);
  clock.advance_ms(500 * kDay);
  settle();
  EXPECT_EQ(read("m", kHour, day).sums.size(), 0U);
}

TEST_F(Rollup, samples_that_outlive_their_windows_are_read) {
  engine.options().rollups.levels = {{5 * kMinute, 2 * kDay}, {kHour, 3 * kDay}};
  engine.restart();
  const auto group = store.group({"m"});
  for (Timestamp t = 0; t < kHour; t += 60'000) ASSERT_TRUE(store.put(*group, kStart + t, {Value::of_long(2)}));
  settle();
  clock.advance_ms(kHour);
  settle();  // ten days later: the windows have been made and have gone
  EXPECT_EQ(read("m", kHour, {kStart, kStart + kDay}).sums.at(kStart).sum, 120);
  EXPECT_EQ(read("m", 5 * kMinute, {kStart, kStart + kDay}).sums.size(), 12U);
}

TEST_F(Rollup, counters_have_sums_only) {
  const auto group = store.group({"if_bytes"});
  for (Timestamp t = 0; t < kHour; t += 60'000) ASSERT_TRUE(store.put(*group, kStart + t, {Value::of_long(t)}));
  settle();
  const model::TimeRange hour{kStart, kStart + kHour};
  EXPECT_EQ(read("if_bytes", 30 * kMinute, hour, true, false).windows, 12U);  // of 5 minutes each
  const auto extremes = read("if_bytes", 30 * kMinute, hour, true, true);
  EXPECT_EQ(extremes.samples, 60U);
  EXPECT_EQ(extremes.sums.at(kStart).max, 29 * 60'000);
}

TEST_F(Rollup, nan_does_not_poison_a_window) {
  const auto group = store.group({"m"});
  ASSERT_TRUE(store.put(*group, kStart, {Value::of_double(1)}));
  ASSERT_TRUE(store.put(*group, kStart + 1, {Value::of_double(std::nan(""))}));
  ASSERT_TRUE(store.put(*group, kStart + 2, {Value::of_double(3)}));
  settle();
  const auto got = read("m", kHour, {kStart, kStart + kHour});
  EXPECT_EQ(got.windows, 1U);
  EXPECT_EQ(got.sums.at(kStart).sum, 4);
  EXPECT_EQ(got.sums.at(kStart).count, 2U);
}

// Each value stands where the one before did, and there is none beside it in its window, or in its day.
TEST_F(Rollup, a_window_whose_only_number_is_replaced_is_none) {
  const auto pair = store.group({"m", "if_bytes"});
  const auto alone = store.group({"m"});
  const auto counter = store.group({"if_bytes"});
  const Timestamp lonely = kStart + 3 * kHour + 7 * kMinute;
  const Timestamp accompanied = lonely + 2 * kDay;
  ASSERT_TRUE(store.put(*pair, accompanied + 5 * kHour, {Value::of_long(7), Value::of_long(7)}));
  const auto check = [&](const std::string& metric, Timestamp time, std::uint64_t in_window, std::uint64_t in_day) {
    const Timestamp day = model::window_start(time, kDay);
    for (const std::int64_t width : {5 * kMinute, kHour, kDay}) {
      SCOPED_TRACE(metric + " in " + std::to_string(width / kMinute) + "m");
      const auto got = read(metric, width, {day, day + kDay}, true, metric == "m");
      const auto there = got.sums.find(model::window_start(time, width));
      const std::uint64_t want = width == kDay ? in_day : in_window;
      ASSERT_EQ(there != got.sums.end(), want > 0);
      if (want > 0) {
        EXPECT_EQ(there->second.count, want);
      }
      EXPECT_EQ(got.samples, 0U);  // all is read as windows
      if (metric == "m") expect_equal(got.sums, read(metric, width, {day, day + kDay}, false).sums);
    }
  };
  const Value values[] = {Value::of_double(1.5),          Value::of_string("x"), Value::of_long(2),
                          Value::of_double(std::nan("")), Value::of_string("y"), Value::of_double(-3)};
  for (const Value& value : values) {
    SCOPED_TRACE(&value - values);
    for (const Timestamp time : {lonely, accompanied}) {
      if (value.type == model::ValueType::string) {  // stands alone in its group
        ASSERT_TRUE(store.put(*alone, time, {value}));
        ASSERT_TRUE(store.put(*counter, time, {value}));
      } else {
        ASSERT_TRUE(store.put(*pair, time, {value, value}));
      }
    }
    settle();
    const bool number = value.type == model::ValueType::long_ ||
                        (value.type == model::ValueType::double_ && !std::isnan(std::bit_cast<double>(value.bits)));
    for (const bool restarted : {false, true}) {
      SCOPED_TRACE(restarted);
      if (restarted) engine.restart();
      for (const char* metric : {"m", "if_bytes"}) {
        check(metric, lonely, number ? 1 : 0, number ? 1 : 0);
        check(metric, accompanied, number ? 1 : 0, number ? 2 : 1);
      }
    }
  }
}

TEST_F(Rollup, a_series_in_two_groups_is_counted_once) {
  const auto pair = store.group({"m", "n"});
  const auto alone = store.group({"m"});
  for (Timestamp t = 0; t < kHour; t += 60'000) {
    ASSERT_TRUE(store.put(*pair, kStart + t, {Value::of_long(1), Value::of_long(2)}));
    if (t % 120'000 == 0) {
      ASSERT_TRUE(store.put(*alone, kStart + t, {Value::of_long(5)}));
    }
  }
  const model::TimeRange hour{kStart, kStart + kHour};
  const auto raw = read("m", kHour, hour);
  settle();
  const auto got = read("m", kHour, hour);
  EXPECT_EQ(got.windows, 1U);
  expect_equal(got.sums, raw.sums);
  EXPECT_EQ(got.sums.at(kStart).sum, 30 * 5 + 30);
}

// Random work: the windows and the samples always agree.
TEST_F(Rollup, random_life) {
  engine.options().raw_retention_ms = 20 * kDay;  // longer than this life, but for a clock that jumps
  engine.restart();
  std::mt19937 random(7);
  const auto pick = [&](std::uint32_t below) { return random() % below; };
  std::vector<storage::testing::Group*> groups;
  groups.push_back(store.group({"a", "b"}));
  groups.push_back(store.group({"a"}));
  groups.push_back(store.group({"b", "c"}));
  testing::Written model;
  clock.advance_ms(-9 * kDay);
  for (int step = 0; step < 120; ++step) {
    SCOPED_TRACE(step);
    const auto what = pick(10);
    if (what < 5) {
      ASSERT_TRUE(store.append(testing::random_rows(groups, pick, clock.now_ms(), model)));
    } else if (what < 6) {
      settle();
    } else if (what < 7) {
      clock.advance_ms(static_cast<std::int64_t>(pick(20)) * kHour);
    } else if (what == 7 && pick(3) == 0) {
      const std::int64_t ahead = pick(2) == 0 ? 0 : 1000 * kDay;
      clock.jump_ms(ahead);
      engine.restart();
      if (ahead != 0) settle();
      clock.jump_ms(-ahead);
    } else {
      const std::string metric(1, static_cast<char>('a' + pick(3)));
      const std::int64_t width = std::vector<std::int64_t>{5 * kMinute, 30 * kMinute, kHour, 2 * kHour, kDay}[pick(5)];
      const Timestamp first = clock.now_ms() - static_cast<Timestamp>(pick(4 * 86'400)) * 1000;
      const model::TimeRange range{first, first + static_cast<Timestamp>(1 + pick(4 * 86'400)) * 1000};
      Sums want;
      for (const auto& [time, v] : model[metric]) {
        if (range.contains(time)) want[model::window_start(time, width)].add(time, 1, v, v, v);
      }
      expect_equal(read(metric, width, range).sums, want);
      expect_equal(read(metric, width, range, false).sums, want);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
