// SPDX-License-Identifier: Apache-2.0
// The engine over a store in memory: a random comparison with the plainest way to answer, and its limits. The answers
// themselves, case by case, are in http/testdata/kairosdb_query.
#include "query/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "aggregate/apply.h"
#include "query/testing/engine_fixture.h"
#include "storage/testing/memory_store.h"

namespace varve::query {
namespace {

using aggregate::Function;
using aggregate::Stage;
using aggregate::Stamp;
using model::TimeUnit;
using model::Value;
using model::ValueType;
using query::testing::EngineTest;
using query::testing::stage_of;
using storage::testing::MemoryStore;

struct Sample {
  std::string host;
  std::string dc;  // "": no such tag
  model::Timestamp time;
  Value value;
};

struct ExpectedGroup {
  std::vector<std::pair<model::Timestamp, double>> points;
  std::set<std::string> hosts;
};

// Groups by dc, merges, limits and applies the stages one after the other, as the words say.
std::map<std::string, ExpectedGroup> naive(const std::vector<Sample>& samples, const Request& request,
                                           std::uint64_t& sample_size) {
  const MetricQuery& query = request.metrics[0];
  std::map<std::pair<std::string, std::string>, std::map<model::Timestamp, Value>> series;
  for (const Sample& s : samples) {
    if (request.range.contains(s.time)) series[{s.dc, s.host}][s.time] = s.value;
  }
  std::map<std::string, std::vector<std::pair<model::Timestamp, Value>>> merged;
  std::map<std::string, ExpectedGroup> out;
  sample_size = 0;
  const auto cut = [&](auto list) {
    if (query.pipeline().limit == 0 || list.size() <= query.pipeline().limit) return list;
    return query.pipeline().descending
               ? decltype(list)(list.end() - static_cast<std::ptrdiff_t>(query.pipeline().limit), list.end())
               : decltype(list)(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(query.pipeline().limit));
  };
  for (const auto& [key, points] : series) {
    const std::string group = query.pipeline().keys().empty() ? "" : key.first;
    for (const auto type : {model::ValueType::long_, model::ValueType::double_}) {
      std::vector<std::pair<model::Timestamp, Value>> list;
      std::ranges::copy_if(points, std::back_inserter(list), [&](const auto& p) { return p.second.type == type; });
      list = cut(std::move(list));
      sample_size += list.size();
      merged[group].insert(merged[group].end(), list.begin(), list.end());
    }
    out[group].hosts.insert(key.second);
  }
  for (auto& [group, list] : merged) {
    std::ranges::stable_sort(list, [](const auto& a, const auto& b) {
      return std::pair(a.first, aggregate::as_double(a.second.type, a.second.bits)) <
             std::pair(b.first, aggregate::as_double(b.second.type, b.second.bits));
    });
    aggregate::Points points;
    for (const auto& [time, value] : cut(list)) {
      points.times.push_back(time);
      points.types.push_back(value.type);
      points.bits.push_back(value.bits);
    }
    for (const aggregate::Step& step : query.pipeline().stages) {
      points = aggregate::apply(std::get<Stage>(step), {.start = request.range.first}, std::move(points)).value();
    }
    if (query.pipeline().descending) points.reverse();
    for (std::size_t i = 0; i < points.size(); ++i) {
      out[group].points.emplace_back(points.times[i], aggregate::as_double(points.type_of(i), points.bits[i]));
    }
  }
  return out;
}

TEST(Engine, AnswersWhatTheWordsSay) {
  std::mt19937_64 random(21);
  for (int round = 0; round < 300; ++round) {
    MemoryStore store(1 + random() % 10);
    SystemClock clock;
    const Engine engine(store, store, clock, {});
    std::vector<Sample> samples;
    const std::int64_t step = std::array<std::int64_t, 3>{1, 700, 3'600'000}[random() % 3];
    for (std::size_t n = random() % 400; n > 0; --n) {
      Sample s;
      s.host = std::to_string(random() % 9);
      s.dc = std::array{"", "x", "y"}[random() % 3];
      s.time = (static_cast<std::int64_t>(random() % 60) - 20) * step;
      const auto v = static_cast<std::int64_t>(random() % 400) - 200;
      s.value = random() % 3 == 0 ? Value::of_long(v) : Value::of_double(static_cast<double>(v) / 8);
      samples.push_back(s);
      model::TagViews tags{{"host", s.host}};
      if (!s.dc.empty()) tags.push_back({"dc", s.dc});
      store.put("t", "cpu", tags, s.time, s.value);
    }
    Request request;
    request.tenant = "t";
    request.range.first = (static_cast<std::int64_t>(random() % 20) - 20) * step;
    request.range.last = request.range.first + static_cast<std::int64_t>(1 + random() % 60) * step;
    MetricQuery& query = request.metrics.emplace_back();
    query.metric = "cpu";
    if (random() % 2 == 0) query.pipeline().group_by = TagKeys{"dc"};
    if (random() % 3 == 0) query.pipeline().limit = 1 + random() % 10;
    query.pipeline().descending = random() % 3 == 0;
    for (std::size_t n = random() % 3; n > 0; --n) {
      const auto unit =
          std::array{TimeUnit::milliseconds, TimeUnit::seconds, TimeUnit::days, TimeUnit::months}[random() % 4];
      Stage stage = stage_of(static_cast<Function>(random() % 7), static_cast<std::int64_t>(1 + random() % 4), unit);
      stage.align_sampling = random() % 2 == 0;
      stage.stamp = static_cast<Stamp>(random() % 3);
      query.pipeline().stages.push_back(stage);
    }

    std::uint64_t sample_size = 0;
    const auto expected = naive(samples, request, sample_size);
    const auto answer = engine.run(request, nullptr);
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_EQ(answer->metrics[0].sample_size, sample_size) << round;
    ASSERT_EQ(answer->metrics[0].groups.size(), expected.size()) << round;
    auto at = expected.begin();
    for (const Group& group : answer->metrics[0].groups) {
      ASSERT_EQ(query.pipeline().keys().empty() ? "" : group.group_values[0], at->first);
      std::vector<std::pair<model::Timestamp, double>> points;
      for (std::size_t i = 0; i < group.points.size(); ++i) {
        points.emplace_back(group.points.times[i], aggregate::as_double(group.points.type_of(i), group.points.bits[i]));
      }
      ASSERT_EQ(points, at->second.points) << round;
      std::set<std::string> hosts;
      for (const auto& [key, values] : group.tags) {
        if (key != "host") continue;
        for (const std::string_view value : values) hosts.emplace(value);
      }
      ASSERT_EQ(hosts, at->second.hosts);
      ++at;
    }
  }
}

TEST_F(EngineTest, StatisticsStandInForSamplesWhereTheyLieInOneWindow) {
  put(2, 16);
  const Engine engine(store_, store_, clock_, {});
  EXPECT_EQ(engine.run(request(stage_of(Function::sum, 1, TimeUnit::minutes)), nullptr)->metrics[0].sample_size, 32U);
  EXPECT_EQ(store_.stats_given(), 8U);  // pieces of 4 samples
  ASSERT_TRUE(engine.run(request(stage_of(Function::sum, 6, TimeUnit::seconds)), nullptr));
  EXPECT_EQ(store_.stats_given(), 8U + 2 * 3);  // one of four pieces of each host crosses a boundary
  ASSERT_TRUE(engine.run(request(stage_of(Function::last, 1, TimeUnit::minutes)), nullptr));
  EXPECT_EQ(store_.stats_given(), 14U);  // needs the sample itself
  Request limited = request(stage_of(Function::sum, 1, TimeUnit::minutes));
  limited.metrics[0].pipeline().limit = 3;
  EXPECT_EQ(engine.run(limited, nullptr)->metrics[0].groups[0].points.bits[0], std::bit_cast<std::uint64_t>(3.0));
  EXPECT_EQ(store_.stats_given(), 14U);
}

TEST_F(EngineTest, TheSameMetricTwiceAndOthers) {
  put(1, 3);
  store_.put("t", "n", {{"host", "0"}}, 5, Value::of_string("x"));
  Request all = request(stage_of(Function::count, 1, TimeUnit::days));
  all.metrics.push_back(all.metrics[0]);
  all.metrics[1].pipeline().stages.clear();
  all.metrics.push_back(all.metrics[1]);
  all.metrics[2].metric = "n";
  all.metrics.push_back(all.metrics[1]);
  all.metrics[3].metric = "unknown";
  const auto answer = Engine(store_, store_, clock_, {}).run(all, nullptr);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->metrics[0].groups[0].points.bits, std::vector<std::uint64_t>{3});
  EXPECT_EQ(answer->metrics[1].groups[0].points.times, (std::vector<model::Timestamp>{0, 1000, 2000}));
  EXPECT_EQ(answer->metrics[2].groups[0].kind, model::ValueKind::text);
  EXPECT_EQ(answer->metrics[2].groups[0].points.texts, std::vector<std::string>{"x"});
  EXPECT_TRUE(answer->metrics[3].groups.empty());
}

TEST_F(EngineTest, MetricsOfAQueryAreCounted) {
  put(1, 3);
  Limits limits;
  limits.metrics_max = 3;
  const Engine engine(store_, store_, clock_, limits);
  Request asked = request(stage_of(aggregate::Function::sum, 1, model::TimeUnit::hours));
  asked.metrics.resize(3, asked.metrics[0]);
  const auto answer = engine.run(asked, nullptr);
  ASSERT_TRUE(answer);
  for (const auto& metric : answer->metrics) EXPECT_EQ(metric.groups.size(), 1U);
  asked.metrics.resize(4, asked.metrics[0]);
  for (const auto& error : {engine.run(asked, nullptr).error(), engine.tags(asked, nullptr).error()}) {
    EXPECT_EQ(error.code, Code::invalid);
    EXPECT_NE(error.message.find("query.metrics_max"), std::string::npos) << error.message;
  }
}

TEST_F(EngineTest, TextsHaveTheirLimitToo) {
  for (const char* host : {"a", "b"}) {
    for (int i = 0; i < 5; ++i) store_.put("t", "m", {{"host", host}}, i, Value::of_string(host + std::to_string(i)));
  }
  Request some = request({});
  some.metrics[0].pipeline().stages.clear();
  some.metrics[0].pipeline().limit = 3;
  const Engine engine(store_, store_, clock_, {});
  auto answer = engine.run(some, nullptr);
  EXPECT_EQ(answer->metrics[0].sample_size, 6U);
  EXPECT_EQ(answer->metrics[0].groups[0].points.texts, (std::vector<std::string>{"a0", "b0", "a1"}));
  some.metrics[0].pipeline().descending = true;
  answer = engine.run(some, nullptr);
  EXPECT_EQ(answer->metrics[0].groups[0].points.texts, (std::vector<std::string>{"b4", "a4", "b3"}));
}

TEST_F(EngineTest, OverTheBudgetIsAnError) {
  put(4, 2000);
  Limits limits;
  limits.memory_bytes = 50'000;
  const Engine engine(store_, store_, clock_, limits);
  const auto windows = engine.run(request(stage_of(Function::sum, 1, TimeUnit::days)), nullptr);
  EXPECT_TRUE(windows) << "a window costs the same, however many samples are in it";
  for (Request big : {request(stage_of(Function::sum, 1, TimeUnit::milliseconds)), request({})}) {
    if (std::get<Stage>(big.metrics[0].pipeline().stages[0]).function == Function::avg)
      big.metrics[0].pipeline().stages.clear();
    const auto answer = engine.run(big, nullptr);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::limit);
    EXPECT_NE(answer.error().message.find("query.memory"), std::string::npos);
  }
}

TEST_F(EngineTest, EachSeriesIsAGroup) {
  for (const auto& [host, dc] : {std::pair("b", "x"), {"a", "y"}, {"a", "x"}, {"c", ""}}) {
    model::TagViews tags{{"host", host}};
    if (*dc != '\0') tags.push_back({"dc", dc});
    store_.put("t", "each", tags, 5, Value::of_long(1));
    store_.put("t", "each", tags, 6, Value::of_long(2));
  }
  store_.put("t", "each", {{"host", "z"}}, 500, Value::of_long(1));
  Request request;
  request.tenant = "t";
  request.range = {0, 100};
  MetricQuery& query = request.metrics.emplace_back();
  query.metric = "each";
  query.pipeline().group_by = EachSeries();
  for (const bool windows : {false, true}) {
    if (windows) query.pipeline().stages = {stage_of(Function::sum, 10, TimeUnit::milliseconds)};
    const auto answer = Engine(store_, store_, clock_, {}).run(request, nullptr);
    ASSERT_TRUE(answer) << answer.error().message;
    std::string seen;
    for (const Group& group : answer->metrics[0].groups) {
      for (const auto& [key, values] : group.tags) seen.append(key).append("=").append(values.front()).append(",");
      seen += std::to_string(group.points.size()) + " ";
      EXPECT_TRUE(group.group_values.empty());
    }
    const std::string n = windows ? "1 " : "2 ";
    EXPECT_EQ(seen, "dc=x,host=a," + n + "dc=x,host=b," + n + "dc=y,host=a," + n + "host=c," + n);
  }
}

TEST_F(EngineTest, CancelledAndTooLong) {
  put(2, 3);
  std::atomic<bool> gone{true};
  const auto cancelled = Engine(store_, store_, clock_, {}).run(request({}), &gone);
  EXPECT_EQ(cancelled.error().code, Code::cancelled);
  // A clock that moves with each look at it.
  class Hasty final : public Clock {
   public:
    [[nodiscard]] std::int64_t now_ms() const override { return 0; }
    [[nodiscard]] std::int64_t steady_ns() const override { return now_ns_ += 1'000'000'000; }

   private:
    mutable std::atomic<std::int64_t> now_ns_{0};
  } hasty;
  Limits limits;
  limits.timeout = std::chrono::milliseconds(1500);
  const auto late = Engine(store_, store_, hasty, limits).run(request({}), nullptr);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::timeout);
}

TEST_F(EngineTest, TagsOfARange) {
  store_.put("t", "m", {{"host", "a"}, {"dc", "x"}}, 100, Value::of_long(1));
  store_.put("t", "m", {{"host", "b"}}, 200, Value::of_string("text"));
  const Engine engine(store_, store_, clock_, {});
  Request ask = request({});
  ask.range = {50, 200};
  EXPECT_EQ(engine.tags(ask, nullptr)->metrics[0], (TagUnion{{"dc", {"x"}}, {"host", {"a"}}}));
  ask.range = {150, 201};
  EXPECT_EQ(engine.tags(ask, nullptr)->metrics[0], (TagUnion{{"host", {"b"}}}));
  ask.range = {300, 400};
  EXPECT_EQ(engine.tags(ask, nullptr)->metrics[0], TagUnion{});
  store_.put("t", "m", {{"host", "b"}}, 500, Value::of_long(1));  // was silent in between
  EXPECT_EQ(engine.tags(ask, nullptr)->metrics[0], (TagUnion{{"host", {"b"}}}));
  ask.range = {0, 2'000'000'000};  // past and future: from the index
  EXPECT_EQ(engine.tags(ask, nullptr)->metrics[0], (TagUnion{{"dc", {"x"}}, {"host", {"a", "b"}}}));
  ask.metrics[0].matchers = {{"host", index::Matcher::Kind::any_of, {"b"}}};
  EXPECT_EQ(engine.tags(ask, nullptr)->metrics[0], (TagUnion{{"host", {"b"}}}));
  ask.tenant = "nobody";
  EXPECT_EQ(engine.tags(ask, nullptr)->metrics[0], TagUnion{});
}

// Scans of the real store call from several threads, each with series of its own.
TEST_F(EngineTest, ThreadsMayShareAGroup) {
  class Parallel final : public storage::SampleStore {
   public:
    void append(const model::RowBatch&, AppendDone) override {}
    Status scan(model::TenantId, std::span<const model::SeriesId> series, const storage::ScanOptions&,
                storage::PieceSink& sink) override {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
          for (std::size_t s = t; s < series.size(); s += 4) {
            for (int slot = 0; slot < 20; ++slot) give(s, slot, sink);
          }
        });
      }
      return {};
    }
    Result<storage::EraseReport> erase(model::TenantId, std::span<const model::SeriesId>, model::TimeRange,
                                       const std::atomic<bool>*) override {
      return storage::EraseReport{};
    }
    Result<storage::SettleReport> settle() override { return storage::SettleReport{}; }
    [[nodiscard]] storage::StorageBytes storage_bytes() const override { return {}; }

   private:
    static void give(std::size_t series, int slot, storage::PieceSink& sink) {
      std::vector<model::Timestamp> times;
      std::vector<std::uint64_t> bits;
      for (int i = 0; i < 10; ++i) {
        times.push_back(slot * 100 + i * 10);
        bits.push_back(std::bit_cast<std::uint64_t>(0.1));
      }
      ASSERT_TRUE(
          sink.piece({.series = series, .type = ValueType::double_, .times = times, .bits = bits, .texts = {}}));
    }
  } parallel;
  for (int h = 0; h < 64; ++h) store_.put("t", "m", {{"host", std::to_string(h)}}, 0, Value::of_long(1));
  const Engine engine(store_, parallel, clock_, {});
  std::set<std::uint64_t> seen;
  for (int round = 0; round < 5; ++round) {
    const auto answer = engine.run(request(stage_of(Function::avg, 1, TimeUnit::seconds)), nullptr);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->metrics[0].sample_size, 64U * 200);
    ASSERT_EQ(answer->metrics[0].groups[0].points.size(), 2U);
    seen.insert(answer->metrics[0].groups[0].points.bits[0]);
    Request raw = request({});
    raw.metrics[0].pipeline().stages.clear();
    EXPECT_EQ(engine.run(raw, nullptr)->metrics[0].groups[0].points.size(), 64U * 200);
  }
  EXPECT_EQ(seen.size(), 1U) << "the answer must not depend on the order of threads";
}

}  // namespace
}  // namespace varve::query
