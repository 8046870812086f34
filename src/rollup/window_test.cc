// SPDX-License-Identifier: Apache-2.0
#include "rollup/window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "model/testing/lengths.h"
#include "rollup/columns.h"
#include "rollup/fold.h"
#include "rollup/levels.h"

namespace varve::rollup {
namespace {

using model::Timestamp;

using model::testing::kMinute;

Windows folded(const std::vector<Timestamp>& times, const std::vector<double>& values, std::int64_t width) {
  Windows out;
  std::vector<Cut> cuts;
  cut(times, width, cuts);
  fold(Numbers{times, values}, cuts, out);
  return out;
}

TEST(Fold, the_ends_of_time_are_in_windows_of_every_width) {
  const std::vector<Timestamp> times = {model::kTimestampMin,     model::kTimestampMin + 1, -1, 0,
                                        model::kTimestampMax - 1, model::kTimestampMax};
  const std::vector<double> values = {1, 2, 4, 8, 16, 32};
  for (const std::int64_t finest : {std::int64_t{1}, std::int64_t{1000}, 5 * kMinute}) {
    const Windows fine = folded(times, values, finest);
    for (const std::int64_t width : {1000 * kMinute, 1440 * kMinute, 366 * 1440 * kMinute}) {
      PartPool parts;
      Windows wide;
      coarsen(fine, width, wide, parts);
      double sum = 0;
      std::uint64_t count = 0;
      for (const Window& window : wide) {
        EXPECT_LE(window.start, window.first_time);
        EXPECT_GT(window.start + width, window.last_time);
        EXPECT_EQ(window.start % width, 0);
        sum += window.sum;
        count += window.count;
      }
      EXPECT_EQ(sum, 63);
      EXPECT_EQ(count, 6U);
      EXPECT_EQ(wide.front().first_time, model::kTimestampMin);
      EXPECT_LT(wide.front().start, model::kTimestampMin);
    }
  }
}

TEST(Fold, one_window_each_for_what_there_is) {
  const auto w = folded({2 * kMinute, 3 * kMinute, 15 * kMinute, 16 * kMinute, 17 * kMinute, 22 * kMinute},
                        {1, 2, 3, 4, 5, 6}, 5 * kMinute);
  ASSERT_EQ(w.size(), 3U);  // nothing for empty windows
  EXPECT_EQ(w[0].start, 0);
  EXPECT_EQ(w[0].count, 2U);
  EXPECT_EQ(w[0].first_time, 2 * kMinute);
  EXPECT_EQ(w[0].last_time, 3 * kMinute);
  EXPECT_EQ(w[1].start, 15 * kMinute);
  EXPECT_EQ(w[1].sum, 12);
  EXPECT_EQ(w[2].start, 20 * kMinute);
}

TEST(Fold, negative_times_and_values) {
  const auto w = folded({-1, 0}, {-5, -3}, kMinute);
  ASSERT_EQ(w.size(), 2U);
  EXPECT_EQ(w[0].start, -kMinute);
  EXPECT_EQ(w[0].max, -5);
  const auto both = folded({0, 1}, {-5, -3}, kMinute);
  EXPECT_EQ(both[0].max, -3);
  EXPECT_EQ(both[0].min, -5);
}

TEST(Fold, what_is_no_number_is_passed_over) {
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  const auto w = folded({0, 1, 2, 3, kMinute}, {nan, 4, inf, -2, nan}, kMinute);
  ASSERT_EQ(w.size(), 1U);
  EXPECT_EQ(w[0].count, 2U);
  EXPECT_EQ(w[0].sum, 2);
  EXPECT_EQ(w[0].min, -2);
  EXPECT_EQ(w[0].first_time, 1);
}

TEST(Fold, equals_the_plainest_way) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<Timestamp> times;
    std::vector<double> values;
    Timestamp t = -100'000;
    for (int i = 0; i < 300; ++i) {
      t += 1 + static_cast<Timestamp>(random() % 9000);
      times.push_back(t);
      values.push_back(static_cast<double>(static_cast<int>(random() % 2000) - 1000) / 8);
    }
    Windows want;
    PartPool none;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Window one{
          model::window_start(times[i], kMinute), times[i], times[i], 1, values[i], values[i], values[i], {}};
      if (!want.empty() && want.back().start == one.start) {
        combine(want.back(), one, none);
      } else {
        want.push_back(one);
      }
    }
    const auto got = folded(times, values, kMinute);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].start, want[i].start);
      EXPECT_EQ(got[i].count, want[i].count);
      EXPECT_EQ(got[i].sum, want[i].sum);  // eighths add exactly
      EXPECT_EQ(got[i].min, want[i].min);
      EXPECT_EQ(got[i].max, want[i].max);
      EXPECT_EQ(got[i].first_time, want[i].first_time);
      EXPECT_EQ(got[i].last_time, want[i].last_time);
    }
  }
}

TEST(Fold, texts_keep_the_last) {
  const std::vector<Timestamp> times = {0, 1, kMinute};
  const std::vector<std::string_view> values = {"up", "down", "up"};
  Windows w;
  const std::vector<model::ValueType> types = {model::ValueType::string, model::ValueType::complex,
                                               model::ValueType::string};
  PartPool texts;
  fold(Texts{times, values, types}, kMinute, w, texts);
  ASSERT_EQ(w.size(), 2U);
  EXPECT_EQ(w[0].count, 2U);
  EXPECT_EQ(w[0].text->last, "down");
  EXPECT_EQ(w[0].text->last_type, model::ValueType::complex);
  Windows wide;
  coarsen(w, 2 * kMinute, wide, texts);
  ASSERT_EQ(wide.size(), 1U);
  EXPECT_EQ(wide[0].text->last, "up");
  EXPECT_EQ(wide[0].text->last_type, model::ValueType::string);
}

TEST(Coarsen, unequal_counts_average_by_count) {
  const auto minutes = folded({0, 1, 2, kMinute}, {1, 1, 1, 4}, kMinute);
  Windows w;
  PartPool none;
  coarsen(minutes, 2 * kMinute, w, none);
  ASSERT_EQ(w.size(), 1U);
  EXPECT_EQ(w[0].sum / static_cast<double>(w[0].count), 1.75);
  EXPECT_EQ(w[0].last_time, kMinute);
}

TEST(Combine, an_empty_window_adds_nothing) {
  const Window one{0, 3, 4, 2, -5, -3, -2, {}};
  const TextPart no{.last = "no"};
  const Window none{0, 0, 0, 0, 9, -9, 9, &no};
  PartPool texts;
  for (auto [into, from] : {std::pair(one, none), std::pair(none, one)}) {
    combine(into, from, texts);
    EXPECT_EQ(into.count, 2U);
    EXPECT_EQ(into.first_time, 3);
    EXPECT_EQ(into.last_time, 4);
    EXPECT_EQ(into.sum, -5);
    EXPECT_EQ(into.min, -3);
    EXPECT_EQ(into.max, -2);
    EXPECT_EQ(into.text, nullptr);
  }
}

TEST(Coarsen, of_empty_windows_is_an_empty_one) {
  Windows w;
  PartPool none;
  coarsen({{0, 0, 0, 0, 0, 0, 0, {}},
           {kMinute, kMinute, kMinute, 0, 0, 0, 0, {}},
           {2 * kMinute, 2 * kMinute, 2 * kMinute, 0, 0, 0, 0, {}},
           {3 * kMinute, 3 * kMinute + 1, 3 * kMinute + 1, 1, 4, 4, 4, {}}},
          2 * kMinute, w, none);
  ASSERT_EQ(w.size(), 2U);
  EXPECT_EQ(w[0].start, 0);
  EXPECT_EQ(w[0].count, 0U);
  EXPECT_EQ(w[1].start, 2 * kMinute);
  EXPECT_EQ(w[1].first_time, 3 * kMinute + 1);
  EXPECT_EQ(w[1].count, 1U);
  EXPECT_EQ(w[1].min, 4);
}

TEST(Merged, what_both_have_is_combined) {
  const auto a = folded({0, kMinute}, {1, 2}, kMinute);
  const auto b = folded({kMinute + 1, 3 * kMinute}, {10, 3}, kMinute);
  PartPool none;
  const auto w = merged(a, b, none);
  ASSERT_EQ(w.size(), 3U);
  EXPECT_EQ(w[1].sum, 12);
  EXPECT_EQ(w[1].max, 10);
  EXPECT_EQ(w[2].start, 3 * kMinute);
}

TEST(Levels, widths_that_do_not_fit_say_what_would) {
  const auto fault = [](std::vector<std::int64_t> minutes, std::int64_t slot) -> std::string {
    Levels levels;
    for (const auto m : minutes) levels.levels.push_back({m * kMinute, kForEver});
    const auto status = levels.check(slot * kMinute);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(fault({5, 60, 1440}, 60), "");
  EXPECT_EQ(fault({}, 7), "");
  EXPECT_NE(fault({2, 8, 20}, 40).find("24m would do"), std::string::npos) << fault({2, 8, 20}, 40);
  EXPECT_EQ(fault({2, 4, 16}, 16), "");
  EXPECT_NE(fault({5}, 7).find("10m would do"), std::string::npos) << fault({5}, 7);
  EXPECT_NE(fault({5, 90}, 60).find("2h would do"), std::string::npos) << fault({5, 90}, 60);
  EXPECT_NE(fault({60}, 30).find("wider"), std::string::npos) << fault({60}, 30);
}

TEST(Levels, counters_by_suffix) {
  Levels levels;
  levels.counter_suffixes = {"bytes", "reads"};
  EXPECT_EQ(levels.kind_of("if_bytes"), Kind::counter);
  EXPECT_EQ(levels.kind_of("bytes_used"), Kind::gauge);
}

TEST(Columns, of_each_kind) {
  Columns columns;
  columns.add(Kind::gauge, folded({3, kMinute}, {1.5, 2}, kMinute));
  EXPECT_EQ(columns.starts, (std::vector<Timestamp>{0, kMinute}));
  EXPECT_EQ(columns.offsets, (std::vector<std::int64_t>{3, 0}));
  EXPECT_EQ(columns.mins.size(), 2U);
  columns.clear();
  columns.add(Kind::counter, folded({3}, {1.5}, kMinute));
  EXPECT_EQ(columns.sums.size(), 1U);
  EXPECT_TRUE(columns.mins.empty());
}

}  // namespace
}  // namespace varve::rollup
