// SPDX-License-Identifier: Apache-2.0
#include "aggregate/histograms.h"

#include <gtest/gtest.h>

#include <sstream>

#include "aggregate/apply.h"
#include "aggregate/pipeline.h"
#include "aggregate/points_text.h"
#include "model/histogram.h"

namespace varve::aggregate {
namespace {

using model::Histogram;

// Of whole numbers "1 1 2".
std::string histogram(const std::string& values, unsigned precision = 7) {
  Histogram out;
  out.precision = precision;
  std::istringstream words(values);
  for (double v = 0; words >> v;) {
    out.min = out.bins.empty() ? v : std::min(out.min, v);
    out.max = out.bins.empty() ? v : std::max(out.max, v);
    out.sum += v;
    out.bins.push_back({model::bin_of(v, precision), 1});
  }
  model::normalize(out);
  out.mean = out.bins.empty() ? 0 : out.sum / static_cast<double>(out.count());
  return model::encode(out);
}

// One every second.
Points stored_points(const std::vector<std::string>& bytes) {
  Points out;
  out.type = model::ValueType::histogram;
  for (const std::string& one : bytes) {
    out.times.push_back(static_cast<model::Timestamp>(out.size()) * 1000);
    out.texts.push_back(one);
  }
  return out;
}

template <class Windowed>
Windowed by(std::int64_t seconds) {
  Windowed out;
  out.sampling = {seconds, model::TimeUnit::seconds};
  return out;
}

std::string reduced(Function function, const Points& in, std::int64_t seconds) {
  auto stage = by<Stage>(seconds);
  stage.function = function;
  return text_of(apply(stage, Scope{}, in).value());
}

const std::vector<std::string> kThree = {histogram("1 1 2"), histogram("10"), histogram("-4 3")};

TEST(Histograms, FunctionsAreOfAllValues) {
  const Points in = stored_points(kThree);
  EXPECT_EQ(reduced(Function::avg, in, 2), "0:3.5 2000:-0.5");
  EXPECT_EQ(reduced(Function::sum, in, 2), "0:14.0 2000:-1.0");
  EXPECT_EQ(reduced(Function::min, in, 2), "0:1.0 2000:-4.0");
  EXPECT_EQ(reduced(Function::max, in, 2), "0:10.0 2000:3.0");
  EXPECT_EQ(reduced(Function::count, in, 2), "0:4 2000:2");
  EXPECT_EQ(reduced(Function::dev, in, 2), "0:4.358898944 2000:4.949747468");
  EXPECT_EQ(reduced(Function::dev, stored_points({histogram("7")}), 1), "0:0.0");
}

TEST(Histograms, FirstAndLastPassThemOn) {
  for (const auto& [function, chosen, time] :
       {std::tuple(Function::first, 0, 0), std::tuple(Function::last, 2, 2000)}) {
    auto stage = by<Stage>(60);
    stage.function = function;
    const Points out = apply(stage, Scope{}, stored_points(kThree)).value();
    EXPECT_EQ(out.type, model::ValueType::histogram);
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out.times[0], time);
    EXPECT_EQ(out.texts[0], kThree[static_cast<std::size_t>(chosen)]);
  }
}

TEST(Histograms, WhatCountedNothingOrIsNoneHasNoValue) {
  const Points in = stored_points({histogram(""), "no histogram", histogram("5")});
  EXPECT_EQ(reduced(Function::avg, in, 1), "2000:5.0");
  EXPECT_EQ(reduced(Function::min, in, 60), "0:5.0") << "that of values, not of an empty one";
  EXPECT_EQ(reduced(Function::count, in, 1), "0:0 2000:1");
  Percentile percentile = by<Percentile>(1);
  percentile.fraction = 0.5;
  EXPECT_EQ(text_of(apply(percentile, Scope{0, 9000, {}}, in).value()), "2000:5.0");
}

TEST(Histograms, PercentileOfAWindow) {
  Percentile percentile = by<Percentile>(60);
  const auto at = [&](double fraction) {
    percentile.fraction = fraction;
    return text_of(apply(percentile, Scope{0, 9000, {}}, stored_points(kThree)).value());
  };
  EXPECT_EQ(at(0.5), "0:1.0");
  EXPECT_EQ(at(0.51), "0:2.0");
  EXPECT_EQ(at(1), "0:10.0");
}

TEST(Histograms, MergeTakesTheLeastPrecision) {
  Merge merge = by<Merge>(60);
  const auto merged = [&](const std::vector<std::string>& in) {
    const Points out = apply(merge, Scope{0, 9000, {}}, stored_points(in)).value();
    EXPECT_EQ(out.size(), 1U);
    return *model::decode_histogram(out.texts.at(0));
  };
  EXPECT_EQ(model::encode(merged(kThree)), histogram("1 1 2 10 -4 3"));
  EXPECT_EQ(merged({histogram("100 101", 7), histogram("5", 5)}).precision, 5U);
  EXPECT_EQ(merged({histogram("5", 5), histogram("100 101", 7)}).bins.size(), 2U);
  merge.precision = 3;
  EXPECT_EQ(model::encode(merged({histogram("100 101")})), histogram("100 101", 3));
  merge.precision = 9;
  EXPECT_EQ(merged({histogram("100")}).precision, 7U);
}

TEST(Histograms, ThePipelineKeepsOtherStepsAway) {
  Points numbers = points_of("0:1 1000:2");
  const std::vector<Step> steps = {by<Merge>(60), Diff{}};
  EXPECT_EQ(text_of(*run(steps, {0, 9000, {}}, false, numbers, {})), "1000:1.0");
  const auto merged = run(steps, {0, 9000, {}}, false, stored_points(kThree), {});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->texts, std::vector{histogram("1 1 2 10 -4 3")});
  const std::vector<Step> then = {by<Merge>(2), by<Stage>(60), Scale{2}};
  EXPECT_EQ(text_of(*run(then, {0, 9000, {}}, false, stored_points(kThree), {})), "0:4.333333333");
}

TEST(Histograms, Apdex) {
  const auto scores = [](double target, std::int64_t seconds) {
    Apdex apdex = by<Apdex>(seconds);
    apdex.target = target;
    const Points in = stored_points({histogram("1 1 1"), histogram(""), histogram("3 3 4 4"), histogram("9")});
    return text_of(apply(apdex, Scope{0, 9000, {}}, in).value());
  };
  EXPECT_EQ(scores(1, 60), "0:0.625");
  EXPECT_EQ(scores(1, 1), "0:1.0 2000:0.5 3000:0.0") << "none of what counted nothing";
  EXPECT_EQ(scores(0, 60), "0:0.0");
  EXPECT_EQ(scores(3.5, 60), "0:0.8125");
  EXPECT_EQ(scores(9, 60), "0:1.0");
}

Apdex target_of_2() {
  auto out = by<Apdex>(60);
  out.target = 2;
  return out;
}

TEST(Histograms, ThoseForHistogramsAloneLetOthersPass) {
  const auto only = [](Function function) {
    auto out = by<HistogramStage>(2);
    out.function = function;
    return out;
  };
  auto half = by<HistogramPercentile>(60);
  half.fraction = 0.5;
  const std::tuple<Step, const char*, const char*> cases[] = {
      {only(Function::avg), "havg", "0:3.5 2000:-0.5"},
      {only(Function::count), "hcount", "0:4 2000:2"},
      {only(Function::dev), "hdev", "0:4.358898944 2000:4.949747468"},
      {only(Function::max), "hmax", "0:10.0 2000:3.0"},
      {only(Function::min), "hmin", "0:1.0 2000:-4.0"},
      {only(Function::sum), "hsum", "0:14.0 2000:-1.0"},
      {half, "hpercentile", "0:1.0"},
      {target_of_2(), "apdex", "0:0.75"}};
  for (const auto& [step, name, of_histograms] : cases) {
    EXPECT_EQ(name_of(step), name);
    EXPECT_EQ(text_of(*run({&step, 1}, {0, 9000, {}}, false, stored_points(kThree), {})), of_histograms) << name;
    EXPECT_EQ(text_of(*run({&step, 1}, {0, 9000, {}}, false, points_of("1:1 2:2"), {})), "1:1 2:2") << name;
    EXPECT_EQ(text_of(*run({&step, 1}, {0, 9000, {}}, false, texts_of("1:a"), {})), "1:a") << name;
    EXPECT_NE(merging_grid({&step, 1}), nullptr) << name;
  }
  half.fraction = 90;
  EXPECT_EQ(check(half).error().message, "90 is not in [0..1]");
}

}  // namespace
}  // namespace varve::aggregate
