// SPDX-License-Identifier: Apache-2.0
// A delete of several steps: between two of them other maintenance has its turn, and what is left is exact all the
// same: with late samples, slots that are merged meanwhile, and death between two steps.
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"
#include "engine/rocksdb/testing/rollup_store.h"
#include "engine/rocksdb/testing/sums.h"

namespace varve::engine::rocksdb {
namespace {

using model::TimeRange;
using model::Timestamp;
using model::Value;
using storage::testing::Fixture;
using testing::kDay;
using testing::kDied;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using testing::StoreAt;

constexpr std::int64_t kStepDays = 4;
constexpr TimeRange kOfAll{kStart, kStart + kStepDays* kDay};
constexpr TimeRange kGone{kStart + 7 * kHour + 5, kStart + 3 * kDay + 5 * kHour + 1};

// Each day is a step.
Options in_steps(const std::string& path) {
  Options o;
  o.path = path;
  o.rollups.levels = {{5 * kMinute, rollup::kForEver}, {kHour, rollup::kForEver}, {kDay, rollup::kForEver}};
  o.slot_quiet_ms = 1000 * kDay;
  o.merge_quiet_ms = 1000 * kDay;
  o.strata.clear();
  o.erase_step_bytes = 1;
  return o;
}

void put_in_all_steps(Fixture& store, const storage::testing::Group& group, Timestamp from, Timestamp every) {
  model::RowBatch batch;
  for (Timestamp t = from; t < kStepDays * kDay; t += every) {
    batch.add(group.line, kStart + t, std::vector{Value::of_long(t), Value::of_long(-t)});
  }
  const Status appended = store.append(batch);
  ASSERT_TRUE(appended) << appended.error().message;
}

// Samples and windows of all granularities say these times.
void expect_times(storage::testing::Engine& engine, const std::string& metric, const std::set<Timestamp>& times,
                  model::TenantId tenant) {
  for (const std::int64_t width : {5 * kMinute, kHour, kDay}) {
    testing::Sums want;
    for (const Timestamp t : times) {
      const double v = static_cast<double>(t - kStart) * (metric == "goes" ? 1 : -1);
      want[model::window_start(t, width)].add(t, 1, v, v, v);
    }
    for (const bool windows : {false, true}) {
      SCOPED_TRACE(metric + " by " + std::to_string(width) + (windows ? " from windows" : ""));
      testing::SumSink sink(width, kOfAll);
      storage::ScanOptions scan;
      scan.range = kOfAll;
      scan.windows = windows;
      const auto series = *engine.series().select(tenant, metric, {});
      ASSERT_TRUE(engine.samples().scan(tenant, series, scan, sink));
      testing::expect_equal(sink.sums, want);
    }
  }
}

std::set<Timestamp> times_from(Timestamp from, Timestamp every, bool erased) {
  std::set<Timestamp> times;
  for (Timestamp t = from; t < kStepDays * kDay; t += every) {
    if (!erased || !kGone.contains(kStart + t)) times.insert(kStart + t);
  }
  return times;
}

// Counts the steps of all threads.
class SeenSteps {
 public:
  void note(std::string_view step) {
    {
      const std::lock_guard lock(mutex_);
      ++seen_[std::string(step)];
    }
    changed_.notify_all();
  }
  [[nodiscard]] int seen(const std::string& step) {
    const std::lock_guard lock(mutex_);
    return seen_[step];
  }
  void wait_for(const std::string& step, int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return seen_[step] >= count; });
  }
  void wait_until_somebody_waits() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return seen_["turn.wait"] > seen_["turn.begin"]; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int> seen_;
};

TEST(EraseBetween, others_have_their_turn_and_what_is_left_is_exact) {
  testing::make_directories_in_memory();
  SeenSteps steps;
  std::function<void()> between;
  int merged_before = 0;
  int merged = 0;  // by others, at the beginning of the last step
  auto options = in_steps("");
  options.merge_quiet_ms = 0;      // what has two runs is merged at once
  options.log_bytes_max = 6000;    // and each append is flushed
  options.head_wait_ms = 600'000;  // a machine may be slow
  options.at_step = [&](std::string_view step) {
    if (step == "erase.next") merged = steps.seen("merge.begin") - merged_before;
    if (step == "erase.next" && between) std::exchange(between, nullptr)();
    steps.note(step);
    return Status{};
  };
  const ManualClock clock(kStart + kStepDays * kDay + kHour);
  testing::RocksdbEngine engine(options, clock);
  Fixture store(engine);
  auto* const group = store.group({"goes", "stays"});
  auto* const other = store.group({"goes", "stays"}, {{"host", "b"}}, "other");
  put_in_all_steps(store, *group, 0, 10 * kMinute);
  put_in_all_steps(store, *other, 0, 10 * kMinute);
  ASSERT_TRUE(engine.samples().settle());

  between = [&] {
    // Late samples of the days that are still to come; they stay, as they are acknowledged behind the beginning.
    const int flushed = steps.seen("flush.done");
    put_in_all_steps(store, *group, kMinute, 10 * kMinute);
    steps.wait_for("flush.done", flushed + 1);
    put_in_all_steps(store, *other, kMinute, 10 * kMinute);
    steps.wait_for("flush.done", flushed + 2);
    merged_before = steps.seen("merge.begin");
    steps.wait_until_somebody_waits();
  };
  const auto erased = engine.samples().erase(store.tenant(), store.find("goes"), kGone, nullptr);
  ASSERT_TRUE(erased) << erased.error().message;
  ASSERT_GE(steps.seen("erase.next"), 3);
  EXPECT_GT(merged, 0) << "the other tenant's slots were merged before the delete was done";

  auto left = times_from(0, 10 * kMinute, true);
  left.merge(times_from(kMinute, 10 * kMinute, false));
  auto all = times_from(0, 10 * kMinute, false);
  all.merge(times_from(kMinute, 10 * kMinute, false));
  const auto other_tenant = **engine.series().find_tenant("other");
  for (const char* const when : {"at once", "settled", "started again"}) {
    SCOPED_TRACE(when);
    expect_times(engine, "goes", left, store.tenant());
    expect_times(engine, "stays", all, store.tenant());
    expect_times(engine, "goes", all, other_tenant);
    expect_times(engine, "stays", all, other_tenant);
    if (when == std::string("settled")) engine.restart();
    ASSERT_TRUE(engine.samples().settle());
  }
}

TEST(EraseBetweenChild, DISABLED_dies_between_two_steps) {
  const char* path = std::getenv("VARVE_CRASH_PATH");
  ASSERT_NE(path, nullptr);
  int left = std::atoi(std::getenv("VARVE_CRASH_AT"));
  auto options = in_steps(path);
  options.at_step = [&](std::string_view step) {
    if (step == "erase.next" && --left == 0) ::_exit(kDied);
    return Status{};
  };
  const ManualClock clock(kStart + kStepDays * kDay + kHour);
  StoreAt engine(options, clock);
  Fixture store(engine);
  put_in_all_steps(store, *store.group({"goes", "stays"}), 0, 10 * kMinute);
  if (!engine.samples().settle()) ::_exit(2);
  static_cast<void>(engine.samples().erase(store.tenant(), store.find("goes"), kGone, nullptr));
  ::_exit(3);  // never came there
}

TEST(EraseBetween, death_leaves_whole_steps) {
  for (const int at : {1, 2, 3}) {
    SCOPED_TRACE(at);
    const testing::TemporaryDirectory directory;
    ASSERT_EQ(testing::run_child("EraseBetweenChild.*",
                                 {{"VARVE_CRASH_PATH", directory.path()}, {"VARVE_CRASH_AT", std::to_string(at)}}),
              kDied);
    const ManualClock clock(kStart + kStepDays * kDay + kHour);
    StoreAt engine(in_steps(directory.path()), clock);
    Fixture store(engine);
    // The days in front of it are done, those behind it are not.
    std::set<Timestamp> times;
    for (const Timestamp t : times_from(0, 10 * kMinute, false)) {
      if (t >= kStart + at * kDay || !kGone.contains(t)) times.insert(t);
    }
    expect_times(engine, "goes", times, store.tenant());
    expect_times(engine, "stays", times_from(0, 10 * kMinute, false), store.tenant());
    ASSERT_TRUE(engine.samples().settle());
    expect_times(engine, "goes", times, store.tenant());
    ASSERT_TRUE(engine.samples().erase(store.tenant(), store.find("goes"), kGone, nullptr));
    ASSERT_TRUE(engine.samples().settle());
    expect_times(engine, "goes", times_from(0, 10 * kMinute, true), store.tenant());
    expect_times(engine, "stays", times_from(0, 10 * kMinute, false), store.tenant());
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
