// SPDX-License-Identifier: Apache-2.0
#include "aggregate/pipeline.h"

#include <gtest/gtest.h>

#include "aggregate/points_text.h"

namespace varve::aggregate {
namespace {

using model::TimeUnit;

Stage stage_of(Function function, std::int64_t ms) {
  Stage stage;
  stage.function = function;
  stage.sampling = {ms, TimeUnit::milliseconds};
  return stage;
}

std::string run_of(const Pipeline& steps, const Points& points, bool descending = false, const Saved& saved = {}) {
  const auto made = run(steps, {0, 20, {}}, descending, points, saved);
  return made ? text_of(*made) : made.error().message;
}

TEST(Pipeline, StepsFollowOneAnother) {
  EXPECT_EQ(run_of({}, points_of("1:1 2:2.5")), "1:1 2:2.5");
  EXPECT_EQ(run_of({stage_of(Function::sum, 4), stage_of(Function::avg, 1000)}, points_of("2:1 4:2 6:3 8:4 10:5")),
            "2:5.0");
  EXPECT_EQ(run_of({stage_of(Function::sum, 10), Scale{2}, Diff{}}, points_of("1:1 2:2 11:5")), "11:4.0");
  EXPECT_EQ(run_of({Filter{Filter::Compare::less, 2.0}, stage_of(Function::count, 10)}, points_of("1:1 2:2 11:5")),
            "2:1 11:1");
}

TEST(Pipeline, DescendingLooksBackInTimeButForWindows) {
  EXPECT_EQ(run_of({}, points_of("1:1 2:2"), true), "2:2 1:1");
  EXPECT_EQ(run_of({Diff{}}, points_of("1:1 2:3 3:7"), true), "2:-4.0 1:-2.0");
  EXPECT_EQ(run_of({Trim{true, false}}, points_of("1:1 2:3 3:7"), true), "2:3 1:1");
  EXPECT_EQ(run_of({stage_of(Function::first, 10)}, points_of("1:1 2:2 11:5"), true), "11:5 1:1");
  EXPECT_EQ(run_of({Diff{}, stage_of(Function::sum, 10), Trim{true, false}}, points_of("1:1 2:3 11:7 12:8"), true),
            "1:-6.0");
}

TEST(Pipeline, NullsAreForGapsOnly) {
  Gaps gaps;
  gaps.sampling = {10, TimeUnit::milliseconds};
  const Points in = points_of("1:1 21:3");
  EXPECT_EQ(run_of({gaps}, in), "1:1 10:null 21:3");
  EXPECT_EQ(run_of({gaps}, in, true), "21:3 10:null 1:1");
  for (const Function f : {Function::sum, Function::dev, Function::min}) {
    EXPECT_EQ(run_of({gaps, stage_of(f, 10)}, in), run_of({stage_of(f, 10)}, in)) << "a window of nulls is none";
  }
  EXPECT_EQ(run_of({gaps, stage_of(Function::count, 20)}, points_of("1:1 5:2 21:3")), "1:3 21:1");
  EXPECT_EQ(run_of({gaps, stage_of(Function::first, 10)}, in), "1:1 10:null 21:3");
  EXPECT_EQ(run_of({gaps, stage_of(Function::last, 20)}, in), "10:null 21:3");
  EXPECT_EQ(run_of({gaps, stage_of(Function::last, 20)}, texts_of("1:a 21:b")), "10:null 21:b");
  EXPECT_EQ(run_of({gaps, stage_of(Function::count, 20)}, texts_of("1:a 21:b")), "1:2 21:1");
}

TEST(Pipeline, TextsPassWhatCannotTakeThem) {
  EXPECT_EQ(run_of({stage_of(Function::sum, 10), Diff{}, Scale{2}, stage_of(Function::last, 10)}, texts_of("1:a 2:b")),
            "2:b");
  EXPECT_EQ(run_of({stage_of(Function::count, 10), Scale{2}}, texts_of("1:a 2:b")), "1:4.0") << "numbers from here on";
}

TEST(Pipeline, SaveAsTellsAndPasses) {
  std::string told;
  const auto saved = [&](const SaveAs& save, const Points& points) {
    told += save.metric + " " + text_of(points) + "; ";
    return save.metric == "bad" ? Status(fail(Code::invalid, "no")) : Status{};
  };
  EXPECT_EQ(
      run_of({SaveAs{"raw", {}, 0, true}, Scale{2}, SaveAs{"twice", {}, 0, true}}, points_of("1:1"), false, saved),
      "1:2.0");
  EXPECT_EQ(told, "raw 1:1; twice 1:2.0; ");
  EXPECT_EQ(run_of({SaveAs{"bad", {}, 0, true}}, points_of("1:1"), false, saved), "no");
  EXPECT_EQ(run_of({SaveAs{"x", {}, 0, true}}, points_of("1:1")), "1:1");
}

TEST(Pipeline, WhatCannotBeDone) {
  const auto error = [](const Step& step) {
    const Status status = check(step);
    return status ? "" : status.error().message;
  };
  Percentile percentile;
  percentile.fraction = 90;
  EXPECT_EQ(error(percentile), "90 is not in [0..1]");
  percentile.fraction = .9;
  EXPECT_EQ(error(percentile), "");
  percentile.sampling.value = 0;
  EXPECT_EQ(error(percentile), "sampling.value must be greater than 0");
  EXPECT_EQ(error(stage_of(Function::sum, 0)), "sampling.value must be greater than 0");
  EXPECT_EQ(error(Sma{0}), "size must be greater than 0");
  EXPECT_EQ(error(Sma{1}), "");
  EXPECT_EQ(name_of(percentile), "percentile");
  EXPECT_EQ(name_of(stage_of(Function::dev, 1)), "dev");
  EXPECT_EQ(name_of(Divide{2}), "div");
  EXPECT_EQ(name_of(SaveAs{}), "save_as");
}

// Each step ends at the ends of samples' times, too, and gives points only that samples could be.
TEST(Pipeline, PointsBeyondTimeAreLeftOut) {
  constexpr auto kFirst = model::kTimestampMin;
  constexpr auto kLast = model::kTimestampMax;
  const auto with = [](auto step, Sampling width, const char* zone, Stamp stamp) {
    step.sampling = width;
    step.zone = model::TimeZone::find(zone).value();
    if constexpr (std::derived_from<decltype(step), Grid>) step.stamp = stamp;
    return Step(step);
  };
  const auto charge = [](std::size_t bytes) { return bytes < 100'000 ? Status{} : fail(Code::limit, "too much"); };
  Points in;
  for (const auto time : {kFirst, kFirst + 1, model::Timestamp{0}, kLast - 1, kLast}) {
    in.push(time, model::ValueType::long_, 1);
  }
  using enum TimeUnit;
  for (const char* zone : {"", "Europe/Paris", "America/New_York", "+14:00"}) {
    for (const Sampling width : {Sampling{1, days}, {2, months}, {300'000, years}, {INT64_MAX, years}}) {
      for (const Stamp stamp : {Stamp::sample, Stamp::window_start, Stamp::window_end}) {
        const Pipeline first = {with(Stage{}, width, zone, stamp),        with(Percentile{}, width, zone, stamp),
                                with(LeastSquares{}, width, zone, stamp), with(CounterStage{}, width, zone, stamp),
                                with(MovingWindow{}, width, zone, stamp), with(Gaps{}, {9'000'000, days}, zone, stamp)};
        for (const Step& one : first) {
          for (const Step& other : first) {
            for (const bool descending : {false, true}) {
              const auto out = run(Pipeline{one, other}, {kFirst, kLast, charge}, descending, in, {});
              if (!out && out.error().code == Code::limit) continue;
              ASSERT_TRUE(out) << name_of(one);
              ASSERT_TRUE(std::ranges::all_of(out->times, model::is_timestamp)) << name_of(one) << name_of(other);
            }
          }
        }
      }
    }
  }
  Stage day = stage_of(Function::count, 1);
  day.sampling.unit = days;
  const auto days_of = [&](Stamp stamp) {
    day.stamp = stamp;
    return text_of(run(Pipeline{day}, {kFirst, kLast, {}}, false, in, {}).value());
  };
  EXPECT_EQ(days_of(Stamp::sample), "-9007199254740992:2 0:1 9007199254740991:2");
  EXPECT_EQ(days_of(Stamp::window_start), "0:1 9007199222400000:2") << "the first window begins before all times";
  EXPECT_EQ(days_of(Stamp::window_end), "-9007199222400000:2 86400000:1") << "the last one ends behind them";
}

// No step goes on for long when the query's time is over, whatever its windows are.
TEST(Pipeline, LongStepsAskWhetherTheyMayGoOn) {
  Points in;
  for (std::int64_t i = 0; i < 20'000; ++i) in.push(i * 86'400'000, model::ValueType::long_, 1);
  const auto zoned = [](auto step) {
    step.zone = model::TimeZone::find("Europe/Paris").value();
    if constexpr (std::derived_from<decltype(step), Grid>) step.sampling = {1, TimeUnit::days};
    return Step(step);
  };
  Stage last;
  last.function = Function::last;
  Gaps gaps;
  gaps.sampling = {1, TimeUnit::hours};
  CounterStage counter;
  counter.options.max_gap_ms = 2 * 86'400'000;
  const Rate rate{{1, TimeUnit::months}, {}};
  const Sampler sampler{{1, TimeUnit::months}, {}};
  for (const Step& step : {zoned(Stage{}), zoned(last), zoned(Percentile{}), zoned(LeastSquares{}), zoned(counter),
                           zoned(MovingWindow{}), Step(gaps), zoned(rate), zoned(sampler)}) {
    int asked = 0;
    const auto once = [&](std::size_t) { return ++asked == 1 ? Status{} : fail(Code::timeout, "over"); };
    const auto out = run(Pipeline{step}, {0, 20'000 * 86'400'000LL, once}, false, in, {});
    ASSERT_FALSE(out) << name_of(step);
    EXPECT_EQ(out.error().code, Code::timeout);
    EXPECT_EQ(asked, 2) << name_of(step);
  }
}

TEST(Pipeline, ReadsBackToWhereTheFirstWindowBegins) {
  MovingWindow moving;
  moving.sampling = {10, TimeUnit::seconds};
  moving.align_sampling = false;
  EXPECT_EQ(reads_from(Pipeline{stage_of(Function::sum, 4)}, 100'500), 100'500);
  EXPECT_EQ(reads_from(Pipeline{moving, stage_of(Function::sum, 4)}, 100'500), 90'500);
  MovingWindow longer = moving;
  longer.sampling = {1, TimeUnit::minutes};
  EXPECT_EQ(reads_from(Pipeline{moving, Diff{}, longer}, 100'500), 40'500);
  moving.sampling.value = 0;
  EXPECT_EQ(check(moving).error().message, "sampling.value must be greater than 0");
}

// The first step that takes histograms says whether merged ones do.
TEST(Pipeline, MergedHistogramsDoWhereAllTheirValuesAreAskedFor) {
  const auto width = [](const Pipeline& steps) -> std::int64_t {
    const Grid* const grid = merging_grid(steps);
    return grid == nullptr ? 0 : grid->sampling.value;
  };
  using enum Function;
  for (const Function function : {avg, sum, min, max, count, dev}) EXPECT_EQ(width({stage_of(function, 7)}), 7);
  Percentile percentile;
  percentile.sampling = {9, TimeUnit::milliseconds};
  Merge merge;
  merge.sampling = {8, TimeUnit::milliseconds};
  EXPECT_EQ(width({percentile}), 9);
  EXPECT_EQ(width({merge, percentile}), 8);
  EXPECT_EQ(width({Diff{}, Scale{2}, percentile}), 9) << "what passes them on unchanged";
  EXPECT_EQ(width({}), 0);
  EXPECT_EQ(width({Diff{}}), 0);
  EXPECT_EQ(width({stage_of(first, 7), percentile}), 0);
  EXPECT_EQ(width({stage_of(last, 7)}), 0);
  EXPECT_EQ(width({Filter{}, percentile}), 0);
  EXPECT_EQ(width({HistogramFilter{}, percentile}), 0);
  EXPECT_EQ(width({merge, HistogramFilter{}, percentile}), 8);
  EXPECT_EQ(width({SaveAs{}, percentile}), 0);
  EXPECT_EQ(width({Trim{}, percentile}), 0);
}

}  // namespace
}  // namespace varve::aggregate
