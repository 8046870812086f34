// SPDX-License-Identifier: Apache-2.0
// The same question gives the same answer: before its slots are sealed, after it, after a restart, and after late and
// replaced samples and another sealing. Random lives of the whole engine beside a plain map, which answers every query
// too, in the plainest way; and what was read proves that windows of rollups took part.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <variant>

#include "engine/rocksdb/testing/directory.h"
#include "model/testing/lengths.h"
#include "query/engine.h"

namespace varve::server {
namespace {

using aggregate::Function;
using model::TimeRange;
using model::Timestamp;
using model::Value;
using model::ValueType;

using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;
constexpr Timestamp kFirstMidnight = 20'000 * kDay;

// A value as an answer has it; numbers are doubles here.
using Cell = std::variant<double, std::string>;
using Column = std::vector<std::pair<Timestamp, Cell>>;
// By host ("" for all together) and whether they are texts.
using Answer = std::map<std::pair<std::string, bool>, Column>;

struct Question {
  std::string metric;
  TimeRange range;
  bool by_host = false;
  Function function = Function::avg;
  std::int64_t width = kHour;
  bool align = true;
  aggregate::Stamp stamp = aggregate::Stamp::window_start;

  [[nodiscard]] query::Request request() const {
    query::Request out;
    out.tenant = "t";
    out.range = range;
    query::MetricQuery& query = out.metrics.emplace_back();
    query.metric = metric;
    if (by_host) query.pipeline().group_by = query::TagKeys{"host"};
    aggregate::Stage stage;
    stage.function = function;
    stage.sampling = {width / kMinute, model::TimeUnit::minutes};
    stage.align_sampling = align;
    stage.stamp = stamp;
    query.pipeline().stages = {stage};
    return out;
  }
};

std::ostream& operator<<(std::ostream& to, const Question& q) {
  return to << q.metric << (q.by_host ? " by host " : " ") << static_cast<int>(q.function) << " of "
            << q.width / kMinute << "m" << (q.align ? " aligned " : " ") << q.range.first - kFirstMidnight << ".."
            << q.range.last - kFirstMidnight;
}

// What was put, and answers made of that: sample by sample, in order of time.
class Map {
 public:
  struct Stored {
    ValueType type = ValueType::long_;
    double number = 0;
    std::string text;
  };
  void put(const std::string& metric, const std::string& host, Timestamp time, Stored value) {
    samples_[metric][time][host] = std::move(value);
  }

  [[nodiscard]] Answer answer(const Question& q, std::uint64_t& sample_size) const {
    Answer out;
    sample_size = 0;
    const auto of_metric = samples_.find(q.metric);
    if (of_metric == samples_.end()) return out;
    const Timestamp base = q.align ? model::window_start(q.range.first, kDay) : q.range.first;
    struct Window {
      Timestamp first = 0, last = 0;
      double count = 0, sum = 0;
      Cell least, most, first_value, last_value;
    };
    std::map<std::pair<std::string, bool>, std::map<Timestamp, Window>> windows;
    for (auto at = of_metric->second.lower_bound(q.range.first);
         at != of_metric->second.end() && at->first < q.range.last; ++at) {
      for (const auto& [host, value] : at->second) {
        const bool text = value.type == ValueType::string;
        if (!text && !std::isfinite(value.number)) continue;  // NaN is no number for an aggregator
        ++sample_size;
        const std::pair group(q.by_host ? host : "", text);
        const Cell cell = text ? Cell(value.text) : Cell(value.number);
        if (text && !aggregate::takes_text(q.function)) {
          out[group].emplace_back(at->first, cell);
          continue;
        }
        auto& w = windows[group][base + model::window_start(at->first - base, q.width)];
        if (w.count == 0) {
          w.first = at->first;
          w.least = w.most = w.first_value = cell;
        }
        w.last = at->first;
        w.last_value = cell;
        w.count += 1;
        w.least = std::min(w.least, cell);
        w.most = std::max(w.most, cell);
        if (!text) w.sum += value.number;
      }
    }
    for (const auto& [group, all] : windows) {
      for (const auto& [start, w] : all) {
        const Timestamp time = q.stamp == aggregate::Stamp::window_start ? start
                               : q.stamp == aggregate::Stamp::window_end ? start + q.width
                               : q.function == Function::last            ? w.last
                                                                         : w.first;
        const std::map<Function, Cell> values = {{Function::avg, w.sum / w.count}, {Function::sum, w.sum},
                                                 {Function::min, w.least},         {Function::max, w.most},
                                                 {Function::count, w.count},       {Function::first, w.first_value},
                                                 {Function::last, w.last_value}};
        out[group].emplace_back(time, values.at(q.function));
      }
    }
    return out;
  }

 private:
  std::map<std::string, std::map<Timestamp, std::map<std::string, Stored>>> samples_;  // metric, time, host
};

class SameAnswer : public ::testing::Test {
 protected:
  static constexpr std::string_view kHosts[] = {"a", "b", "c"};
  static engine::rocksdb::Options options() {
    engine::rocksdb::Options o;
    for (const std::int64_t width : {5 * kMinute, kHour, kDay}) o.rollups.levels.push_back({width, 1000 * kDay});
    o.rollups.counter_suffixes = {"reads"};
    o.slot_quiet_ms = 1000 * kDay;  // rounds of their own would make the test depend on its luck
    return o;
  }
  SameAnswer() : engine_(options(), clock_), store_(engine_) { restart(); }

  void restart() {
    queries_.reset();
    engine_.restart();
    queries_ = std::make_unique<query::Engine>(engine_.series(), engine_.samples(), clock_, query::Limits{});
  }
  void settle() { ASSERT_TRUE(engine_.samples().settle()); }

  void put(const std::string& metric, std::string_view host, Timestamp time, Map::Stored value) {
    const Value as_stored = value.type == ValueType::string ? Value::of_string(value.text)
                            : value.type == ValueType::double_
                                ? Value::of_double(value.number)
                                : Value::of_long(static_cast<std::int64_t>(value.number));
    auto& group = groups_[{metric, std::string(host)}];
    if (!group) group = store_.group({metric}, {{"host", std::string(host)}});
    ASSERT_TRUE(store_.put(*group, time, {as_stored}));
    map_.put(metric, std::string(host), time, std::move(value));
  }
  void put(const std::string& metric, std::string_view host, Timestamp time, double value) {
    put(metric, host, time, {ValueType::double_, value, {}});
  }

  // Asks the engine, and checks nothing.
  Answer ask(const Question& q, query::Read* read = nullptr, std::uint64_t* sample_size = nullptr) {
    const auto found = queries_->run(q.request(), nullptr);
    EXPECT_TRUE(found) << q;
    Answer out;
    if (!found) return out;
    if (read != nullptr) *read = found->read;
    if (sample_size != nullptr) *sample_size = found->metrics[0].sample_size;
    for (const query::Group& group : found->metrics[0].groups) {
      Column& column = out[{q.by_host ? group.group_values[0] : "", group.kind == model::ValueKind::text}];
      for (std::size_t i = 0; i < group.points.size(); ++i) {
        const bool text = group.points.type_of(i) == ValueType::string;
        column.emplace_back(group.points.times[i],
                            text ? Cell(group.points.texts[i])
                                 : Cell(aggregate::as_double(group.points.type_of(i), group.points.bits[i])));
      }
    }
    return out;
  }

  // Asks both.
  query::Read check(const Question& q) {
    query::Read read;
    std::uint64_t sample_size = 0;
    std::uint64_t wanted_size = 0;
    const Answer got = ask(q, &read, &sample_size);
    const Answer want = map_.answer(q, wanted_size);
    EXPECT_EQ(sample_size, wanted_size) << q;
    EXPECT_EQ(got.size(), want.size()) << q;
    for (const auto& [group, column] : want) {
      const auto found = got.find(group);
      if (found == got.end()) {
        ADD_FAILURE() << q << ": nothing of " << group.first << (group.second ? " (texts)" : "");
        continue;
      }
      EXPECT_EQ(found->second.size(), column.size()) << q;
      for (std::size_t i = 0; i < std::min(column.size(), found->second.size()); ++i) {
        EXPECT_TRUE(same(found->second[i], column[i]))
            << q << ": " << shown(found->second[i]) << ", not " << shown(column[i]) << " of " << group.first;
      }
    }
    return read;
  }

  std::uint32_t pick(std::uint32_t below) { return random_() % below; }
  template <class T>
  T pick_of(std::initializer_list<T> all) {
    return *(all.begin() + pick(static_cast<std::uint32_t>(all.size())));
  }

  void put_some();
  Question random_question();

  std::mt19937 random_{1};
  ManualClock clock_{kFirstMidnight + 10 * kDay};
  engine::rocksdb::testing::RocksdbEngine engine_;
  storage::testing::Fixture store_;
  std::unique_ptr<query::Engine> queries_;
  std::map<std::pair<std::string, std::string>, storage::testing::Group*> groups_;
  Map map_;

 private:
  static bool same(const std::pair<Timestamp, Cell>& a, const std::pair<Timestamp, Cell>& b) {
    if (a.first != b.first || a.second.index() != b.second.index()) return false;
    const double* x = std::get_if<double>(&a.second);
    if (x == nullptr) return a.second == b.second;
    const double y = std::get<double>(b.second);
    return std::abs(*x - y) <= 1e-9 * (1 + std::abs(y));
  }
  static std::string shown(const std::pair<Timestamp, Cell>& point) {
    const auto* number = std::get_if<double>(&point.second);
    return std::to_string(point.first - kFirstMidnight) + "=" +
           (number != nullptr ? std::to_string(*number) : std::get<std::string>(point.second));
  }
};

// A gauge, a delta counter, texts, and a series that is both.
void SameAnswer::put_some() {
  for (int i = 0; i < 40; ++i) {
    const std::uint32_t host = pick(3);
    const auto metric = pick_of<std::string>({"load", "load", "disk_reads", "disk_reads", "state", "mixed"});
    // Each host has seconds of its own, so that no order depends on which of two hosts comes first.
    const auto ago = static_cast<Timestamp>(pick(4) == 0 ? pick(4 * 86'400) : pick(7200)) * 1000;
    const Timestamp time = model::window_start(clock_.now_ms() - ago, 3000) + host * 1000;
    const bool text = metric == "state" || (metric == "mixed" && pick(2) == 0);
    if (text) {
      put(metric, kHosts[host], time, {ValueType::string, 0, pick_of<std::string>({"up", "down", "", "half way"})});
    } else if (metric == "disk_reads") {
      put(metric, kHosts[host], time, {ValueType::long_, static_cast<double>(pick(1000)), {}});
    } else {
      const double number = static_cast<double>(static_cast<int>(pick(2000)) - 1000) / 4;
      put(metric, kHosts[host], time, pick(10) == 0 ? std::nan("") : pick(50) == 0 ? HUGE_VAL : number);
    }
  }
}

Question SameAnswer::random_question() {
  Question q;
  q.metric = pick_of<std::string>({"load", "load", "disk_reads", "disk_reads", "state", "mixed"});
  q.by_host = pick(2) == 0;
  q.function = static_cast<Function>(pick(7));
  q.width = pick_of({5 * kMinute, 7 * kMinute, 30 * kMinute, kHour, kHour, 3 * kHour, kDay, kDay});
  q.align = pick(3) != 0;
  q.stamp = static_cast<aggregate::Stamp>(pick(3));
  const std::int64_t grid = pick_of({std::int64_t{1000}, kMinute, kHour, kDay, kDay});
  q.range.first = model::window_start(clock_.now_ms() - static_cast<Timestamp>(pick(5 * 86'400)) * 1000, grid);
  q.range.last =
      q.range.first + std::max(grid, model::window_start(static_cast<Timestamp>(pick(5 * 86'400)) * 1000, grid));
  return q;
}

TEST_F(SameAnswer, RandomLives) {
  std::size_t asked = 0;
  std::map<std::int64_t, std::size_t> with_windows;  // questions for which windows of a granularity were read
  std::map<Function, std::size_t> functions_with_windows;
  std::map<std::string, std::size_t> metrics_with_windows;
  for (std::uint32_t life = 1; life <= 3; ++life) {
    random_.seed(life);
    for (int step = 0; step < 200; ++step) {
      SCOPED_TRACE("life " + std::to_string(life) + " step " + std::to_string(step));
      const std::uint32_t what = pick(20);
      if (what < 7) {
        put_some();
      } else if (what < 8) {
        clock_.advance_ms(static_cast<std::int64_t>(pick(16)) * kHour);
      } else if (what < 9 && pick(3) == 0) {
        engine_.options().rollups.counter_suffixes =
            pick_of<std::vector<std::string>>({{"reads"}, {}, {"load", "mixed"}});
        restart();
      } else if (what < 12) {
        // The same before and after.
        std::vector<Question> questions;
        for (int i = 0; i < 5; ++i) questions.push_back(random_question());
        for (const Question& q : questions) check(q);
        settle();
        if (pick(4) == 0) restart();
        for (const Question& q : questions) check(q);
      } else {
        const Question q = random_question();
        const query::Read read = check(q);
        ++asked;
        for (const auto& [width, count] : read.windows) ++with_windows[width];
        if (!read.windows.empty()) {
          ++functions_with_windows[q.function];
          ++metrics_with_windows[q.metric];
        }
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(with_windows[5 * kMinute], asked / 10);
  EXPECT_GT(with_windows[kHour], asked / 20);
  EXPECT_GT(with_windows[kDay], 0U);
  for (const Function f : {Function::avg, Function::sum, Function::min, Function::max, Function::count}) {
    EXPECT_GT(functions_with_windows[f], 0U) << static_cast<int>(f);
  }
  for (const char* metric : {"load", "disk_reads", "mixed"}) EXPECT_GT(metrics_with_windows[metric], 0U) << metric;
}

// Whether a series is a delta counter is a matter of configuration, and windows made under another one stay.
TEST_F(SameAnswer, WhatIsACounterMayChange) {
  for (Timestamp t = 0; t < kDay; t += 60'000)
    put("disk_reads", "a", kFirstMidnight + t, static_cast<double>(t % 7 * 10'000));
  settle();
  Question q{"disk_reads", {kFirstMidnight, kFirstMidnight + kDay}, false, Function::min, kHour / 2};
  EXPECT_EQ(check(q).samples, 1440U);
  q.function = Function::avg;
  EXPECT_EQ(check(q).windows_in_all(), 288U);
  engine_.options().rollups.counter_suffixes = {};
  restart();
  q.function = Function::max;
  EXPECT_EQ(check(q).samples, 1440U) << "the windows have no extremes";
  put("disk_reads", "a", kFirstMidnight + 5 * kHour + 1, 1e6);
  check(q);
  settle();
  const query::Read mended = check(q);
  EXPECT_EQ(mended.samples, 23U * 60) << "one hour was sealed again, as a gauge";
  EXPECT_EQ(text_of(mended).substr(0, text_of(mended).find(", ms")), "series=1, samples=1380, 5m=12");
  q.width = kDay;
  check(q);
  restart();
  check(q);
}

// Where the samples are gone, an extreme that is not known is not made up.
TEST_F(SameAnswer, UnknownExtremesAreNull) {
  engine_.options().raw_retention_ms = 2 * kDay;
  restart();
  for (Timestamp t = 0; t < kHour; t += 60'000) put("disk_reads", "a", kFirstMidnight + t, 5);
  clock_.advance_ms(kHour);  // retention is looked after once an hour
  settle();
  Question q{"disk_reads", {kFirstMidnight, kFirstMidnight + kDay}, false, Function::sum, kHour};
  check(q);
  const auto only_value = [&] {
    const Answer answer = ask(q);
    EXPECT_EQ(answer.size(), 1U);
    EXPECT_EQ(answer.begin()->second.size(), 1U);
    return std::get<double>(answer.begin()->second.at(0).second);
  };
  for (const bool counter : {true, false}) {
    SCOPED_TRACE(counter);
    if (!counter) {
      engine_.options().rollups.counter_suffixes = {};
      restart();
    }
    for (const Function f : {Function::min, Function::max}) {
      for (const std::int64_t width : {kHour, kDay}) {
        q.function = f;
        q.width = width;
        EXPECT_TRUE(std::isnan(only_value())) << q;
      }
    }
  }
  // A late sample does not make them known, before it is sealed or after.
  put("disk_reads", "a", kFirstMidnight + 30, 7);
  for (int look = 0; look < 3; ++look) {
    q.function = Function::min;
    EXPECT_TRUE(std::isnan(only_value())) << look;
    q.function = Function::sum;
    check(q);
    if (look == 1) restart();
    clock_.advance_ms(kHour);
    settle();
  }
}

// What is no number makes no window: not of samples either.
TEST_F(SameAnswer, NothingButNan) {
  put("load", "a", kFirstMidnight, std::nan(""));
  put("load", "b", kFirstMidnight, 1);
  put("load", "c", kFirstMidnight + kDay, 2);
  Question q{"load", {kFirstMidnight, kFirstMidnight + kDay}, true, Function::max, kHour};
  EXPECT_EQ(check(q).windows_in_all(), 0U);
  settle();
  EXPECT_EQ(check(q).windows_in_all(), 1U);
}

// Texts are not in windows, and stand beside numbers that are.
TEST_F(SameAnswer, TextsBesideNumbers) {
  for (Timestamp t = 0; t < kDay; t += 600'000) {
    put("mixed", "a", kFirstMidnight + t, {ValueType::double_, 1.5, {}});
    put("mixed", "a", kFirstMidnight + t + 1, {ValueType::string, 0, "up"});
  }
  settle();
  Question q{"mixed", {kFirstMidnight, kFirstMidnight + kDay}, false, Function::avg, kHour};
  for (const Function f : {Function::avg, Function::min, Function::count, Function::last}) {
    q.function = f;
    const query::Read read = check(q);
    EXPECT_EQ(read.windows_in_all(), f == Function::last ? 0U : 24U);
  }
}

}  // namespace
}  // namespace varve::server
