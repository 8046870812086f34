// SPDX-License-Identifier: Apache-2.0
// Six simulated weeks against a plain map: three tenants, gauges, counters, texts and series of mixed types, late
// samples up to weeks old, rounds and restarts at random moments, and retention of samples and of granularities passing
// by. Every day all series are asked through the query engine, as samples and in windows of each granularity and of
// widths that are none.
//
//   VARVE_SOAK_SEEDS=5,6,7 VARVE_SOAK_DAYS=200 server_test --gtest_filter='*Soak*'      a longer one
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>

#include "base/testing/effort.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"
#include "query/engine.h"
#include "server/testing/soak_world.h"

namespace varve::server {
namespace {

using aggregate::Function;
using engine::rocksdb::Options;
using engine::rocksdb::testing::RocksdbEngine;
using model::Timestamp;
using model::Value;
using model::window_start;
using storage::testing::Fixture;
using storage::testing::OwnedValue;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using testing::Line;
using testing::number;
using testing::Point;
using testing::Points;
using testing::Series;

constexpr int kDays = varve::testing::effort(42);

class Soak {
 public:
  explicit Soak(std::uint32_t seed)
      : random_(seed), clock_(kStart), engine_(testing::options_of(seed), clock_), store_(engine_) {
    for (const std::string tenant : {"t-1", "t-2", "t-3"}) {
      for (const std::string host : {"a", "b"}) {
        line(tenant, host, {"gauge", "in_bytes"}, 7 * kMinute);
        line(tenant, host, {"gauge"}, 3 * kHour);  // the same series in another group
        line(tenant, host, {"text"}, kHour);
        line(tenant, host, {"mixed"}, 40 * kMinute);
      }
      line(tenant, "c", {"gauge"}, 5 * kDay);  // hardly ever there
    }
  }

  void run(int days) {
    for (int day = 0; day < days; ++day) {
      SCOPED_TRACE("day " + std::to_string(day));
      for (int part = 0; part < 4; ++part) {
        const Timestamp before = clock_.now_ms();
        clock_.advance_ms(6 * kHour - pick(kHour));
        put_new(before, clock_.now_ms());
        put_late(pick(12));
        if (pick(3) == 0) settle();
        if (pick(6) == 0) reopen();
        put_late(pick(4));
        if (pick(4) == 0) check_windows(kHour, {clock_.now_ms() - kDay, clock_.now_ms() - pick(kHour)});
        if (pick(4) == 0) check_samples({clock_.now_ms() - pick(kDay), clock_.now_ms() + kHour});
      }
      // Twice: what has just been sealed may be over, too, and retention is looked after once an hour.
      for (int round = 0; round < 2; ++round) {
        clock_.advance_ms(kHour + 5 * kMinute);
        settle();
      }
      check_day(day % 7 == 6);
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  const Options& options() { return engine_.options(); }
  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }

  void line(const std::string& tenant, const std::string& host, const std::vector<std::string>& metrics,
            std::int64_t step_ms) {
    Line& line = lines_.emplace_back();
    line.step_ms = step_ms;
    line.group = store_.group(metrics, {{"host", host}}, tenant);
    for (const auto& metric : metrics) {
      const auto known = std::ranges::find_if(
          series_, [&](const Series& s) { return s.tenant == tenant && s.metric == metric && s.host == host; });
      line.series.push_back(static_cast<std::size_t>(known - series_.begin()));
      if (known == series_.end()) series_.push_back({tenant, metric, host, {}});
    }
  }

  // Groups are numbers of the running process.
  void reopen() {
    engine_.restart();
    for (Line& line : lines_) {
      const Series& first = series_[line.series[0]];
      line.group = store_.group(line.group->metrics, {{"host", first.host}}, first.tenant);
    }
  }
  void settle() {
    const auto settled = engine_.samples().settle();
    ASSERT_TRUE(settled) << settled.error().message;
  }

  OwnedValue value_for(const std::string& metric, Timestamp time) {
    const auto text = [&] { return OwnedValue(Value::of_string("at " + std::to_string(time % 1000))); };
    if (metric == "text") return text();
    const double v = static_cast<double>(pick(4000) - 2000) / 8;  // sums of these are exact
    if (metric == "in_bytes") return OwnedValue(Value::of_long(pick(100'000)));
    if (metric == "mixed") {  // also over a value of another kind
      const auto kind = pick(4);
      if (kind == 0) return text();
      if (kind == 1) return OwnedValue(Value::of_long(pick(1000)));
      if (kind == 2 && pick(5) == 0) return OwnedValue(Value::of_double(std::nan("")));
    }
    return OwnedValue(Value::of_double(v));
  }
  void add(model::RowBatch& batch, const Line& line, Timestamp time) {
    std::vector<OwnedValue> owned;
    std::vector<Value> values;
    for (const std::size_t s : line.series) owned.push_back(value_for(series_[s].metric, time));
    for (const auto& one : owned) values.push_back(one.view());
    batch.add(line.group->line, time, values);
    for (std::size_t i = 0; i < owned.size(); ++i) series_[line.series[i]].samples[time] = owned[i];
  }
  void put_new(Timestamp from, Timestamp to) {
    model::RowBatch batch;
    for (const Line& line : lines_) {
      if (pick(8) == 0) continue;  // a sender is away
      for (Timestamp t = from + pick(line.step_ms); t < to; t += line.step_ms / 2 + pick(line.step_ms)) {
        add(batch, line, t);
      }
    }
    ASSERT_TRUE(store_.append(batch));
  }
  // Of any age. Where the samples may be gone a time that was there counts as one more, so only new ones are put.
  void put_late(std::int64_t count) {
    model::RowBatch batch;
    const Timestamp now = clock_.now_ms();
    for (; count > 0; --count) {
      const Line& line = lines_[static_cast<std::size_t>(pick(static_cast<std::int64_t>(lines_.size())))];
      const auto back =
          std::vector<std::int64_t>{kHour, kDay, 4 * kDay, 16 * kDay, 40 * kDay}[static_cast<std::size_t>(pick(5))];
      Timestamp time = now - pick(back);
      const auto& samples = series_[line.series[0]].samples;
      if (pick(3) == 0) {  // over one
        const auto there = samples.lower_bound(time);
        if (there != samples.end() && there->first < now) time = there->first;
      }
      const bool kept = time > now - options().raw_retention_ms + kDay;
      const bool known =
          std::ranges::any_of(line.series, [&](std::size_t s) { return series_[s].samples.contains(time); });
      if (kept || !known) add(batch, line, time);
    }
    ASSERT_TRUE(batch.rows() == 0 || store_.append(batch));
  }

  // --- What must be seen, as of now and right after a round. ---

  [[nodiscard]] bool has_samples(Timestamp time) {
    const std::int64_t width = options().slot_width_ms;
    return window_start(time, width) + width + options().raw_retention_ms > clock_.now_ms();
  }
  // In windows of `width`: from samples, or from the windows of a granularity that they are made of.
  [[nodiscard]] bool is_seen(const Series& series, Timestamp time, std::int64_t width, bool extremes) {
    if (has_samples(time)) return true;
    if (extremes && series.is_counter()) return false;
    return std::ranges::any_of(options().rollups.levels, [&](const rollup::Level& level) {
      return width % level.width_ms == 0 &&
             (level.retention_ms >= rollup::kForEver ||
              window_start(time, level.width_ms) >= clock_.now_ms() - level.retention_ms);
    });
  }
  Points expected(const Series& series, std::int64_t width, model::TimeRange range, bool extremes) {
    Points points;
    for (auto at = series.samples.lower_bound(range.first); at != series.samples.lower_bound(range.last); ++at) {
      if (at->second.type == model::ValueType::string || !std::isfinite(number(at->second))) continue;
      if (is_seen(series, at->first, width, extremes)) points[window_start(at->first, width)].add(number(at->second));
    }
    return points;
  }

  // --- Asking. ---

  query::Answer ask(const std::string& tenant, const std::string& metric, model::TimeRange range,
                    aggregate::Pipeline stages) {
    query::Request request;
    request.tenant = tenant;
    request.range = range;
    query::MetricQuery& one = request.metrics.emplace_back();
    one.metric = metric;
    one.pipeline().group_by = query::TagKeys{"host"};
    one.pipeline().stages = std::move(stages);
    const query::Engine engine(engine_.series(), engine_.samples(), clock_, {});
    auto answer = engine.run(request, nullptr);
    EXPECT_TRUE(answer) << answer.error().message;
    if (answer) return std::move(*answer);
    query::Answer nothing;
    nothing.metrics.resize(1);
    return nothing;
  }
  // The group of numbers (or of texts) of a host; nullptr: there is none.
  static const query::Group* group_of(const query::Answer& answer, const std::string& host, bool text) {
    for (const auto& group : answer.metrics[0].groups) {
      if (group.group_values[0] == host && (group.kind == model::ValueKind::text) == text) return &group;
    }
    return nullptr;
  }

  void check_windows(std::int64_t width, model::TimeRange range) {
    for (const std::string tenant : {"t-1", "t-2", "t-3"}) {
      for (const std::string metric : {"gauge", "in_bytes", "mixed", "text"}) {
        std::map<Function, query::Answer> answers;
        for (const Function f : {Function::sum, Function::count, Function::min, Function::max, Function::avg}) {
          if (f != Function::count && pick(3) != 0) continue;
          aggregate::Stage stage;
          stage.function = f;
          stage.sampling = {width, model::TimeUnit::milliseconds};
          stage.align_epoch = true;
          stage.stamp = aggregate::Stamp::window_start;
          answers[f] = ask(tenant, metric, range, {stage});
        }
        for (const Series& series : series_) {
          if (series.tenant != tenant || series.metric != metric) continue;
          SCOPED_TRACE(tenant + " " + metric + " " + series.host + " in " + std::to_string(width / kMinute) + "m of " +
                       std::to_string(range.first) + "…" + std::to_string(range.last) + " at " +
                       std::to_string(clock_.now_ms()));
          const Points all = expected(series, width, range, false);
          const Points extremes = series.is_counter() ? expected(series, width, range, true) : all;
          for (const auto& [f, answer] : answers) {
            SCOPED_TRACE("function " + std::to_string(static_cast<int>(f)));
            if (series.is_counter() && (f == Function::min || f == Function::max)) {
              check_counter_extremes(series, f, all, extremes, answer);
            } else {
              check_windows(series, f, all, answer);
            }
            if (f == Function::count) check_text_counts(series, width, range, answer);
          }
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
  static double value_of(Function f, const Point& point) {
    switch (f) {
      case Function::sum: return point.sum;
      case Function::count: return static_cast<double>(point.count);
      case Function::min: return point.min;
      case Function::max: return point.max;
      default: return point.sum / static_cast<double>(point.count);
    }
  }
  static std::map<Timestamp, double> numbers_of(const Series& series, const query::Answer& answer) {
    std::map<Timestamp, double> got;
    if (const auto* group = group_of(answer, series.host, false)) {
      for (std::size_t i = 0; i < group->points.size(); ++i) {
        got[group->points.times[i]] = number(OwnedValue(Value{group->points.type_of(i), group->points.bits[i], {}}));
      }
    }
    return got;
  }
  // Of a window whose samples are gone, if only in part, nobody knows the extremes: NaN. `kept`: of those still there.
  void check_counter_extremes(const Series& series, Function f, const Points& all, const Points& kept,
                              const query::Answer& answer) {
    const auto got = numbers_of(series, answer);
    EXPECT_EQ(got.size(), all.size());
    for (const auto& [time, point] : all) {
      const auto there = got.find(time);
      ASSERT_NE(there, got.end()) << "nothing at " << time << " of " << point.count << " samples";
      const auto known = kept.find(time);
      const bool is_known = known != kept.end() && known->second.count == point.count;
      if (std::isnan(there->second)) {
        // Another series may have had a sample in the part that is gone.
        EXPECT_TRUE(!is_known || time < clock_.now_ms() - options().raw_retention_ms) << time;
      } else {
        ASSERT_TRUE(is_known) << time;
        ASSERT_EQ(there->second, value_of(f, known->second)) << time;
      }
    }
  }
  static void check_windows(const Series& series, Function f, const Points& want, const query::Answer& answer) {
    auto got = numbers_of(series, answer);
    for (const auto& [time, point] : want) {
      const auto there = got.find(time);
      ASSERT_NE(there, got.end()) << "nothing at " << time << " of " << point.count << " samples";
      const double v = value_of(f, point);
      ASSERT_NEAR(there->second, v, 1e-9 * (1 + std::abs(v))) << time;
      got.erase(there);
    }
    EXPECT_TRUE(got.empty()) << "also at " << got.begin()->first;
  }
  // Texts are seen where their samples are.
  void check_text_counts(const Series& series, std::int64_t width, model::TimeRange range,
                         const query::Answer& answer) {
    std::map<Timestamp, std::uint64_t> want, got;
    for (const auto& [time, value] : series.samples) {
      if (value.type == model::ValueType::string && range.contains(time) && has_samples(time)) {
        ++want[window_start(time, width)];
      }
    }
    if (const auto* group = group_of(answer, series.host, true)) {
      for (std::size_t i = 0; i < group->points.size(); ++i) got[group->points.times[i]] = group->points.bits[i];
    }
    EXPECT_EQ(got, want);
  }

  void check_samples(model::TimeRange range) {
    for (const std::string tenant : {"t-1", "t-2", "t-3"}) {
      for (const std::string metric : {"gauge", "in_bytes", "mixed", "text"}) {
        const query::Answer answer = ask(tenant, metric, range, {});
        for (const Series& series : series_) {
          if (series.tenant != tenant || series.metric != metric) continue;
          std::map<Timestamp, OwnedValue> want, got;
          for (auto at = series.samples.lower_bound(range.first); at != series.samples.lower_bound(range.last); ++at) {
            if (has_samples(at->first)) want.insert(*at);
          }
          for (const bool text : {false, true}) {
            const auto* group = group_of(answer, series.host, text);
            for (std::size_t i = 0; group != nullptr && i < group->points.size(); ++i) {
              Value value{group->points.type_of(i), 0, {}};
              if (text) {
                value.text = group->points.texts[i];
              } else {
                value.bits = group->points.bits[i];
              }
              got[group->points.times[i]] = OwnedValue(value);
            }
          }
          ASSERT_EQ(got, want) << tenant << " " << metric << " " << series.host << " at " << clock_.now_ms();
        }
      }
    }
  }

  // Once a week everything, else the last days or three days of some other time.
  void check_day(bool all) {
    const Timestamp last = clock_.now_ms() + kHour;
    const Timestamp first = kStart - 50 * kDay;
    std::vector<model::TimeRange> ranges = {{first, last}};
    if (!all) {
      const Timestamp some = first + pick(last - first);
      ranges = {pick(2) == 0 ? model::TimeRange{last - 5 * kDay, last} : model::TimeRange{some, some + 3 * kDay}};
    }
    const auto& levels = options().rollups.levels;
    std::vector<std::int64_t> widths;
    for (const auto& level : levels) widths.push_back(level.width_ms);
    constexpr std::int64_t kOthers[] = {7 * kMinute, 3 * kHour, 36 * kHour, 7 * kDay};
    widths.push_back(kOthers[pick(4)]);
    for (const model::TimeRange& range : ranges) {
      check_samples(range);
      for (const std::int64_t width : widths) {
        check_windows(width, {window_start(range.first, width), window_start(range.last, width) + width});
        if (::testing::Test::HasFailure()) return;
      }
    }
    // Any range, where the samples are: its first and last windows are parts.
    const std::int64_t kept = options().raw_retention_ms - options().slot_width_ms;
    const Timestamp some = clock_.now_ms() - pick(kept);
    check_windows(widths[static_cast<std::size_t>(pick(3))], {some, some + 1 + pick(kept)});
  }

  std::mt19937_64 random_;
  ManualClock clock_;
  RocksdbEngine engine_;
  Fixture store_;
  std::vector<Line> lines_;
  std::vector<Series> series_;
};

std::vector<std::uint32_t> seeds() {
  const char* given = std::getenv("VARVE_SOAK_SEEDS");
  if (given == nullptr) return {1, 2, 3};
  std::vector<std::uint32_t> list;
  std::istringstream words(given);
  for (std::string word; std::getline(words, word, ',');) list.push_back(static_cast<std::uint32_t>(std::stoul(word)));
  return list;
}

class SoakTest : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(SoakTest, simulated_weeks) {
  const char* days = std::getenv("VARVE_SOAK_DAYS");
  engine::rocksdb::testing::make_directories_in_memory();
  Soak soak(GetParam());
  soak.run(days != nullptr ? std::atoi(days) : kDays);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SoakTest, ::testing::ValuesIn(seeds()),
                         [](const auto& seed) { return std::to_string(seed.param); });

}  // namespace
}  // namespace varve::server
