// SPDX-License-Identifier: Apache-2.0
// Joins through the engine over a store in memory: groups, their tags, pushed-down windows, limits.
#include "query/joiner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "aggregate/points_text.h"
#include "query/engine.h"
#include "storage/testing/memory_store.h"

namespace varve::query {
namespace {

using aggregate::Function;
using aggregate::Reducer;
using model::Value;

class JoinTest : public ::testing::Test {
 protected:
  JoinTest() {
    request_.tenant = "t";
    request_.range = {0, 100'000};
    query().metric = "m";
    query().how = Join();
  }
  MetricQuery& query() {
    if (request_.metrics.empty()) request_.metrics.emplace_back();
    return request_.metrics[0];
  }
  Join& how() { return query().join(); }

  void put(const model::TagViews& tags, const std::string& points) {
    const auto p = aggregate::points_of(points);
    for (std::size_t i = 0; i < p.size(); ++i) {
      store_.put("t", "m", tags, p.times[i], Value{p.type_of(i), p.bits[i], {}});
    }
  }
  void window(Function function, std::int64_t ms) {
    aggregate::Stage stage;
    stage.function = function;
    stage.sampling = {ms, model::TimeUnit::milliseconds};
    stage.align_epoch = true;
    stage.stamp = aggregate::Stamp::window_start;
    how().downsample = Join::Downsample{stage, {}, Join::Fill::none};
  }

  // One line a group: its tags | mixed keys | points
  std::string answer(Limits limits = {}) {
    const auto found = Engine(store_, store_, clock_, limits).run(request_, nullptr);
    if (!found) return found.error().message;
    std::string out;
    for (const Group& group : found->metrics[0].groups) {
      for (const auto& [key, value] : group.common) out.append(key).append("=").append(value).append(" ");
      out += "|";
      for (const auto& key : group.mixed) out += " " + key;
      out += " | " + aggregate::text_of(group.points) + "\n";
    }
    return out;
  }

  storage::testing::MemoryStore store_;
  ManualClock clock_;
  Request request_;
};

TEST_F(JoinTest, TagsThatAllHaveAreCommonOrMixed) {
  put({{"dc", "x"}, {"host", "a"}, {"os", "l"}, {"rack", "1"}}, "0:1");
  put({{"dc", "x"}, {"host", "b"}, {"os", "l"}}, "0:2");
  EXPECT_EQ(answer(), "dc=x os=l | host | 0:3\n");
  how().group_by = {"host"};
  EXPECT_EQ(answer(), "dc=x host=a os=l rack=1 | | 0:1\ndc=x host=b os=l | | 0:2\n");
  how().group_by = {"dc", "os"};
  EXPECT_EQ(answer(), "dc=x os=l | host | 0:3\n");
  how().group_by = {"rack"};
  EXPECT_EQ(answer(), "dc=x host=b os=l | | 0:2\ndc=x host=a os=l rack=1 | | 0:1\n");
  how().reducer = Reducer::none;
  EXPECT_EQ(answer(), "dc=x host=a os=l rack=1 | | 0:1\ndc=x host=b os=l | | 0:2\n");
}

TEST_F(JoinTest, ASeriesWithoutSamplesInRangeHasNoSayInTags) {
  put({{"host", "a"}, {"os", "l"}}, "0:1");
  put({{"host", "b"}, {"os", "w"}}, "200000:2");
  store_.put("t", "m", {{"host", "c"}, {"os", "w"}}, 5, Value::of_string("text"));
  EXPECT_EQ(answer(), "host=a os=l | | 0:1\n");
}

TEST_F(JoinTest, SeriesAreDownsampledByThemselves) {
  put({{"host", "a"}}, "0:1 5000:3 12000:10");
  put({{"host", "b"}}, "1000:5 21000:7");
  window(Function::avg, 10'000);
  EXPECT_EQ(answer(), "| host | 0:7.0 10000:16.0 20000:7.0\n");  // 2 + 5, 10 + 6 (between 5 and 7), 7
  how().reducer = Reducer::zimsum;
  EXPECT_EQ(answer(), "| host | 0:7.0 10000:10.0 20000:7.0\n");
}

TEST_F(JoinTest, WindowsCountFrom1970) {
  put({{"host", "a"}}, "25000:1 34000:2 35000:4");
  request_.range = {24'000, 100'000};
  window(Function::sum, 7'000);
  EXPECT_EQ(answer(), "host=a | | 21000:1.0 28000:2.0 35000:4.0\n");
}

TEST_F(JoinTest, StatisticsOfChunksAreEnough) {
  put({{"host", "a"}}, "0:1 1:2 2:3 3:4 4:5 5:6 6:7 7:8");
  put({{"host", "b"}}, "0:1 1:1 2:1 3:1");
  window(Function::max, 10'000);
  EXPECT_EQ(answer(), "| host | 0:9.0\n");
  EXPECT_EQ(store_.stats_given(), 3U);
}

TEST_F(JoinTest, FillStandsBetweenSeries) {
  put({{"host", "a"}}, "0:1 20000:3");
  put({{"host", "b"}}, "0:5");
  request_.range = {0, 30'000};
  window(Function::sum, 10'000);
  EXPECT_EQ(answer(), "| host | 0:6.0 20000:3.0\n");
  how().downsample->fill = Join::Fill::zero;
  EXPECT_EQ(answer(), "| host | 0:6.0 10000:0 20000:3.0\n");
  how().downsample->fill = Join::Fill::nan;
  EXPECT_EQ(answer(), "| host | 0:6.0 10000:- 20000:3.0\n");
  how().downsample->fill = Join::Fill::zero;
  how().group_by = {"host"};
  EXPECT_EQ(answer(), "host=a | | 0:1.0 10000:0 20000:3.0\nhost=b | | 0:5.0 10000:0 20000:0\n");
}

TEST_F(JoinTest, RatesAreOfWhatIsFilled) {
  put({{"host", "a"}}, "0:10 20000:30");
  put({{"host", "b"}}, "0:5");
  request_.range = {0, 30'000};
  window(Function::sum, 10'000);
  how().downsample->fill = Join::Fill::zero;
  how().rate = aggregate::RateOptions{};
  EXPECT_EQ(answer(), "| host | 10000:-1.5 20000:3.0\n");
}

TEST_F(JoinTest, RateIsOfEachSeries) {
  put({{"host", "a"}}, "0:0 10000:10 20000:40");
  put({{"host", "b"}}, "0:100 10000:90 20000:100");
  how().rate = aggregate::RateOptions{.counter = true, .counter_max = 100};
  EXPECT_EQ(answer(), "| host | 10000:10.0 20000:4.0\n");  // 1 + 9 (over the end), 3 + 1
}

TEST_F(JoinTest, GatheredWhereNoStageCan) {
  put({{"host", "a"}}, "0:2 1000:4 12000:9");
  window(Function::avg, 10'000);
  how().downsample->gather = Reducer::dev;
  EXPECT_EQ(answer(), "host=a | | 0:1.0 10000:0.0\n");
}

TEST_F(JoinTest, TimesAreCutToTheResolution) {
  put({{"host", "a"}}, "1000:1 1500:2 2999:4");
  put({{"host", "b"}}, "1200:10 2000:20");
  how().resolution_ms = 1000;
  EXPECT_EQ(answer(), "| host | 1000:13 2000:24\n");
  how().reducer = Reducer::none;
  EXPECT_EQ(answer(), "host=a | | 1000:2 2000:4\nhost=b | | 1000:10 2000:20\n");
}

TEST_F(JoinTest, CountAndDeviationOfOneSeries) {
  put({{"host", "a"}}, "0:7 10:9");
  how().reducer = Reducer::count;
  EXPECT_EQ(answer(), "host=a | | 0:1 10:1\n");
  how().reducer = Reducer::dev;
  EXPECT_EQ(answer(), "host=a | | 0:0.0 10:0.0\n");
}

TEST_F(JoinTest, FillsAreCharged) {
  put({{"host", "a"}}, "0:1");
  request_.range = {0, model::kTimestampMax};
  window(Function::sum, 1);
  how().downsample->fill = Join::Fill::zero;
  EXPECT_NE(answer().find("query.memory"), std::string::npos) << answer();
}

TEST_F(JoinTest, WhatASumHoldsIsCharged) {
  for (int s = 0; s < 20; ++s) {
    for (int i = 0; i < 200; ++i) store_.put("t", "m", {{"host", std::to_string(s)}}, i, Value::of_long(i));
  }
  EXPECT_EQ(answer({.memory_bytes = 1 << 20}).substr(0, 14), "| host | 0:0 1");
  EXPECT_NE(answer({.memory_bytes = 100'000}).find("query.memory"), std::string::npos);
}

// Less than a group of the answer for each of them would take.
TEST_F(JoinTest, ManySeriesOfOneGroupTakeLittle) {
  for (int s = 0; s < 2'000; ++s) store_.put("t", "m", {{"host", std::to_string(s)}}, 0, Value::of_long(1));
  EXPECT_EQ(answer({.memory_bytes = 1'300'000}), "| host | 0:2000\n");
  window(Function::avg, 10'000);
  EXPECT_EQ(answer({.memory_bytes = 1'400'000}), "| host | 0:2000.0\n");
}

// What is empty takes nothing.
TEST_F(JoinTest, ManySeriesAreFilledWhileTheyAreCombined) {
  for (int s = 0; s < 2'000; ++s) store_.put("t", "m", {{"host", std::to_string(s)}}, s % 10 * 10, Value::of_long(1));
  request_.range = {0, 10'000};
  window(Function::sum, 10);
  how().downsample->fill = Join::Fill::zero;
  const std::string filled = answer({.memory_bytes = 1'400'000});
  EXPECT_EQ(filled.substr(0, 30), "| host | 0:200.0 10:200.0 20:2");
  EXPECT_EQ(std::ranges::count(filled, ':'), 1000);
  EXPECT_EQ(filled.substr(filled.size() - 7), "9990:0\n");
  how().resolution_ms = 7;  // then they are filled before
  EXPECT_NE(answer({.memory_bytes = 1'400'000}).find("query.memory"), std::string::npos);
}

TEST_F(JoinTest, CancelledBetweenGroups) {
  put({{"host", "a"}}, "0:1");
  put({{"host", "b"}}, "0:2");
  const auto tenant = *store_.find_tenant("t");
  Budget budget(1 << 20);
  const auto tags = TagTable::read(store_, *tenant, *store_.select(*tenant, "m", {}), {}, budget);
  Join how;
  how.group_by = {"host"};
  int asked = 0;
  const aggregate::Charge charge = [&](std::size_t) -> Status {
    if (++asked == 2) return fail(Code::cancelled, "enough");
    return {};
  };
  Joiner joiner(how, {0, 10}, *tags, budget, charge);
  for (const std::uint32_t series : {0U, 1U}) ASSERT_TRUE(joiner.add(series, aggregate::points_of("0:1")));
  const auto out = joiner.finish();
  EXPECT_EQ(out.error().code, Code::cancelled);
}

}  // namespace
}  // namespace varve::query
