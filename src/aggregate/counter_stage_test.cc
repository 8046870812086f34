// SPDX-License-Identifier: Apache-2.0
#include "aggregate/counter_stage.h"

#include <gtest/gtest.h>

#include <random>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

CounterStage counter_of(std::int64_t width, bool per_second = false) {
  CounterStage stage;
  stage.sampling = {width, model::TimeUnit::milliseconds};
  stage.align_epoch = true;
  stage.per_second = per_second;
  return stage;
}

std::string counted(const CounterStage& stage, const std::string& points) {
  const auto out = apply(stage, Scope{}, points_of(points));
  return out ? text_of(*out) : out.error().message;
}

TEST(CounterStage, OfPointsAsOneCounter) {
  const CounterStage increase = counter_of(30), rate = counter_of(30, true);
  EXPECT_EQ(counted(increase, "10:0 40:300"), "0:200 30:100");
  EXPECT_EQ(counted(rate, "10:0 40:300"), "0:10000.0 30:10000.0");
  EXPECT_EQ(counted(increase, ""), "");
  EXPECT_EQ(counted(increase, "10:5"), "");
  EXPECT_EQ(counted(increase, "5:777 35:777"), "0:0 30:0");
  EXPECT_EQ(counted(increase, "0:5000 30:6000 60:100 90:400"), "0:1000 60:300");
  EXPECT_EQ(counted(increase, "0:0.5 30:1.0 60:2.0"), "0:0.5 30:1.0");
  EXPECT_EQ(counted(increase, "0:1 30:2 60:2.5"), "0:1 30:0.5") << "whole where it is";
  EXPECT_EQ(counted(increase, "0:1 0:3 30:4 30:9"), "0:6") << "of equal times the last";
  EXPECT_EQ(counted(increase, "0:1 10:null 20:- 30:4"), "0:3");
  EXPECT_EQ(counted(increase, "-40:0 -10:300"), "-60:100 -30:200");
}

TEST(CounterStage, Options) {
  CounterStage stage = counter_of(30);
  stage.options.max_gap_ms = 29;
  EXPECT_EQ(counted(stage, "0:0 30:5 59:9"), "30:4");
  stage = counter_of(30);
  stage.options.from_zero = true;
  EXPECT_EQ(counted(stage, "0:9 30:5"), "0:5");
  stage.options.is_32_bits = true;
  EXPECT_EQ(counted(stage, "0:4294967000 30:704"), "0:1000");
  stage.options.max_per_second = 30'000;
  EXPECT_EQ(counted(stage, "0:0 30:900 60:1801 90:1900"), "0:900 60:99");
}

TEST(CounterStage, StampsAndCalendars) {
  CounterStage stage = counter_of(30);
  stage.stamp = Stamp::window_end;
  EXPECT_EQ(counted(stage, "10:0 40:300"), "30:200 60:100");
  // 31 days of January 1970, then February.
  constexpr std::int64_t kDay = model::kDayMs;
  stage = CounterStage();
  stage.sampling = {1, model::TimeUnit::months};
  stage.options.max_gap_ms = 100 * kDay;
  EXPECT_EQ(counted(stage, "0:0 " + std::to_string(62 * kDay) + ":62"),
            "0:31 " + std::to_string(31 * kDay) + ":28 " + std::to_string(59 * kDay) + ":3");
}

TEST(CounterStage, LargerThanALong) {
  EXPECT_EQ(counted(counter_of(30), "0:-9223372036854775807 30:0"), "0:9223372036854775807");
  EXPECT_EQ(counted(counter_of(30), "0:-9223372036854775807 30:1"), "0:9223372036854775808.0");
}

TEST(CounterStage, AWideGapOfNarrowWindowsIsRefused) {
  CounterStage stage = counter_of(1);
  stage.options.max_gap_ms = std::int64_t{1} << 50;
  std::size_t left = 1'000'000;
  const Scope scope{0, 0, [&](std::size_t bytes) -> Status {
                      if (bytes > left) return fail(Code::limit, "over");
                      left -= bytes;
                      return {};
                    }};
  const auto out = apply(stage, scope, points_of("0:0 1000000000000:1"));
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, Code::limit);
}

// However a column is cut by a range, the parts are the whole; and windows of windows are those of the samples.
TEST(CounterStage, PartsAreTheWhole) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    Points points;
    std::int64_t value = 0;
    model::Timestamp time = static_cast<std::int64_t>(random() % 5'000) - 2'500;
    for (int i = 0; i < 60; ++i) {
      points.push(time, model::ValueType::long_, std::bit_cast<std::uint64_t>(value));
      time += 1 + static_cast<std::int64_t>(random() % 200);
      value += static_cast<std::int64_t>(random() % 1000) - 50;
    }
    const counter::Evidence evidence{{.gap_ms = 150}};
    const auto narrow = 1 + static_cast<std::int64_t>(random() % 50);
    const Windows fine({narrow, model::TimeUnit::milliseconds}, false, 0);
    const Windows wide({narrow * 7, model::TimeUnit::milliseconds}, false, 0);
    const auto count_in = [&](model::TimeRange range, const Windows& windows, GrowthCells& cells) {
      counter::LastSample last;
      EXPECT_TRUE(aggregate::count(evidence, last, points, range, windows, {}, cells));
    };
    GrowthCells whole, parts, of_fine;
    count_in({}, wide, whole);
    const auto cut = static_cast<std::int64_t>(random() % 8'000) - 3'000;
    count_in({model::kTimestampMin, cut}, wide, parts);
    count_in({cut, model::kTimestampMax}, wide, parts);
    GrowthCells fine_cells;
    count_in({}, fine, fine_cells);
    for (const GrowthCell& cell : fine_cells.cells()) {
      ASSERT_TRUE(of_fine.add(wide.index(fine.start(cell.window)), cell.growth, {}));
    }
    for (const GrowthCells* other : {&parts, &of_fine}) {
      ASSERT_EQ(other->cells().size(), whole.cells().size());
      for (std::size_t i = 0; i < whole.cells().size(); ++i) {
        EXPECT_EQ(other->cells()[i].window, whole.cells()[i].window);
        EXPECT_EQ(other->cells()[i].growth.whole, whole.cells()[i].growth.whole);
        EXPECT_EQ(other->cells()[i].growth.covered_ms, whole.cells()[i].growth.covered_ms);
      }
    }
  }
}

TEST(Growth, TotalsAreKnownWhereAnySeriesIs) {
  GrowthCells a, b;
  ASSERT_TRUE(a.add(1, {10, 0, false, 1000}, {}));
  ASSERT_TRUE(a.add(3, {30, 0, false, 2000}, {}));
  ASSERT_TRUE(b.add(3, {0, 0.5, true, 500}, {}));
  ASSERT_TRUE(b.add(2, {0, 0, false, 1000}, {}));
  ASSERT_TRUE(b.add(9, {5, 0, false, 0}, {})) << "of no time nothing is known";
  const Windows windows({10, model::TimeUnit::milliseconds}, false, 0);
  GrowthTotals increases(false), rates(true);
  for (const GrowthCells* series : {&a, &b}) {
    increases.add(series->cells());
    rates.add(series->cells());
  }
  EXPECT_EQ(text_of(to_points(counter_of(10), windows, increases).value()), "10:10 20:0 30:30.5");
  EXPECT_EQ(text_of(to_points(counter_of(10, true), windows, rates).value()), "10:10.0 20:0.0 30:16.0");
  CounterStage covered = counter_of(10);
  EXPECT_TRUE(to_points(covered, windows, increases)->covered_ms.empty());
  covered.shows_coverage = true;
  const std::vector<std::int64_t> most = {1000, 1000, 2000};
  for (const GrowthTotals* const totals : {&increases, &rates}) {
    EXPECT_EQ(to_points(covered, windows, *totals)->covered_ms, most);
  }
}

}  // namespace
}  // namespace varve::aggregate
