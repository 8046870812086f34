// SPDX-License-Identifier: Apache-2.0
// A full head goes into the database whatever else the store is at, and nobody waits in append().
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/failing_files.h"
#include "engine/rocksdb/testing/memory_directories.h"
#include "engine/rocksdb/testing/messages.h"
#include "model/testing/lengths.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using storage::testing::Fixture;
using testing::RocksdbEngine;

constexpr std::chrono::seconds kNeverLonger{30};  // nothing takes so long; only a test that fails does
constexpr int kMetricCount = 100;
constexpr int kRowsOfABatch = 500;
using model::testing::kHour;
constexpr Timestamp kNow = 20'000 * 24 * kHour;

// Stops the threads that come to one of the steps, and counts the spills.
class Steps {
 public:
  AtStep hook() {
    return [this](std::string_view step) { return at(step); };
  }
  // Whoever comes to this step waits there for `spills` more spills, or to be let go.
  void hold(std::string step, int spills) {
    const std::lock_guard lock(mutex_);
    held_ = std::move(step);
    wanted_ = spills;
    arrived_ = false;
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    held_.clear();
    changed_.notify_all();
  }
  bool wait_for_arrival() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kNeverLonger, [this] { return arrived_; });
  }
  [[nodiscard]] int spills() {
    const std::lock_guard lock(mutex_);
    return spills_;
  }
  bool wait_for_spills(int spills) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kNeverLonger, [&] { return spills_ >= spills; });
  }

 private:
  Status at(std::string_view step) {
    std::unique_lock lock(mutex_);
    if (step == "flush.done") ++spills_;
    changed_.notify_all();
    if (step != held_ || arrived_) return {};
    arrived_ = true;
    changed_.notify_all();
    const int enough = spills_ + wanted_;
    EXPECT_TRUE(changed_.wait_for(lock, kNeverLonger, [&] { return step != held_ || spills_ >= enough; }));
    return {};
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string held_;
  int wanted_ = 0;
  bool arrived_ = false;
  int spills_ = 0;
};

class Flush : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::make_directories_in_memory(); }
  Flush() {
    options.at_step = steps.hook();
    options.log_files = &files;
    options.head_bytes_max = 1 << 20;
    options.merge_quiet_ms = 1000 * kHour;
    options.slot_quiet_ms = 1000 * kHour;  // only settle() does anything
    options.rollups.levels = {{300'000, rollup::kForEver}, {kHour, rollup::kForEver}, {24 * kHour, rollup::kForEver}};
  }
  ~Flush() override { steps.let_go(); }

  void open() {
    engine.emplace(options, clock);
    store.emplace(*engine);
    std::vector<std::string> metrics;
    for (int m = 0; m < kMetricCount; ++m) metrics.push_back("m" + std::to_string(m));
    group = store->group(metrics);
  }
  model::RowBatch rows() {
    model::RowBatch batch;
    for (int r = 0; r < kRowsOfABatch; ++r, ++written) {
      const std::vector<Value> values(kMetricCount, Value::of_long(static_cast<std::int64_t>(written)));
      batch.add(group->line, kNow - 2 * 24 * kHour + static_cast<Timestamp>(written) * 1000, values);
    }
    return batch;
  }
  // Two batches fill a head.
  void write_heads(int heads) {
    for (int i = 0; i < heads * 4; ++i) {
      const Status status = store->append(rows());
      ASSERT_TRUE(status) << status.error().message;
    }
  }

  ManualClock clock{kNow};
  Steps steps;
  testing::FailingFiles files;
  Options options;
  std::optional<RocksdbEngine> engine;
  std::optional<Fixture> store;
  storage::testing::Group* group = nullptr;
  std::uint64_t written = 0;
};

struct Work {
  const char* step;
  bool erases;
};

class FlushDuring : public Flush, public ::testing::WithParamInterface<Work> {};

// A head that waited for this work would be full after two more.
TEST_P(FlushDuring, WorkOfAnyLength) {
  open();
  for (int i = 0; i < 3; ++i) {
    write_heads(1);
    ASSERT_TRUE(steps.wait_for_spills(i + 1));
  }
  steps.hold(GetParam().step, 4);
  const auto metric = store->find("m0");
  std::jthread work([&] {
    if (GetParam().erases) {
      EXPECT_TRUE(engine->samples().erase(store->tenant(), metric, {kNow - 48 * kHour, kNow - 47 * kHour}, nullptr));
    } else {
      EXPECT_TRUE(engine->samples().settle());
    }
  });
  ASSERT_TRUE(steps.wait_for_arrival());
  const std::uint64_t before = written;
  const int spills = steps.spills();
  write_heads(4);
  EXPECT_TRUE(steps.wait_for_spills(spills + 4));
  work.join();
  const auto found = store->read("m0");
  EXPECT_GE(found.size(), written - before);
  EXPECT_EQ(store->read("m1").size(), written);
}

INSTANTIATE_TEST_SUITE_P(Works, FlushDuring,
                         ::testing::Values(Work{"merge.begin", false}, Work{"seal.begin", false},
                                           Work{"coarse.begin", false}, Work{"compact.begin", false},
                                           Work{"erase.begin", true}),
                         [](const auto& work) {
                           const std::string_view step = work.param.step;
                           return std::string(step.substr(0, step.find('.')));
                         });

// A merge that began before a flush and ends after it has older samples.
TEST_F(Flush, WinsOverAMergeThatBeganBefore) {
  open();
  const auto one = store->group({"one"});
  const auto put = [&](std::int64_t value) { ASSERT_TRUE(store->put(*one, kNow, {Value::of_long(value)})); };
  put(1);
  ASSERT_TRUE(engine->samples().settle());
  put(2);
  steps.hold("merge.begin", 1);
  std::jthread work([&] { EXPECT_TRUE(engine->samples().settle()); });
  ASSERT_TRUE(steps.wait_for_arrival());
  put(3);
  write_heads(1);
  work.join();
  EXPECT_EQ(store->read("one").at(kNow), storage::testing::OwnedValue(Value::of_long(3)));
  ASSERT_TRUE(engine->samples().settle());
  engine->restart();
  EXPECT_EQ(store->read("one").at(kNow), storage::testing::OwnedValue(Value::of_long(3)));
}

TEST_F(Flush, NobodyWaitsInAppend) {
  options.head_wait_ms = 3'600'000;
  options.head_pause_ms = 0;
  open();
  steps.hold("flush.begin", 1000);
  std::mutex mutex;
  std::vector<Status> done;
  const auto append = [&] {
    engine->samples().append(rows(), [&](Status status) {
      const std::lock_guard lock(mutex);
      done.push_back(std::move(status));
    });
  };
  for (int i = 0; i < 20; ++i) append();  // ten times as much as there is room for
  {
    const std::lock_guard lock(mutex);
    EXPECT_GE(done.size(), 4U);
    EXPECT_LT(done.size(), 15U);
  }
  steps.let_go();
  std::promise<Status> last;
  engine->samples().append(rows(), [&](Status status) { last.set_value(std::move(status)); });
  EXPECT_TRUE(last.get_future().get());
  EXPECT_EQ(done.size(), 20U) << "those that waited came first";
  for (const Status& status : done) EXPECT_TRUE(status);
  EXPECT_EQ(store->read("m0").size(), written);
}

// Messages are shed only where refusals are near (messages.shed.backlog), not as soon as writers are faster than a
// flush.
TEST_F(Flush, TheBacklogIsWhatWaits) {
  options.head_wait_ms = 3'600'000;
  options.head_pause_ms = 0;
  open();
  steps.hold("flush.begin", 1000);
  std::atomic<int> done = 0;
  int appended = 0;
  const auto append = [&] {
    engine->samples().append(rows(), [&](const Status&) { ++done; });
    return ++appended;
  };
  double before = 0;
  while (append() == done) {
    const double now = engine->store().backlog_percent();
    EXPECT_GE(now, before);
    EXPECT_LE(now, 80);
    before = now;
  }
  const double first = engine->store().backlog_percent();
  EXPECT_GT(first, 80);
  EXPECT_LT(first, 85) << "one that waits is no overload";
  append();
  EXPECT_GT(engine->store().backlog_percent(), first);
  steps.let_go();
  std::promise<void> last;
  engine->samples().append(rows(), [&](const Status&) { last.set_value(); });
  last.get_future().wait();
  EXPECT_LE(engine->store().backlog_percent(), 80) << "nobody waits any more";
}

// What they sent is there, and so they send less.
TEST_F(Flush, SendersHearLaterWhereRoomGetsScarce) {
  options.head_pause_ms = 3'600'000;
  open();
  steps.hold("flush.begin", 1000);
  std::vector<std::future<Status>> all;
  while (engine->store().backlog_percent() <= 50) {  // a quarter of the way from one size of a head to two
    auto promise = std::make_shared<std::promise<Status>>();
    all.push_back(promise->get_future());
    engine->samples().append(rows(), [promise](Status status) { promise->set_value(std::move(status)); });
  }
  ASSERT_TRUE(steps.wait_for_arrival());
  EXPECT_EQ(store->read("m0").size(), written);
  all.front().wait();
  EXPECT_EQ(all.back().wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  steps.let_go();
  for (auto& one : all) EXPECT_TRUE(one.get());
}

// They are larger than samples, and writing them out costs the same however many there are.
TEST_F(Flush, AHeadHoldsFewerBytesOfMessages) {
  options.head_messages_bytes_max = options.head_bytes_max / 4;
  open();
  steps.hold("flush.begin", 1000);
  std::vector<testing::SeenMessage> messages;
  for (int i = 0; i < 40; ++i) messages.push_back({kNow * 1000, 0, std::string(10'000, 'x'), ""});
  ASSERT_TRUE(testing::put_messages(engine->store(), "t", messages));
  EXPECT_TRUE(steps.wait_for_arrival()) << "400 kB of messages are flushed, though a head is 1 MiB";
  EXPECT_EQ(testing::messages_of(engine->store(), "t", kNow * 1000, kNow * 1000).size(), messages.size());
  steps.let_go();
  ASSERT_TRUE(steps.wait_for_spills(1));
}

TEST_F(Flush, WhoWaitedForTooLongIsRefused) {
  options.head_wait_ms = 1;
  open();
  steps.hold("flush.begin", 1000);
  Status refused;
  for (int i = 0; i < 20 && refused; ++i) refused = store->append(rows());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
  written -= kRowsOfABatch;
  steps.let_go();
  ASSERT_TRUE(steps.wait_for_spills(1));
  EXPECT_EQ(store->read("m0").size(), written);
}

TEST_F(Flush, WhatWaitsIsRefusedWhenTheStoreIsClosed) {
  options.head_wait_ms = 3'600'000;
  open();
  steps.hold("flush.begin", 1000);
  std::vector<std::future<Status>> all;
  for (int i = 0; i < 20; ++i) {
    auto promise = std::make_shared<std::promise<Status>>();
    all.push_back(promise->get_future());
    engine->samples().append(rows(), [promise](Status status) { promise->set_value(std::move(status)); });
  }
  std::jthread lets_go([this, &all] {
    all.back().wait();
    steps.let_go();
  });
  engine->close();
  std::size_t taken = 0;
  for (auto& one : all) taken += one.get() ? 1 : 0;
  EXPECT_LT(taken, 20U);
  engine->open();
  Fixture again(*engine);
  EXPECT_EQ(again.read("m0").size(), taken * kRowsOfABatch);
}

// A head whose log cannot be rotated does not grow without a bound.
TEST_F(Flush, RefusesInWordsWhereTheLogCannotBeRotated) {
  options.head_wait_ms = 1;
  open();
  files.fail(testing::FailingFiles::kCreate, 1, 1'000'000, EMFILE);
  Status refused;
  int taken = 0;
  for (; taken < 50; ++taken) {
    refused = store->append(rows());
    if (!refused) break;
  }
  EXPECT_LT(taken, 15);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
  EXPECT_NE(refused.error().message.find("Too many open files"), std::string::npos) << refused.error().message;
  EXPECT_LT(engine->store().storage_bytes().hot, 4U << 20);
  written -= kRowsOfABatch;
  files.heal();
  for (int i = 0; i < 8; ++i) {
    const auto batch = rows();
    while (!store->append(batch)) std::this_thread::yield();  // there is room again soon
  }
  EXPECT_EQ(store->read("m0").size(), written);
}

// A series that had nothing left is written and flushed while it is looked at.
TEST_F(Flush, OfASeriesThatIsAboutToBeForgotten) {
  open();
  const auto one = store->group({"one"}, {{"host", "b"}});
  write_heads(1);
  ASSERT_TRUE(store->put(*one, kNow, {Value::of_long(1)}));
  ASSERT_TRUE(engine->samples().settle());
  const auto series = store->find("one");
  ASSERT_TRUE(engine->samples().erase(store->tenant(), series, {kNow, kNow + 1}, nullptr));
  steps.hold("forget.looked", 1);
  std::jthread work([&] { engine->series().forget_empty(store->tenant(), series); });
  ASSERT_TRUE(steps.wait_for_arrival());
  ASSERT_TRUE(store->put(*one, kNow + 1, {Value::of_long(2)}));
  const int spills = steps.spills();
  write_heads(2);
  ASSERT_TRUE(steps.wait_for_spills(spills + 2));
  work.join();
  EXPECT_EQ(store->find("one"), series);
  EXPECT_EQ(store->read("one").size(), 1U);
}

}  // namespace
}  // namespace varve::engine::rocksdb
