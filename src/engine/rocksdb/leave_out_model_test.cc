// SPDX-License-Identifier: Apache-2.0
// Random work on pods that come, go, and come back, while what is gone leaves the index all the time and random steps
// fail, against a plain map: nothing that was acknowledged is missing, and what is deleted stays so. The same seed does
// the same work; the store's own threads take part.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>

#include "base/testing/effort.h"
#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"
#include "engine/rocksdb/testing/random_faults.h"
#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using storage::testing::Fixture;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using testing::StoreAt;

class LeavingModel {
 public:
  explicit LeavingModel(std::uint32_t seed) : random_(seed), faults_(seed + 1) {
    options_.path = directory_.path();
    options_.rollups.levels = {{5 * kMinute, 3 * kDay}};
    options_.raw_retention_ms = 2 * kDay;
    options_.slot_quiet_ms = 10 * kMinute;
    options_.merge_quiet_ms = 1;
    options_.log_bytes_max = 6000;
    options_.head_wait_ms = 1;
    options_.gone_series_min = 1;
    options_.leave_every_ms = 0;
    options_.leave_grace_ms = 0;
    options_.at_step = [this](std::string_view step) { return faults_.at(step); };
    open();
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i));
      if (pick(4) == 0) faults_.set(pick(3) == 0 ? 2 + pick(30) : 0);
      const auto what = pick(100);
      if (what < 50) {
        put();
      } else if (what < 60) {
        static_cast<void>(engine_->samples().settle());
      } else if (what < 68) {
        clock_.advance_ms(static_cast<std::int64_t>(1 + pick(20)) * kHour);
      } else if (what < 75) {
        erase();
      } else if (what < 83) {
        faults_.set(0);
        open();
      } else {
        check();
      }
    }
    faults_.set(0);
    check();
    open();
    check();
    clock_.advance_ms(20 * kDay);
    for (int i = 0; i < 2; ++i) {
      const auto settled = engine_->samples().settle();
      ASSERT_TRUE(settled) << settled.error().message;
    }
    EXPECT_EQ(engine_->series().series_count(), 0U);
    written_.clear();
    open();
    put();
    check();
  }

 private:
  std::uint32_t pick(std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random_);
  }
  // As with a process that is killed.
  void open() {
    store_.reset();
    engine_.reset();
    auto opened = Store::open(options_, clock_);
    ASSERT_TRUE(opened) << opened.error().message;
    engine_.emplace(std::move(*opened));
    store_.emplace(*engine_);
    groups_.clear();
  }

  storage::testing::Group& group(unsigned pod) {
    auto& known = groups_[pod];
    const std::string name = std::to_string(pod);
    if (known == nullptr) {
      known =
          store_->group({"cpu", "own" + std::to_string(pod % 7)}, {{"job", std::to_string(pod / 5)}, {"pod", name}});
    }
    return *known;
  }
  // Who keeps the number of a group for long: its rows may be refused, and then are not there.
  void put() {
    for (auto left = 1 + pick(20); left > 0; --left) {
      const unsigned pod = pick(8) == 0 ? pick(newest_) : newest_ - pick(std::min(newest_, 12U));
      if (pick(3) == 0) ++newest_;
      const Timestamp time = clock_.now_ms() - static_cast<Timestamp>(pick(6 * 3600)) * 1000;
      const double v = pick(1000) / 4.0;
      model::RowBatch batch;
      const std::vector<Value> values{Value::of_double(v), Value::of_double(-v)};
      auto& to = group(pod);
      batch.add(pick(3) == 0 ? to.line : store_->line(to), time, values);
      if (store_->append(batch)) written_[pod][time] = v;
    }
  }
  std::vector<model::SeriesId> find(const std::string& metric, unsigned pod) {
    const index::Matchers matchers{{"pod", index::Matcher::Kind::any_of, {std::to_string(pod)}}};
    return engine_->series().select(store_->tenant(), metric, matchers, {}).value();
  }
  // One, or all but the latest.
  void erase() {
    const unsigned first = pick(2) == 0 ? 0 : pick(newest_);
    const unsigned end = first == 0 ? newest_ - pick(8) : first + 1;
    const auto try_it = [&]() -> Status {
      std::vector<model::SeriesId> series;
      for (unsigned pod = first; pod < end; ++pod) {
        for (const std::string& metric : {std::string("cpu"), "own" + std::to_string(pod % 7)}) {
          for (const auto one : find(metric, pod)) series.push_back(one);
        }
      }
      const auto erased = engine_->samples().erase(store_->tenant(), series, {}, nullptr);
      if (!erased) return fail(erased.error());
      engine_->series().forget_empty(store_->tenant(), series);
      return {};
    };
    if (!try_it()) {
      faults_.set(0);
      if (pick(2) == 0) open();
      const Status erased = try_it();
      ASSERT_TRUE(erased) << erased.error().message;
    }
    for (unsigned pod = first; pod < end; ++pod) written_.erase(pod);
  }

  void check() {
    const Timestamp now = clock_.now_ms();
    const model::TimeRange kept{model::window_start(now - 2 * kDay, kHour) + kHour, now + 1};
    for (unsigned pod = 0; pod <= newest_; ++pod) {
      std::map<Timestamp, double> want;
      for (const auto& [time, v] : written_[pod]) {
        if (kept.contains(time)) want[time] = v;
      }
      const auto found = find("cpu", pod);
      ASSERT_LE(found.size(), 1U) << pod;
      if (!want.empty()) {
        ASSERT_EQ(found.size(), 1U) << pod;
      }
      testing::SumSink sink(1, kept);
      storage::ScanOptions scan;
      scan.range = kept;
      const auto status = engine_->samples().scan(store_->tenant(), found, scan, sink);
      ASSERT_TRUE(status) << status.error().message;
      std::map<Timestamp, double> got;
      for (const auto& [time, sum] : sink.sums) got[time] = sum.sum;
      ASSERT_EQ(got, want) << pod;
    }
  }

  const testing::TemporaryDirectory directory_;
  std::mt19937 random_;
  testing::RandomFaults faults_;
  varve::testing::JumpingClock clock_{kStart + 10 * kDay};
  Options options_;
  std::optional<StoreAt> engine_;
  std::optional<Fixture> store_;
  std::map<unsigned, storage::testing::Group*> groups_;
  unsigned newest_ = 12;
  std::map<unsigned, std::map<Timestamp, double>> written_;
};

TEST(LeavingModel, loses_nothing) {
  testing::make_directories_in_memory();
  constexpr std::uint32_t kSeeds = varve::testing::effort(32);
  for (std::uint32_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LeavingModel model(seed);
    model.run(150);
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
