// SPDX-License-Identifier: Apache-2.0
// Series of which nothing is left leave the index: nobody notices but for memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "engine/rocksdb/log/log_aside.h"
#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/rollup_store.h"
#include "engine/rocksdb/testing/said.h"

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

constexpr unsigned kPods = 60;
constexpr const char* kGoneSteps[] = {"leave.ready", "leave.exchanged", "definitions.replace", "generation.write",
                                      "generation.flush"};

Options leaving_options(std::size_t gone_series_min) {
  Options o;
  o.rollups.levels = {{5 * kMinute, rollup::kForEver}, {kHour, rollup::kForEver}};
  o.slot_quiet_ms = 1000 * kDay;
  o.gone_series_min = gone_series_min;
  o.leave_every_ms = 0;
  o.leave_grace_ms = 0;
  return o;
}

// Pods of two metrics, each with its own name. `tags`: also of nodes that stay.
class Pods {
 public:
  explicit Pods(storage::testing::Engine& of) : engine(of), store(of) {}

  void put(unsigned pod, Timestamp time, std::uint32_t ttl_s = 0) {
    EXPECT_TRUE(store.put(group(pod, ttl_s), time, {Value::of_long(pod), Value::of_long(2 * pod)}));
  }
  Status put_kept(const model::KeptGroup& kept, unsigned pod) {
    model::RowBatch batch;
    const std::vector<Value> values{Value::of_long(pod), Value::of_long(2 * pod)};
    batch.add(kept, kStart, values);
    return store.append(batch);
  }
  const storage::testing::Group& group(unsigned pod, std::uint32_t ttl_s = 0) {
    const model::Tags tags{{"node", "n" + std::to_string(pod % 3)}, {"pod", name(pod)}};
    return *store.group({"cpu", "memory"}, tags, "t", ttl_s);
  }
  // Of all but each fourth nothing is left; or of all.
  void put_and_erase(bool all = false) {
    for (unsigned pod = 0; pod < kPods; ++pod) put(pod, kStart + pod * kMinute);
    EXPECT_TRUE(engine.samples().settle());
    for (const char* metric : {"cpu", "memory"}) {
      std::vector<model::SeriesId> gone;
      for (unsigned pod = 0; pod < kPods; ++pod) {
        if (pod % 4 == 0 && !all) continue;
        const auto found = find(metric, pod);
        gone.insert(gone.end(), found.begin(), found.end());
      }
      EXPECT_TRUE(engine.samples().erase(store.tenant(), gone, {}, nullptr));
      engine.series().forget_empty(store.tenant(), gone);
    }
  }
  std::vector<model::SeriesId> find(const char* metric, unsigned pod) {
    const index::Matchers matchers{{"pod", index::Matcher::Kind::any_of, {name(pod)}}};
    return engine.series().select(store.tenant(), metric, matchers, {}).value();
  }
  double sum(const char* metric, unsigned pod) {
    const model::TimeRange all{kStart - kDay, kStart + kDay};
    testing::SumSink sink(2 * kDay, all);
    storage::ScanOptions scan;
    scan.range = all;
    EXPECT_TRUE(engine.samples().scan(store.tenant(), find(metric, pod), scan, sink));
    double sum = 0;
    for (const auto& [start, one] : sink.sums) sum += one.sum;
    return sum;
  }
  // Those of each fourth pod, and of `more`.
  void check(unsigned more = kPods) {
    for (unsigned pod = 0; pod < kPods; ++pod) {
      const bool is_there = pod % 4 == 0 || pod == more;
      ASSERT_EQ(find("cpu", pod).size(), is_there ? 1U : 0U) << pod;
      ASSERT_EQ(find("memory", pod).size(), is_there ? 1U : 0U) << pod;
      if (!is_there) continue;
      ASSERT_EQ(sum("cpu", pod), pod);
      ASSERT_EQ(sum("memory", pod), 2 * pod);
    }
    const std::size_t pods = kPods / 4 + (more < kPods ? 1 : 0);
    ASSERT_EQ(engine.series().series_count(), 2 * pods);
    ASSERT_EQ(engine.series().tag_values(store.tenant(), "", "pod", {})->size(), pods);
    ASSERT_EQ(engine.series().tag_keys(store.tenant(), "", {}).value(), (std::vector<std::string>{"node", "pod"}));
  }

  storage::testing::Engine& engine;
  Fixture store;

 private:
  static std::string name(unsigned pod) { return "pod-" + std::to_string(pod); }
};

class LeaveOut : public testing::RollupStore {
 protected:
  LeaveOut() : RollupStore(leaving_options(20)), pods(engine) {}
  // A job does it in its time, too.
  void leave() { EXPECT_TRUE(engine.samples().settle()); }
  Pods pods;
};

TEST_F(LeaveOut, what_is_gone_leaves) {
  pods.put_and_erase();
  pods.check();
  const std::size_t ids = engine.store().series_defined();
  leave();
  pods.check();
  for (int start = 0; start < 3; ++start) {
    SCOPED_TRACE(start);
    store.restart();
    pods.check();
    EXPECT_EQ(engine.store().series_defined(), ids) << "ids are not used again";
  }
  // One comes back under the name that it had, as a new one, and stays.
  pods.put(1, kStart);
  pods.check(1);
  store.restart();
  pods.check(1);
  settle();
  store.restart();
  pods.check(1);
  EXPECT_EQ(engine.store().series_defined(), ids + 2);
}

TEST_F(LeaveOut, again_and_again) {
  for (unsigned round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    pods.put_and_erase();
    leave();
    pods.check();
    if (round % 2 == 0) store.restart();
    pods.check();
  }
}

TEST_F(LeaveOut, all_of_them) {
  pods.put_and_erase(true);
  const auto ids = engine.store().series_defined();
  leave();
  for (int start = 0; start < 2; ++start) {
    store.restart();
    EXPECT_EQ(engine.series().series_count(), 0U);
    EXPECT_TRUE(names().empty());
    EXPECT_EQ(engine.store().series_defined(), ids);
  }
  pods.put_and_erase(true);
  leave();
  store.restart();
  EXPECT_EQ(engine.series().series_count(), 0U);
  EXPECT_EQ(engine.store().series_defined(), 2 * ids);
}

TEST_F(LeaveOut, not_for_few) {
  engine.options().gone_series_min = 1000;
  store.restart();
  pods.put_and_erase();
  settle();
  const auto ids = engine.store().series_defined();
  pods.put(1, kStart);
  pods.check(1);
  EXPECT_EQ(engine.store().series_defined(), ids) << "it is revived";
}

// Who keeps the number of a group is told, and has some time.
TEST_F(LeaveOut, who_keeps_numbers_is_told_before) {
  engine.options().leave_grace_ms = 60'000;
  store.restart();
  const auto generation = engine.series().group_generation();
  const model::KeptGroup kept = pods.group(1).line;
  pods.put_and_erase();
  settle();
  ASSERT_EQ(engine.series().group_generation(), generation + 1);
  const auto ids = engine.store().series_defined();
  ASSERT_TRUE(pods.put_kept(kept, 1)) << "it is revived";
  pods.check(1);
  clock.advance_ms(60'000);
  settle();
  ASSERT_EQ(engine.series().group_generation(), generation + 2);
  EXPECT_EQ(engine.store().series_defined(), ids);
  pods.check(1);
  const model::KeptGroup late = pods.group(5).line;
  EXPECT_EQ(engine.store().series_defined(), ids + 2) << "those of it had left";
  ASSERT_TRUE(pods.put_kept(late, 5));
}

// Their numbers were found in time, and are good no more.
TEST_F(LeaveOut, who_writes_and_deletes_meanwhile_is_told_again) {
  engine.options().leave_grace_ms = 60'000;
  store.restart();
  pods.put_and_erase();
  settle();  // told
  const storage::testing::Group& kept = pods.group(1);
  ASSERT_TRUE(pods.store.put(kept, kStart, {Value::of_long(1), Value::of_long(2)}));
  for (const char* metric : {"cpu", "memory"}) {
    const auto gone = pods.find(metric, 1);
    ASSERT_TRUE(engine.samples().erase(store.tenant(), gone, {}, nullptr));
    engine.series().forget_empty(store.tenant(), gone);
  }
  const model::KeptGroup number = kept.line;
  clock.advance_ms(60'000);
  settle();
  EXPECT_FALSE(pods.put_kept(number, 1)) << "it has left";
  const Status again = pods.store.put(kept, kStart, {Value::of_long(1), Value::of_long(2)});
  ASSERT_TRUE(again) << again.error().message;
  pods.check(1);
}

// A block of definitions that is damaged: the other place is read, though nothing lies between the two.
TEST_F(LeaveOut, damaged_definitions_are_read_from_their_copy) {
  pods.put_and_erase();
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 6000; ++i) {
    std::string name;
    while (name.size() < 120) name += std::to_string(random());
    const auto& group = *store.group({"long"}, {{"name", name}});
    model::RowBatch batch;
    batch.add(group.line, kStart, Value::of_long(1));
    ASSERT_TRUE(store.append(batch));
  }
  leave();
  const std::size_t series = engine.store().series_count();
  engine.close();
  namespace fs = std::filesystem;
  fs::path largest;
  for (const auto& file : fs::directory_iterator(engine.options().path + "/db")) {
    if (file.path().extension() != ".sst") continue;
    if (largest.empty() || fs::file_size(file) > fs::file_size(largest)) largest = file.path();
  }
  const auto flip = [&](std::uint64_t at) {
    std::fstream file(largest, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  };
  const std::uint64_t bytes = fs::file_size(largest);
  ASSERT_GT(bytes, 200'000U) << largest;
  for (const unsigned percent : {10U, 30U, 45U, 55U, 70U, 90U}) {
    SCOPED_TRACE(percent);
    flip(bytes * percent / 100);
    ASSERT_NO_THROW(engine.open());
    EXPECT_EQ(engine.store().series_count(), series);
    engine.close();
    flip(bytes * percent / 100);
  }
  engine.open();
}

// Nothing of it is in the log, and its sender is told.
TEST_F(LeaveOut, a_row_of_what_has_left_is_refused) {
  const model::KeptGroup kept = pods.group(1).line;
  pods.put_and_erase();
  leave();
  const Status refused = pods.put_kept(kept, 1);
  EXPECT_EQ(refused.error().code, Code::invalid);
  pods.check();
  pods.put(1, kStart);
  pods.check(1);
  store.restart();
  pods.check(1);
}

// storage.repair may bring back what names groups by their ids.
TEST_F(LeaveOut, not_while_the_log_has_something_aside) {
  const std::string log = engine.options().path + "/wal";
  ASSERT_TRUE(write_aside(aside_path(log, 1), 0, {}));
  pods.put_and_erase();
  const auto ids = engine.store().series_defined();
  settle();
  pods.put(1, kStart);
  pods.check(1);
  EXPECT_EQ(engine.store().series_defined(), ids) << "it is revived";

  std::filesystem::remove(aside_path(log, 1));
  leave();
  pods.put(2, kStart);
  EXPECT_EQ(engine.store().series_defined(), ids + 2) << "it is a new one";
}

TEST_F(LeaveOut, groups_with_a_ttl_stay) {
  pods.put(0, clock.now_ms());
  for (unsigned pod = 1; pod < kPods; ++pod) pods.put(pod, clock.now_ms(), 3600);
  settle();
  settle_in(5 * kDay);
  EXPECT_EQ(engine.store().series_count(), 2U);
  const auto ids = engine.store().series_defined();
  leave();
  for (unsigned pod = 1; pod < kPods; ++pod) pods.put(pod, clock.now_ms(), 3600);
  EXPECT_EQ(engine.store().series_defined(), ids) << "they are revived";
  settle();
  for (unsigned pod = 0; pod < kPods; ++pod) EXPECT_EQ(pods.find("cpu", pod).size(), 1U);
}

// Slots know which groups they could not seal.
TEST_F(LeaveOut, what_was_waiting_to_be_sealed) {
  engine.options().partitions = 8;
  engine.options().owned = [] { return std::vector<std::uint32_t>{0, 1, 2, 3}; };
  store.restart();
  pods.put_and_erase();
  leave();
  ASSERT_GT(engine.store().slot_counts().pending, 0U);
  const auto ids = engine.store().series_defined();
  engine.options().owned = nullptr;
  store.restart();
  settle();
  pods.check();
  EXPECT_EQ(engine.store().slot_counts().pending, 0U);
  pods.put(1, kStart);
  EXPECT_EQ(engine.store().series_defined(), ids + 2) << "it is a new one";
}

TEST_F(LeaveOut, what_fails_is_done_later) {
  std::atomic<const char*> failing = "";
  engine.options().at_step = [&failing](std::string_view step) -> Status {
    return step == failing.load() ? fail(Code::io, "no space") : Status{};
  };
  store.restart();
  for (const char* step : kGoneSteps) {
    SCOPED_TRACE(step);
    failing = step;
    pods.put_and_erase();
    static_cast<void>(engine.samples().settle());
    pods.check();
    pods.put(1, kStart);
    pods.check(1);
    failing = "";
    store.restart();
    pods.check(1);
    std::vector<model::SeriesId> gone = pods.find("cpu", 1);
    for (const auto one : pods.find("memory", 1)) gone.push_back(one);
    ASSERT_TRUE(engine.samples().erase(store.tenant(), gone, {}, nullptr));
    engine.series().forget_empty(store.tenant(), gone);
    leave();
    pods.check();
  }
  engine.options().at_step = {};
  store.restart();  // the store's threads go on behind this function
}

TEST(LeaveOutChild, DISABLED_starts_and_dies) {
  const char* path = std::getenv("VARVE_CRASH_PATH");
  ASSERT_NE(path, nullptr);
  const std::string step = std::getenv("VARVE_CRASH_STEP");
  const ManualClock clock(kStart + 10 * kDay);
  auto options = leaving_options(20);
  options.path = path;
  {
    StoreAt engine(options, clock);
    Pods(engine).put_and_erase();
  }
  options.at_step = [&](std::string_view name) {
    if (name == step) ::_exit(kDied);
    return Status{};
  };
  {
    const StoreAt engine(options, clock);
    static_cast<void>(const_cast<StoreAt&>(engine).samples().settle());
  }
  ::_exit(3);  // never came there
}

class LeaveOutCrash : public ::testing::TestWithParam<const char*> {};

TEST_P(LeaveOutCrash, dies_and_starts_again) {
  const testing::TemporaryDirectory directory;
  ASSERT_EQ(
      testing::run_child("LeaveOutChild.*", {{"VARVE_CRASH_PATH", directory.path()}, {"VARVE_CRASH_STEP", GetParam()}}),
      kDied);
  const ManualClock clock(kStart + 10 * kDay);
  auto options = leaving_options(20);
  options.path = directory.path();
  {
    testing::Said said;
    StoreAt engine(options, clock);
    EXPECT_TRUE(engine.samples().settle());
    const bool had_left = GetParam() == std::string_view("generation.flush");
    EXPECT_TRUE(had_left || said.text().contains("have left the index")) << "it is not done";
  }
  for (int start = 0; start < 2; ++start) {
    StoreAt engine(options, clock);
    Pods pods(engine);
    pods.check();
  }
  StoreAt engine(options, clock);
  Pods pods(engine);
  pods.put(1, kStart);
  pods.check(1);
}

INSTANTIATE_TEST_SUITE_P(Steps, LeaveOutCrash, ::testing::ValuesIn(kGoneSteps), testing::name_of_step);

}  // namespace
}  // namespace varve::engine::rocksdb
