// SPDX-License-Identifier: Apache-2.0
// Death at each step of settling: spilling, merging, sealing, making coarse windows, retention; with late samples into
// slots that are sealed and into slots whose samples are gone. A life of five acts is played to its end once, to learn
// which steps it passes; then a child process dies at each of them, and the next start has everything, once, and goes
// on with the next act.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/testing/effort.h"
#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"
#include "engine/rocksdb/testing/rollup_store.h"
#include "engine/rocksdb/testing/steps.h"
#include "engine/rocksdb/testing/sums.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using storage::testing::Fixture;
using testing::kDay;
using testing::kDied;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using testing::StoreAt;
using testing::Sums;

constexpr int kActs = 6;
const std::vector<std::string> kSettledMetrics = {"m", "n", "alone_bytes"};

Options settle_options(const std::string& path) {
  Options o;
  o.path = path;
  o.rollups.levels = {{5 * kMinute, 4 * kDay}, {kHour, rollup::kForEver}, {kDay, rollup::kForEver}};
  o.rollups.counter_suffixes = {"bytes"};
  o.raw_retention_ms = 2 * kDay;
  o.strata = {{2 * kHour, 0, 1 << 20}, {6 * kHour, 0, 1 << 20}};
  // Only settle() does anything, and the clock stands still meanwhile.
  o.slot_quiet_ms = 1000 * kDay;
  o.merge_quiet_ms = 1000 * kDay;
  return o;
}

// When the act is settled.
Timestamp time_of(int act) {
  constexpr std::int64_t kTimes[kActs] = {kDay + kHour,         kDay + 2 * kHour,     3 * kDay + kHour,
                                          3 * kDay + 3 * kHour, 5 * kDay + 2 * kHour, 5 * kDay + 4 * kHour};
  return kStart + kTimes[act];
}

struct Put {
  std::string metric;
  Timestamp time;
  double value;
};

// What the act puts. Times into slots whose samples are gone are new ones: a repetition would count as one more there.
std::vector<Put> puts_of(int act) {
  std::vector<Put> puts;
  const auto all = [&puts](Timestamp time, double value) {
    for (const auto& metric : kSettledMetrics)
      puts.push_back({metric, kStart + time, value + (metric == "n" ? 0.5 : 0)});
  };
  const auto day = [&](std::int64_t which, double value) {
    for (Timestamp t = 0; t < kDay; t += 10 * kMinute) all(which * kDay + t, value + static_cast<double>(t % 7));
  };
  switch (act) {
    case 0: day(0, 10); break;
    case 1:  // late, while the samples are there: over one, and new ones
      all(3 * kHour, 1000);
      all(3 * kHour + 1, -7);
      all(17 * kHour + 59 * kMinute, 500);
      break;
    case 2: day(1, 20); break;  // retention takes day 0
    case 3:                     // late, and the samples are gone; two slots
      all(3 * kHour + 2, 3000);
      all(3 * kHour + 40 * kMinute + 1, -3000);
      all(5 * kHour + 7, 42);
      break;
    case 4: day(4, 30); break;  // retention takes the windows of five minutes, too
    case 5:
      all(3 * kHour + 3, 111);
      all(kDay + 3, 222);
      all(4 * kDay + 3, 333);
      break;
    default: break;
  }
  return puts;
}

Sums expected(int acts, const std::string& metric, std::int64_t width, model::TimeRange range) {
  std::map<Timestamp, double> samples;
  for (int act = 0; act < acts; ++act) {
    for (const Put& put : puts_of(act)) {
      if (put.metric == metric && range.contains(put.time)) samples[put.time] = put.value;
    }
  }
  Sums sums;
  for (const auto& [time, v] : samples) sums[model::window_start(time, width)].add(time, 1, v, v, v);
  return sums;
}

class SettledLife {
 public:
  SettledLife(const Options& options, int act) : clock_(time_of(act)), engine_(options, clock_), store_(engine_) {
    pair_ = store_.group({"m", "n"});
    alone_ = store_.group({"alone_bytes"});
    again_ = store_.group({"m"});  // a series of the pair, in another group
    text_ = store_.group({"text"});
  }

  // True: all was acknowledged.
  bool put(int act) {
    clock_.advance_ms(time_of(act) - clock_.now_ms());
    std::map<Timestamp, std::map<std::string, double>> rows;
    for (const Put& put : puts_of(act)) rows[put.time][put.metric] = put.value;
    model::RowBatch batch;
    for (const auto& [time, row] : rows) {
      const auto value = [&row](const char* metric) { return Value::of_double(row.at(metric)); };
      if (time / 10 % 2 == 0) {
        batch.add(pair_->line, time, std::vector{value("m"), value("n")});
      } else {
        batch.add(pair_->line, time, std::vector{Value::of_double(-1), value("n")});
        batch.add(again_->line, time, std::vector{value("m")});
      }
      batch.add(alone_->line, time, std::vector{value("alone_bytes")});
      const std::string word = "at " + std::to_string(time);
      batch.add(text_->line, time, std::vector{Value::of_string(word)});
    }
    return bool(store_.append(batch));
  }
  bool settle() { return bool(engine_.samples().settle()); }
  void wait_ms(std::int64_t ms) { clock_.advance_ms(ms); }

  // Does it say what has been put in so many acts?
  void check(int acts) {
    const model::TimeRange all{kStart, kStart + 6 * kDay};
    for (const std::string& metric : kSettledMetrics) {
      const bool counter = metric.ends_with("bytes");
      for (const std::int64_t width : {kHour, kDay}) {
        SCOPED_TRACE(metric + " at " + std::to_string(width));
        testing::expect_equal(read(metric, width, all, true, !counter), expected(acts, metric, width, all), !counter);
      }
      // Windows of five minutes where they are kept.
      const model::TimeRange recent{model::window_start(clock_.now_ms() - 2 * kDay, kDay), kStart + 6 * kDay};
      testing::expect_equal(read(metric, 5 * kMinute, recent, true, !counter),
                            expected(acts, metric, 5 * kMinute, recent), !counter);
    }
  }
  // After settling: what is over is gone, and what is not is there to the last sample.
  void check_samples(int acts) {
    const Timestamp gone = model::window_start(clock_.now_ms() - 2 * kDay, kHour);
    for (const std::string& metric : kSettledMetrics) {
      SCOPED_TRACE(metric);
      EXPECT_EQ(read(metric, 1, {kStart, gone}, false).size(), 0U);
      const model::TimeRange kept{gone, kStart + 6 * kDay};
      testing::expect_equal(read(metric, 1, kept, false), expected(acts, metric, 1, kept));
    }
    for (const auto& [time, value] : store_.read("text", {gone, kStart + 6 * kDay})) {
      EXPECT_EQ(value.text, "at " + std::to_string(time));
    }
    EXPECT_EQ(store_.read("text", {gone, kStart + 6 * kDay}).size(),
              expected(acts, "n", 1, {gone, kStart + 6 * kDay}).size());
  }

 private:
  Sums read(const std::string& metric, std::int64_t width, model::TimeRange range, bool windows, bool extremes = true) {
    testing::SumSink sink(width, range, extremes);
    storage::ScanOptions scan;
    scan.range = range;
    scan.windows = windows;
    EXPECT_TRUE(engine_.samples().scan(store_.tenant(), store_.find(metric), scan, sink));
    return std::move(sink.sums);
  }

  ManualClock clock_;
  StoreAt engine_;
  Fixture store_;
  storage::testing::Group *pair_, *alone_, *again_, *text_;
};

// Run by the test below. The steps of an act are counted from its settling on.
TEST(SettleCrashChild, DISABLED_plays_and_dies) {
  const char* path = std::getenv("VARVE_CRASH_PATH");
  ASSERT_NE(path, nullptr);
  const int fatal_act = std::atoi(std::getenv("VARVE_CRASH_ACT"));
  int steps_left = std::atoi(std::getenv("VARVE_CRASH_STEP"));
  Options options = settle_options(path);
  int settling = -1;
  const testing::OwnSteps own;
  options.at_step = [&](std::string_view name) {
    if (settling == fatal_act && own.has(name) && steps_left-- == 0) ::_exit(kDied);
    return Status{};
  };
  SettledLife life(options, 0);
  for (int act = 0; act < kActs; ++act) {
    if (!life.put(act)) ::_exit(1);
    settling = act;
    if (!life.settle()) ::_exit(2);
  }
  ::_exit(3);  // never came there
}

// The steps of each act, in order.
std::vector<std::vector<std::string>> steps_of_life() {
  const testing::TemporaryDirectory directory;
  std::vector<std::vector<std::string>> steps(kActs);
  Options options = settle_options(directory.path());
  int settling = -1;
  const testing::OwnSteps own;
  options.at_step = [&](std::string_view name) {
    if (settling >= 0 && own.has(name)) steps[static_cast<std::size_t>(settling)].emplace_back(name);
    return Status{};
  };
  SettledLife life(options, 0);
  for (int act = 0; act < kActs; ++act) {
    SCOPED_TRACE("act " + std::to_string(act));
    EXPECT_TRUE(life.put(act));
    life.check(act + 1);
    settling = act;
    EXPECT_TRUE(life.settle());
    life.check(act + 1);
    life.check_samples(act + 1);
  }
  return steps;
}

TEST(SettleCrash, at_every_step_everything_is_there_once) {
  testing::make_directories_in_memory();
  const auto steps = steps_of_life();
  ASSERT_FALSE(::testing::Test::HasFailure());
  std::set<std::string> names;
  for (const auto& of_act : steps) names.insert(of_act.begin(), of_act.end());
  for (const char* name :
       {"flush.begin", "flush.written", "flush.committed", "flush.published", "flush.done", "merge.begin",
        "merge.written", "merge.committed", "merge.published", "seal.begin", "seal.written", "seal.committed",
        "seal.published", "coarse.begin", "retention.begin", "retention.committed", "retention.published"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  int died = 0;
  for (int act = 0; act < kActs; ++act) {
    const auto& of_act = steps[static_cast<std::size_t>(act)];
    std::map<std::string, int> passed;
    for (std::size_t step = 0; step < of_act.size(); ++step) {
      // Spilling and merging are like those of any other act; that they lose nothing is crash_test.cc's.
      const bool moves = of_act[step].starts_with("merge.") || of_act[step].starts_with("flush.") ||
                         of_act[step].starts_with("blocks.") || of_act[step].starts_with("commit.");
      if (moves && (act % 2 == 0 || ++passed[of_act[step]] > 1)) continue;
      if (died++ % varve::testing::kOneOf != 0) continue;
      SCOPED_TRACE("act " + std::to_string(act) + ", step " + std::to_string(step) + " " + of_act[step]);
      const testing::TemporaryDirectory directory;
      ASSERT_EQ(testing::run_child("SettleCrashChild.*", {{"VARVE_CRASH_PATH", directory.path()},
                                                          {"VARVE_CRASH_ACT", std::to_string(act)},
                                                          {"VARVE_CRASH_STEP", std::to_string(step)}}),
                kDied);
      {
        SettledLife life(settle_options(directory.path()), act);
        life.check(act + 1);
        life.wait_ms(kHour);  // retention is looked after an hour after the start
        ASSERT_TRUE(life.settle());
        life.check(act + 1);
        life.check_samples(act + 1);
      }
      const int next = std::min(act + 1, kActs - 1);
      SettledLife life(settle_options(directory.path()), next);
      life.check(act + 1);
      ASSERT_TRUE(next == act || life.put(next));
      life.check(next + 1);
      life.wait_ms(kHour);
      ASSERT_TRUE(life.settle());
      life.check(next + 1);
      life.check_samples(next + 1);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
