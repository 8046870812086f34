// SPDX-License-Identifier: Apache-2.0
// What the engine makes of splits and of steps that are not windows filled from parts.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "model/histogram.h"
#include "query/engine.h"
#include "query/testing/engine_fixture.h"
#include "storage/testing/memory_store.h"

namespace varve::query {
namespace {

using aggregate::Function;
using aggregate::Stage;
using model::TimeUnit;
using model::Value;
using query::testing::EngineTest;
using query::testing::stage_of;
using storage::testing::MemoryStore;

// Splits and steps over what the engine itself finds without them: cells and merged samples must come to the same.
TEST(Steps, SplitsBeforeAllSteps) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 200; ++round) {
    MemoryStore store(1 + random() % 10);
    ManualClock clock;
    const Engine engine(store, store, clock, {});
    for (std::size_t n = random() % 300; n > 0; --n) {
      const std::string host = std::to_string(random() % 4);
      const auto v = static_cast<std::int64_t>(random() % 40) - 20;
      const auto time = static_cast<model::Timestamp>(random() % 200);
      const auto kind = random() % 10;
      const std::string histogram = model::encode(model::Histogram{7, {{v, 1 + random() % 3}}, 0, 1, 0.5, 1});
      store.put("t", "cpu", {{"host", host}}, time,
                kind == 0   ? Value::of_string("x")
                : kind == 8 ? Value::of_complex("0123456789abcdef")
                : kind == 9 ? Value::of_histogram(histogram)
                : kind < 4  ? Value::of_long(v)
                            : Value::of_double(static_cast<double>(v) / 8));
    }
    Request request;
    request.tenant = "t";
    request.range = {static_cast<model::Timestamp>(random() % 50), 150};
    MetricQuery& query = request.metrics.emplace_back();
    query.metric = "cpu";
    if (random() % 2 == 0) query.pipeline().group_by = TagKeys{"host"};
    query.pipeline().descending = random() % 3 == 0;
    const auto plain = engine.run(request, nullptr);
    ASSERT_TRUE(plain);

    if (random() % 2 == 0) query.pipeline().splits.push_back(aggregate::ValueSplit{3});
    if (random() % 2 == 0) query.pipeline().splits.push_back(aggregate::TimeSplit{{7, TimeUnit::milliseconds}, 5});
    if (random() % 2 == 0) query.pipeline().splits.push_back(aggregate::BinSplit{{-1, 0.5, 1}});
    if (random() % 4 != 0) {
      query.pipeline().stages.emplace_back(stage_of(
          static_cast<Function>(random() % 7), 1 + static_cast<std::int64_t>(random() % 30), TimeUnit::milliseconds));
    }
    if (query.pipeline().stages.empty() && random() % 2 == 0) {
      aggregate::Percentile percentile;
      percentile.sampling = {20, TimeUnit::milliseconds};
      percentile.fraction = 0.7;
      query.pipeline().stages.emplace_back(percentile);
    }
    if (random() % 2 == 0) query.pipeline().stages.emplace_back(aggregate::Diff{});
    const auto answer = engine.run(request, nullptr);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->metrics[0].sample_size, plain->metrics[0].sample_size);

    std::vector<Group> expected;
    for (const Group& group : plain->metrics[0].groups) {
      if (query.pipeline().splits.empty()) expected.push_back(group);
      for (auto& part : aggregate::split(query.pipeline().splits, request.range.first, group.points)) {
        if (query.pipeline().splits.empty()) break;
        expected.push_back(group);
        expected.back().split = part.key;
        expected.back().points = std::move(part.points);
      }
    }
    ASSERT_EQ(answer->metrics[0].groups.size(), expected.size()) << round;
    for (std::size_t g = 0; g < expected.size(); ++g) {
      const Group& got = answer->metrics[0].groups[g];
      Group& want = expected[g];
      EXPECT_EQ(got.split, want.split) << round;
      EXPECT_EQ(got.group_values, want.group_values);
      EXPECT_EQ(got.kind, want.kind);
      EXPECT_EQ(got.tags, want.tags);
      if (query.pipeline().descending) want.points.reverse();
      const aggregate::Scope scope{request.range.first, request.range.last - 1, {}};
      const auto points = aggregate::run(query.pipeline().stages, scope, query.pipeline().descending, want.points, {});
      ASSERT_TRUE(points);
      EXPECT_EQ(got.points.times, points->times) << round;
      EXPECT_EQ(got.points.texts, points->texts);
      ASSERT_EQ(got.points.bits.size(), points->bits.size());
      for (std::size_t i = 0; i < points->bits.size(); ++i) EXPECT_EQ(got.points.number(i), points->number(i)) << round;
    }
  }
}

using StepsTest = EngineTest;

TEST_F(StepsTest, StepsStayWithinTheBudget) {
  put(4, 200);
  Limits limits;
  limits.memory_bytes = 60'000;
  const Engine engine(store_, store_, clock_, limits);
  aggregate::Gaps gaps;
  Request fine = request(stage_of(Function::sum, 1, TimeUnit::days));
  fine.metrics[0].pipeline().stages.emplace_back(gaps);
  fine.range.last = 1000;  // a thousand windows of a millisecond
  EXPECT_TRUE(engine.run(fine, nullptr));
  Request wide = fine;
  wide.range.last = model::kTimestampMax;  // up to now
  Request parts = request({});
  parts.metrics[0].pipeline().splits = {aggregate::TimeSplit{{1, TimeUnit::milliseconds}, 1'000'000'000}};
  for (const Request& big : {wide, parts}) {
    const auto answer = engine.run(big, nullptr);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::limit) << answer.error().message;
  }
}

TEST_F(StepsTest, WhatCannotBeDoneIsAnErrorWhereThereIsSomething) {
  put(1, 3);
  const Engine engine(store_, store_, clock_, {});
  const auto error = [&](const aggregate::Step& step, const char* metric) {
    Request asked = request({});
    asked.metrics[0].metric = metric;
    asked.metrics[0].pipeline().stages = {step};
    const auto answer = engine.run(asked, nullptr);
    return answer ? "" : answer.error().message;
  };
  EXPECT_EQ(error(aggregate::Sma{0}, "m"), "size must be greater than 0");
  EXPECT_EQ(error(aggregate::Sma{0}, "unknown"), "");
  EXPECT_EQ(error(aggregate::Scale{1.7e308}, "m"), "");
  store_.put("t", "large", {{"host", "a"}}, 1, Value::of_double(1e10));
  EXPECT_EQ(error(aggregate::Scale{1.7e308}, "large"), "the scale of large at 1 is infinite");
}

// Each metric is read from when its own steps look back to.
TEST_F(StepsTest, MovingWindowsReadWhatLiesBeforeTheStart) {
  put(2, 200);
  const Engine engine(store_, store_, clock_, {});
  aggregate::MovingWindow moving;
  moving.sampling = {10, TimeUnit::seconds};
  moving.align_sampling = false;
  Request asked = request(stage_of(Function::count, 1, TimeUnit::milliseconds));
  asked.range = {100'000, 103'000};
  asked.metrics.resize(3, asked.metrics[0]);
  asked.metrics[1].pipeline().stages.insert(asked.metrics[1].pipeline().stages.begin(), moving);
  asked.metrics[2].pipeline().stages = {stage_of(Function::sum, 2, TimeUnit::seconds), moving,
                                        stage_of(Function::count, 1, TimeUnit::milliseconds)};
  const auto answer = engine.run(asked, nullptr);
  ASSERT_TRUE(answer) << answer.error().message;
  const auto counts = [&](std::size_t metric) {
    std::string out;
    const aggregate::Points& points = answer->metrics[metric].groups.at(0).points;
    for (std::size_t i = 0; i < points.size(); ++i) {
      out += std::to_string(points.times[i] / 1000) + ":" + std::to_string(points.bits[i]) + " ";
    }
    return std::to_string(answer->metrics[metric].sample_size) + " " + out;
  };
  EXPECT_EQ(counts(0), "6 100:2 101:2 102:2 ");
  EXPECT_EQ(counts(1), "26 100:20 101:20 102:20 ");
  EXPECT_EQ(counts(2), "26 100:5 101:5 102:5 ") << "sums at 90, 92, …: five in ten seconds";
  asked.metrics.erase(asked.metrics.begin());
  for (MetricQuery& metric : asked.metrics) metric.matchers = {{"host", index::Matcher::Kind::any_of, {"0"}}};
  EXPECT_TRUE(engine.is_small(asked));
  moving.sampling = {1000, TimeUnit::hours};
  asked.metrics[0].pipeline().stages[0] = moving;
  EXPECT_FALSE(engine.is_small(asked)) << "it looks back so far";
}

TEST_F(StepsTest, GapsAreMarkedWhereThereIsNothing) {
  Request asked = request(stage_of(Function::sum, 1, TimeUnit::minutes));
  asked.range = {0, 3 * 60'000};
  aggregate::Gaps gaps;
  gaps.sampling = {1, TimeUnit::minutes};
  asked.metrics[0].pipeline().stages.emplace_back(gaps);
  const Engine engine(store_, store_, clock_, {});
  for (const bool known : {false, true}) {  // the tenant
    if (known) put(1, 1);
    asked.metrics[0].metric = "other";
    const auto answer = engine.run(asked, nullptr);
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->metrics[0].groups.empty());
    EXPECT_EQ(answer->metrics[0].of_nothing.times, (std::vector<model::Timestamp>{0, 60'000, 120'000}));
    EXPECT_TRUE(answer->metrics[0].of_nothing.is_null(1));
  }
  asked.metrics[0].pipeline().splits.push_back(aggregate::ValueSplit{3});
  EXPECT_EQ(engine.run(asked, nullptr)->metrics[0].of_nothing.size(), 0U);
}

TEST_F(StepsTest, TheLimitIsOfEachPartOfASplit) {
  for (std::int64_t i = 0; i < 20; ++i) {
    store_.put("t", "m", {{"host", i % 2 == 0 ? "a" : "b"}}, i * 1000, Value::of_long(i % 4 < 2 ? 1 : 10));
  }
  Request asked = request(stage_of(Function::count, 1, TimeUnit::hours));
  asked.metrics[0].pipeline().limit = 4;
  const auto counts = [&] {
    std::vector<std::uint64_t> out;
    const auto answer = Engine(store_, store_, clock_, {}).run(asked, nullptr);
    EXPECT_EQ(answer->metrics[0].sample_size, 8U);  // of two series
    for (const Group& group : answer->metrics[0].groups) out.push_back(group.points.bits.at(0));
    return out;
  };
  EXPECT_EQ(counts(), (std::vector<std::uint64_t>{4}));
  asked.metrics[0].pipeline().splits.push_back(aggregate::ValueSplit{5});
  EXPECT_EQ(counts(), (std::vector<std::uint64_t>{4, 4}));
}

TEST_F(StepsTest, TheLimitIsOfLongsAndOfDoubles) {
  for (std::int64_t i = 0; i < 20; ++i) {
    store_.put("t", "m", {{"host", "a"}}, i * 1000, i % 4 == 0 ? Value::of_double(0.5) : Value::of_long(i));
  }
  Request asked = request(stage_of(Function::count, 1, TimeUnit::hours));
  asked.metrics[0].pipeline().stages.clear();
  asked.metrics[0].pipeline().limit = 4;
  for (const bool newest : {false, true}) {
    asked.metrics[0].pipeline().descending = newest;
    const auto answer = Engine(store_, store_, clock_, {}).run(asked, nullptr);
    EXPECT_EQ(answer->metrics[0].sample_size, 8U);
    ASSERT_EQ(answer->metrics[0].groups.at(0).points.size(), 4U);  // 0.5 1 2 3, or 19 18 17 0.5
    EXPECT_EQ(answer->metrics[0].groups[0].points.times[0], newest ? 19'000 : 0);
    EXPECT_EQ(answer->metrics[0].groups[0].points.times[3], newest ? 16'000 : 3'000);
  }
}

TEST_F(StepsTest, NumbersOfAllGroupsComeBeforeTexts) {
  store_.put("t", "m", {{"host", "a"}}, 1, Value::of_string("x"));
  store_.put("t", "m", {{"host", "a"}}, 2, Value::of_long(1));
  store_.put("t", "m", {{"host", "b"}}, 1, Value::of_string("y"));
  store_.put("t", "m", {{"host", "b"}}, 2, Value::of_long(2));
  Request asked = request(stage_of(Function::last, 1, TimeUnit::hours));
  asked.metrics[0].pipeline().group_by = TagKeys{"host"};
  std::string order;
  const auto answer = Engine(store_, store_, clock_, {}).run(asked, nullptr);
  for (const Group& group : answer->metrics[0].groups) {
    order += group.group_values[0] + (group.kind == model::ValueKind::number ? "1 " : "x ");
  }
  EXPECT_EQ(order, "a1 b1 ax bx ");
}

TEST_F(StepsTest, SaveAsIsToldWithItsGroup) {
  put(2, 3);
  Request asked = request(stage_of(Function::sum, 1, TimeUnit::days));
  asked.metrics[0].pipeline().group_by = TagKeys{"host"};
  asked.metrics[0].pipeline().stages.emplace_back(aggregate::SaveAs{"n", {{"a", "b"}}, 5, true});
  std::string told;
  asked.save = [&](const MetricQuery& query, const Group& group, const aggregate::SaveAs& save,
                   const aggregate::Points& points) {
    told += text_of(query.metric) + ">" + save.metric + " " + group.group_values[0] + " " +
            std::to_string(points.number(0)) + "; ";
    return group.tags.size() == 1 ? Status{} : Status(fail(Code::invalid, "no tags"));
  };
  ASSERT_TRUE(Engine(store_, store_, clock_, {}).run(asked, nullptr));
  EXPECT_EQ(told, "m>n 0 3.000000; m>n 1 3.000000; ");
}

}  // namespace
}  // namespace varve::query
