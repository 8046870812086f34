// SPDX-License-Identifier: Apache-2.0
// What a level slot gets is merged among itself until it is full, however often somebody settles.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "engine/rocksdb/testing/records.h"
#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

constexpr Timestamp kSlotStart = (kStart + 12 * kDay) / (12 * kDay) * (12 * kDay);  // a level slot of hours begins

class LevelMerge : public testing::RollupStore {
 protected:
  LevelMerge() : RollupStore(options(), kSlotStart + 8 * kDay) {
    for (int i = 0; i < 20; ++i) groups_.push_back(store.group({"m"}, {{"host", std::to_string(i)}}));
  }
  // Days of the level slot, which end now.
  void put_days(int first, int last) {
    clock.advance_ms(kSlotStart + last * kDay - clock.now_ms());
    for (Timestamp t = kSlotStart + first * kDay; t < clock.now_ms(); t += 30 * kMinute) {
      for (auto* group : groups_) {
        const double value = static_cast<double>(random_() % 1'000'000) / 8;
        ASSERT_TRUE(store.put(*group, t, {Value::of_double(value)}));
        written_[model::window_start(t, kHour)].add(t, 1, value, value, value);
      }
    }
    settle();
  }
  int runs_of_hours() {
    engine.close();
    const int runs = testing::count_runs(engine.options().path, kHour);
    engine.open();
    return runs;
  }
  void check() {
    const auto got = read("m", kHour, {kSlotStart, kSlotStart + 12 * kDay});
    EXPECT_EQ(got.samples, 0U);
    expect_equal(got.sums, written_);
  }

 private:
  std::vector<storage::testing::Group*> groups_;
  std::mt19937_64 random_{12};
  testing::Sums written_;
};

TEST_F(LevelMerge, LittleLiesBesideMuchUntilTheSlotIsFull) {
  put_days(0, 8);
  EXPECT_EQ(runs_of_hours(), 1);
  put_days(8, 9);
  EXPECT_EQ(runs_of_hours(), 2) << "a day is not worth writing eight again";
  check();
  put_days(9, 11);
  EXPECT_EQ(runs_of_hours(), 1) << "three are";
  check();
  put_days(11, 12);
  EXPECT_EQ(runs_of_hours(), 1) << "it is full";
  check();
}

}  // namespace
}  // namespace varve::engine::rocksdb
