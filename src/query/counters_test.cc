// SPDX-License-Identifier: Apache-2.0
// What the engine makes of counters: each series by itself, with what is around the range and what devices tell.
#include "query/counters.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "aggregate/points_text.h"
#include "query/engine.h"
#include "storage/testing/memory_store.h"

namespace varve::query {
namespace {

using model::Value;
using storage::testing::MemoryStore;

class CountersTest : public ::testing::Test {
 protected:
  CountersTest() {
    query().metric = "m";
    request_.tenant = "t";
    request_.range = {0, 1000};
    stage_.sampling = {30, model::TimeUnit::milliseconds};
    stage_.align_epoch = true;
  }

  MetricQuery& query() { return request_.metrics[0]; }

  void put(std::string_view metric, const model::TagViews& tags, const std::string& points) {
    const auto p = aggregate::points_of(points);
    for (std::size_t i = 0; i < p.size(); ++i) {
      store_.put("t", metric, tags, p.times[i], Value{p.type_of(i), p.bits[i], {}});
    }
  }

  // Groups divided by |.
  std::string answer(Limits limits = {}) {
    query().pipeline().stages.insert(query().pipeline().stages.begin(), stage_);
    const Engine engine(store_, store_, clock_, limits, nullptr, declared_);
    const auto found = engine.run(request_, nullptr);
    query().pipeline().stages.erase(query().pipeline().stages.begin());
    if (!found) return found.error().message;
    std::string out;
    for (const Group& group : found->metrics[0].groups) {
      out += (out.empty() ? "" : " | ") + aggregate::text_of(group.points);
    }
    sample_size_ = found->metrics[0].sample_size;
    return out;
  }

  MemoryStore store_{4};
  ManualClock clock_{1'000'000};
  std::shared_ptr<counter::Declared> declared_;
  aggregate::CounterStage stage_;
  Request request_{{}, {}, std::vector<MetricQuery>(1), {}, {}, {}};
  std::uint64_t sample_size_ = 0;
};

TEST_F(CountersTest, WhatIsAroundTheRange) {
  put("m", {{"host", "a"}}, "5:0 35:300 65:600 95:900");
  request_.range = {30, 60};
  EXPECT_EQ(answer(), "30:300");
  EXPECT_EQ(sample_size_, 1U);
  request_.range = {40, 50};
  EXPECT_EQ(answer(), "30:100") << "there is no sample in the range";
  EXPECT_EQ(sample_size_, 0U);
  request_.range = {31, 61};
  EXPECT_EQ(answer(), "30:290 60:10");
  stage_.end_is_point = true;
  EXPECT_EQ(answer(), "30:290") << "the end is a point in time";
  request_.range = {31, 62};
  EXPECT_EQ(answer(), "30:290 60:10");
  request_.range = {31, 32};
  EXPECT_EQ(answer(), "");
}

TEST_F(CountersTest, TheGapLimitIsHowFarItLooks) {
  declared_ = std::make_shared<counter::Declared>(std::vector<counter::Pattern>{{"m", 10}});
  put("m", {{"host", "a"}}, "0:0 30:30 61:61 90:90");
  EXPECT_EQ(answer(), "0:30 60:29");
  request_.range = {70, 80};
  EXPECT_EQ(answer(), "60:10");
  stage_.options.max_gap_ms = 31;
  request_.range = {40, 50};
  EXPECT_EQ(answer(), "30:10");
}

TEST_F(CountersTest, EachSeriesByItselfThenTheSum) {
  put("m", {{"host", "a"}}, "0:0 30:30 60:60");
  put("m", {{"host", "b"}}, "15:1000 45:1300");
  put("m", {{"host", "c"}}, "0:7");
  EXPECT_EQ(answer(), "0:180 30:180");
  stage_.per_second = true;
  EXPECT_EQ(answer(), "0:11000.0 30:11000.0");
  query().pipeline().group_by = TagKeys{"host"};
  EXPECT_EQ(answer(), "0:1000.0 30:1000.0 | 0:10000.0 30:10000.0 | ");
  query().pipeline().descending = true;
  EXPECT_EQ(answer(), "30:1000.0 0:1000.0 | 30:10000.0 0:10000.0 | ");
  query().pipeline().group_by = TagKeys{};
  query().pipeline().stages.emplace_back(aggregate::Scale{2});
  EXPECT_EQ(answer(), "30:22000.0 0:22000.0");
}

TEST_F(CountersTest, TextsAreNotThere) {
  put("m", {{"host", "a"}}, "0:0 60:60");
  store_.put("t", "m", {{"host", "a"}}, 30, Value::of_string("x"));
  store_.put("t", "m", {{"host", "a"}}, -10, Value::of_string("outside"));
  store_.put("t", "m", {{"host", "a"}}, 1010, Value::of_string("outside"));
  EXPECT_EQ(answer(), "0:30 30:30 | 30:x") << "as with any aggregator of numbers";
}

TEST_F(CountersTest, AfterALimitOrASplit) {
  put("m", {{"host", "a"}}, "0:0 30:30 60:60 90:90");
  put("m", {{"host", "b"}}, "0:100 30:110 60:120 90:130");
  query().pipeline().limit = 3;
  EXPECT_EQ(answer(), "0:40 30:40");
  query().pipeline().descending = true;
  EXPECT_EQ(answer(), "60:40 30:40");
  query().pipeline() = {};
  query().pipeline().splits = {aggregate::ValueSplit{100}};
  EXPECT_EQ(answer(), "0:30 30:30 60:30 | 0:10 30:10 60:10");
}

TEST_F(CountersTest, DevicesTellOfBreaks) {
  query().metric = "snmp.ifHCInOctets";
  const auto put_counter = [&](std::string_view device, std::string_view interface) {
    put("snmp.ifHCInOctets", {{"device", device}, {"interface", interface}, {"oidset", "Fast"}},
        "0:0 30:10 60:20 90:30 120:40");
  };
  put_counter("r1", "x");
  put_counter("r1", "y");
  put_counter("r2", "x");
  put("snmp.sysUpTime", {{"device", "r1"}, {"oidset", "Fast"}}, "0:1000 30:1003 60:1 90:4 120:7");
  put("snmp.sysUpTime", {{"device", "r1"}, {"oidset", "Slow"}}, "0:1000 90:1");
  put("snmp.sysUpTime", {{"device", "r2"}, {"oidset", "Fast"}}, "0:1000.0 90:9 120:2000");
  store_.put("t", "snmp.sysUpTime", {{"device", "r2"}, {"oidset", "Fast"}}, 30, Value::of_string("x"));
  put("snmp.ifCounterDiscontinuityTime", {{"device", "r1"}, {"interface", "y"}, {"oidset", "Fast"}}, "0:0 120:5");
  query().pipeline().group_by = TagKeys{"device", "interface"};
  EXPECT_EQ(answer(), "0:10 60:10 90:10 | 0:10 60:10 | 0:10 30:10 90:10");
  request_.range = {40, 50};
  EXPECT_EQ(answer(), "30:3") << "of r2 alone";
  query().metric = "snmp.sysUpTime";
  query().pipeline().group_by = TagKeys{};
  query().matchers = {{"oidset", index::Matcher::Kind::any_of, {"Slow"}}};
  EXPECT_EQ(answer(), "") << "itself it is a series as any";
}

TEST_F(CountersTest, TheDeclarationSaysTheRules) {
  declared_ = std::make_shared<counter::Declared>();
  declared_->add([](std::string_view tenant, std::string_view metric,
                    const counter::TagOf& tag) -> std::optional<counter::Declaration> {
    if (tenant != "t" || metric != "m") return std::nullopt;
    counter::Declaration out{30, {.gap_ms = 90}};
    if (tag("type") == "Counter32") out.rules.fall = counter::Fall::wrap32;
    if (tag("type") == "Counter64") out.rules.is_unsigned = true;
    out.ceilings = {{60, 1e9}};
    return out;
  });
  put("m", {{"type", "Counter32"}}, "0:4294967000 30:704 60:904 90:4294967000 120:1000000000 150:5");
  put("m", {{"type", "Counter64"}}, "0:9223372036854775807 30:-9223372036854775807 60:-1");
  query().pipeline().group_by = TagKeys{"type"};
  EXPECT_EQ(answer(), "0:1000 30:200 60:4294966096 | 0:2 30:9223372036854775806")
      << "from 60 on what fell has not wrapped faster than can be";
  stage_.options.max_per_second = 1e30;
  EXPECT_EQ(answer(), "0:1000 30:200 60:4294966096 90:1000000296 120:3294967301 | 0:2 30:9223372036854775806");
  stage_.options.is_32_bits = false;
  EXPECT_EQ(answer(), "30:200 60:4294966096 | 0:2 30:9223372036854775806");
}

TEST_F(CountersTest, NarrowWindowsStayWithinTheBudget) {
  put("m", {{"host", "a"}}, "0:0 800000:5");
  stage_.sampling = {1, model::TimeUnit::milliseconds};
  request_.range = {0, 800'000};
  EXPECT_NE(answer({.memory_bytes = 1 << 20}).find("query.memory"), std::string::npos);
}

// Pieces of any length and type, in any order of arrival, are counted as the list of samples is.
TEST_F(CountersTest, PiecesAndOrderDoNotMatter) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<model::Timestamp, Value>> samples;
    std::int64_t value = 0;
    const unsigned doubles = random() % 3 == 0 ? 3 : 40;
    for (model::Timestamp time = 0; time < 2000; time += 1 + static_cast<std::int64_t>(random() % 90)) {
      value = random() % 20 == 0 ? 0 : value + static_cast<std::int64_t>(random() % 500);
      samples.emplace_back(
          time, random() % doubles == 0 ? Value::of_double(static_cast<double>(value)) : Value::of_long(value));
    }
    stage_.options.max_gap_ms = 70;
    stage_.sampling = {1 + static_cast<std::int64_t>(random() % 200), model::TimeUnit::milliseconds};
    request_.range = {static_cast<std::int64_t>(random() % 500), 800 + static_cast<std::int64_t>(random() % 800)};

    aggregate::Points all;
    for (const auto& [time, v] : samples) all.push(time, v.type, v.bits);
    aggregate::GrowthCells cells;
    counter::LastSample last;
    const aggregate::Windows windows = aggregate::windows_of(stage_, request_.range.first);
    ASSERT_TRUE(aggregate::count({{.gap_ms = 70}}, last, all, request_.range, windows, {}, cells));
    aggregate::GrowthTotals totals(false);
    totals.add(cells.cells());

    std::ranges::shuffle(samples, random);
    MemoryStore store(1 + random() % 12);
    for (const auto& [time, v] : samples) store.put("t", "m", {{"host", "a"}}, time, v);
    query().pipeline().stages = {stage_};
    const auto found = Engine(store, store, clock_, {}).run(request_, nullptr);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->metrics[0].groups.size(), 1U);
    EXPECT_EQ(aggregate::text_of(found->metrics[0].groups[0].points),
              aggregate::text_of(aggregate::to_points(stage_, windows, totals).value()))
        << round;
    query().pipeline().stages.clear();
  }
}

// The same answer before and after sealing: of samples, and of windows where they may be read.
TEST_F(CountersTest, WindowsSayWhatSamplesDo) {
  std::mt19937_64 random(6);
  std::size_t given = 0;
  for (int round = 0; round < 300; ++round) {
    MemoryStore store(1 + random() % 12);
    const auto declared = std::make_shared<counter::Declared>(std::vector<counter::Pattern>{{"m", 30}});
    for (const char* const host : {"a", "b"}) {
      std::int64_t value = 0;
      for (model::Timestamp time = static_cast<std::int64_t>(random() % 100); time < 4000;
           time += 1 + static_cast<std::int64_t>(random() % (random() % 9 == 0 ? 300 : 60))) {
        value = random() % 20 == 0 ? 0 : value + static_cast<std::int64_t>(random() % 500);
        store.put("t", "m", {{"host", host}}, time, Value::of_long(value));
      }
    }
    const std::int64_t width_ms = 20 * static_cast<std::int64_t>(1 + random() % 10);
    stage_.sampling = {width_ms * static_cast<std::int64_t>(1 + random() % 3), model::TimeUnit::milliseconds};
    stage_.per_second = random() % 2 == 0;
    stage_.end_is_point = random() % 2 == 0;
    request_.range = {static_cast<std::int64_t>(random() % 1500), 2000 + static_cast<std::int64_t>(random() % 1500)};
    if (random() % 2 == 0) request_.range.first = model::window_start(request_.range.first, width_ms);
    if (random() % 2 == 0) request_.range.last = model::window_start(request_.range.last, width_ms) + 1;
    query().pipeline().stages = {stage_};
    if (random() % 2 == 0) query().pipeline().group_by = TagKeys{"host"};
    const Engine engine(store, store, clock_, {}, nullptr, declared);
    const auto answered = [&] {
      const auto found = engine.run(request_, nullptr);
      EXPECT_TRUE(found);
      std::string out = std::to_string(found->metrics[0].sample_size);
      for (const Group& group : found->metrics[0].groups) out += " | " + aggregate::text_of(group.points);
      return out;
    };
    const std::string of_samples = answered();
    const auto sealed = static_cast<std::int64_t>(random() % 4000);
    auto declaration = counter::declaration_of({"m", 30});
    // Windows that were made by other rules are not taken.
    if (round % 10 == 0) declaration.rules.gap_ms = 60;
    const std::size_t before = store.windows_given();
    store.roll_up_counters({static_cast<std::int64_t>(random() % 2000), sealed}, width_ms, declaration);
    EXPECT_EQ(answered(), of_samples) << round;
    if (round % 10 == 0) {
      EXPECT_EQ(store.windows_given(), before);
    }
    given += store.windows_given() - before;
    query().pipeline() = {};
  }
  EXPECT_GT(given, 1000U);
}

// Where only the least and the greatest base rates in windows are asked, those of sealed windows are enough.
TEST_F(CountersTest, WindowsSayTheExtremesOfBaseRates) {
  using Extremes = std::map<model::Timestamp, std::pair<double, double>>;
  constexpr std::int64_t kBase = 30, kWide = 600;
  std::mt19937_64 random(7);
  std::size_t given = 0;
  for (int round = 0; round < 200; ++round) {
    MemoryStore store(1 + random() % 12);
    const bool real = random() % 4 == 0;
    std::int64_t value = 0;
    for (model::Timestamp time = static_cast<std::int64_t>(random() % 100); time < 4000;
         time += 1 + static_cast<std::int64_t>(random() % (random() % 9 == 0 ? 300 : 60))) {
      value = random() % 20 == 0 ? 0 : value + static_cast<std::int64_t>(random() % 500);
      store.put("t", "m", {{"host", "a"}}, time,
                real ? Value::of_double(static_cast<double>(value)) : Value::of_long(value));
    }
    if (round % 10 == 0) store.put("t", "m", {{"host", "b"}}, 2000, Value::of_long(1));
    stage_ = {};
    stage_.sampling = {kBase, model::TimeUnit::milliseconds};
    stage_.align_epoch = stage_.per_second = stage_.shows_coverage = true;
    stage_.extremes_in_ms = kWide;
    request_.range = {kBase * static_cast<std::int64_t>(random() % 50),
                      kBase * static_cast<std::int64_t>(60 + random() % 60)};
    query().pipeline().stages = {stage_};
    const auto declared = std::make_shared<counter::Declared>(std::vector<counter::Pattern>{{"m", kBase}});
    const Engine engine(store, store, clock_, {}, nullptr, declared);
    const auto extremes = [&] {
      const auto found = engine.run(request_, nullptr);
      EXPECT_TRUE(found);
      const aggregate::Points& points = found->metrics[0].groups.at(0).points;
      Extremes out;
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (2 * points.covered_ms[i] < kBase) continue;
        const double rate = points.number(i);
        auto& [least, greatest] =
            out.try_emplace(model::window_start(points.times[i], kWide), rate, rate).first->second;
        least = std::min(least, rate);
        greatest = std::max(greatest, rate);
      }
      return out;
    };
    const Extremes of_samples = extremes();
    const std::size_t before = store.windows_given();
    const std::int64_t width_ms = kWide / static_cast<std::int64_t>(1 + random() % 3);
    store.roll_up_counters({static_cast<std::int64_t>(random() % 2000), 3000}, width_ms,
                           counter::declaration_of({"m", kBase}));
    const Extremes of_windows = extremes();
    ASSERT_EQ(of_windows.size(), of_samples.size()) << round;
    for (const auto& [start, both] : of_windows) {
      const auto& [least, greatest] = of_samples.at(start);
      EXPECT_DOUBLE_EQ(both.first, least) << round;
      EXPECT_DOUBLE_EQ(both.second, greatest) << round;
    }
    if (round % 10 == 0) {
      EXPECT_EQ(store.windows_given(), before) << "a sum of two needs all bins of each";
    }
    given += store.windows_given() - before;
    query().pipeline() = {};
  }
  EXPECT_GT(given, 300U);
}

TEST_F(CountersTest, WindowsWithARestartAreReadAsSamples) {
  query().metric = "snmp.ifHCInOctets";
  put("snmp.ifHCInOctets", {{"device", "r"}, {"interface", "x"}}, "0:0 30:10 60:20 90:30 120:40 150:50");
  put("snmp.sysUpTime", {{"device", "r"}}, "0:1000 30:1003 60:1006 90:4 120:7 150:10");
  declared_ = std::make_shared<counter::Declared>(std::vector<counter::Pattern>{{"snmp.*", 30}});
  stage_.sampling = {60, model::TimeUnit::milliseconds};
  const std::string expected = "0:20 60:10 120:10";
  EXPECT_EQ(answer(), expected);
  store_.roll_up_counters({0, 300}, 60, counter::declaration_of({"snmp.*", 30}));
  EXPECT_EQ(answer(), expected);
  EXPECT_EQ(store_.windows_given(), 2U) << "of the three";
}

}  // namespace
}  // namespace varve::query
