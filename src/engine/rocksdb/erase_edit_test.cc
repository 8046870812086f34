// SPDX-License-Identifier: Apache-2.0
// A delete that exchanges blocks of runs: what it leaves alone, and that nobody sees it before it is durable.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/testing/records.h"
#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::TimeRange;
using model::Timestamp;
using model::Value;
using testing::expect_equal;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using testing::Sums;

// Of thousands of series a few go: the run stays, and so do all blocks that hold nothing of them.
class EraseOfFew : public testing::RollupStore {
 protected:
  static constexpr int kSeries = 600;
  // Once it is armed, `look` is called when the next delete has been written. From then on nothing becomes durable
  // until it is disarmed: the store tries by itself, too.
  class Hook {
   public:
    std::function<void()> look;
    void arm() { at_ = kArmed; }
    void disarm() { at_ = kOff; }
    Status operator()(std::string_view step) {
      int armed = kArmed;
      if (step == "erase.written") at_.compare_exchange_strong(armed, kWritten);
      if (step != "commit.flush" || at_ < kWritten) return {};
      if (at_.exchange(kLooked) == kWritten) look();
      return fail(Code::unavailable, "the disk is full");
    }

   private:
    enum { kOff, kArmed, kWritten, kLooked };
    std::atomic<int> at_ = kOff;
  };
  EraseOfFew() : EraseOfFew(std::make_shared<Hook>()) {}

  void SetUp() override {
    std::mt19937_64 random(7);
    for (int i = 0; i < kSeries; ++i) groups_.push_back(store.group({name(i)}));
    for (Timestamp t = 0; t < 2 * kHour; t += kMinute) {
      model::RowBatch batch;
      for (const auto& group : groups_) {
        const Value value = Value::of_long(static_cast<std::int64_t>(random() % 1'000'000));
        batch.add(group->line, kStart + t, std::span(&value, 1));
      }
      ASSERT_TRUE(store.append(batch));
    }
    settle();
  }
  static std::string name(int i) { return "m" + std::to_string(1000 + i); }
  Status erase(int first, int count, TimeRange range) {
    std::vector<model::SeriesId> series;
    for (int i = first; i < first + count; ++i) {
      const auto found = store.find(name(i));  // empty: it has been deleted, and is forgotten
      series.insert(series.end(), found.begin(), found.end());
    }
    const auto report = engine.samples().erase(store.tenant(), series, range, nullptr);
    return report ? Status{} : fail(report.error());
  }
  // What the windows and the samples of some series say.
  using Said = std::vector<std::pair<Sums, Sums>>;
  Said said() {
    Said all;
    for (const int i : {0, 1, 299, 300, 301, 599}) {
      for (const std::int64_t width : {5 * kMinute, kHour, kDay}) {
        all.emplace_back(read(name(i), width, kAll).sums, read(name(i), width, kAll, false).sums);
      }
    }
    return all;
  }
  static void expect_same(const Said& is, const Said& wanted) {
    ASSERT_EQ(is.size(), wanted.size());
    for (std::size_t i = 0; i < is.size(); ++i) {
      expect_equal(is[i].first, wanted[i].first);
      expect_equal(is[i].second, wanted[i].second);
    }
  }
  // Of more than a few blocks.
  std::set<RunKey> runs() {
    engine.close();
    std::set<RunKey> keys;
    const auto database = *Database::open(engine.options().path + "/db");
    Checkpoint checkpoint;
    std::vector<rocksdb::Run> found;
    std::vector<std::pair<SlotKey, Mark>> marks;
    EXPECT_TRUE(database->recover(checkpoint, found, marks, [](std::string_view) { return Status{}; }));
    for (const auto& run : found) {
      if (run.first_groups.size() > 3) keys.insert(run.key);
    }
    return keys;
  }
  static constexpr TimeRange kAll{kStart, kStart + kDay};
  const std::shared_ptr<Hook> hook_;

 private:
  explicit EraseOfFew(const std::shared_ptr<Hook>& hook) : RollupStore(with(hook)), hook_(hook) {}
  static Options with(const std::shared_ptr<Hook>& hook) {
    Options o = options();
    o.cache_bytes_max = 1;  // what is read comes from the database
    o.at_step = [hook](std::string_view step) { return (*hook)(step); };
    return o;
  }
  std::vector<storage::testing::Group*> groups_;
};

TEST_F(EraseOfFew, runs_stay) {
  const auto before = runs();
  engine.open();
  ASSERT_TRUE(erase(300, 1, kAll));
  EXPECT_EQ(before.size(), 2U) << "a day of samples, and their windows of five minutes";
  EXPECT_EQ(runs(), before);
  engine.open();
  EXPECT_TRUE(read(name(300), kHour, kAll).sums.empty());
  ASSERT_TRUE(erase(301, 2, {kStart + 7 * kMinute, kStart + 70 * kMinute}));  // a second edition, and edges
  EXPECT_EQ(read(name(301), kMinute, kAll).sums.size(), 120U - 63U);
  EXPECT_EQ(read(name(301), kHour, kAll).sums.at(kStart).count, 7U);
  EXPECT_EQ(read(name(299), kMinute, kAll).sums.size(), 120U);
  const auto all = said();
  engine.restart();
  expect_same(said(), all);
  ASSERT_TRUE(erase(0, kSeries, kAll));  // all the others, and those that are gone
  engine.restart();
  for (const int i : {0, 299, 300, 301, 599}) EXPECT_TRUE(read(name(i), kHour, kAll).sums.empty()) << i;
  settle();
  EXPECT_EQ(testing::orphans(engine.options().path), 0);
}

// The commit is in the database, but not known to be durable: nothing of it may be seen, wherever it is read.
TEST_F(EraseOfFew, nothing_is_seen_before_it_is_durable) {
  const auto before = said();
  const auto looked = std::make_shared<bool>(false);  // the hook outlives this test
  hook_->look = [this, looked, before] {
    *looked = true;
    expect_same(said(), before);
  };
  settle();
  hook_->arm();
  EXPECT_FALSE(erase(300, 1, {kStart + 7 * kMinute, kStart + 70 * kMinute}));
  EXPECT_TRUE(*looked);
  expect_same(said(), before);
  hook_->disarm();
  settle();  // finishes what was written
  EXPECT_EQ(read(name(300), kMinute, kAll).sums.size(), 120U - 63U);
  EXPECT_EQ(read(name(300), kHour, kAll).sums.at(kStart).count, 7U);
}

}  // namespace
}  // namespace varve::engine::rocksdb
