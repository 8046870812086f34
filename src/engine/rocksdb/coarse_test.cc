// SPDX-License-Identifier: Apache-2.0
// Windows wider than a slot: those of one level slot are made together.
#include <gtest/gtest.h>

#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/testing/rollup_store.h"
#include "rollup/columns.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using testing::expect_equal;
using testing::kDay;
using testing::kStart;

class CoarseStore : public testing::RollupStore {
 protected:
  CoarseStore() : RollupStore(options(), kStart + 40 * kDay) {}

  // Of a granularity, in the database. Closes the store meanwhile.
  std::vector<rocksdb::Run> runs(std::int64_t granularity_ms) {
    engine.close();
    std::vector<rocksdb::Run> found;
    {
      const auto database = *Database::open(engine.options().path + "/db");
      Checkpoint checkpoint;
      std::vector<std::pair<SlotKey, Mark>> marks;
      EXPECT_TRUE(database->recover(checkpoint, found, marks, [](std::string_view) { return Status{}; }));
    }
    std::erase_if(found, [&](const auto& run) { return run.key.slot.granularity_ms != granularity_ms; });
    engine.open();
    return found;
  }
};

// More windows than are held before they are written: 300 groups of 30 days.
TEST_F(CoarseStore, days_of_many_groups_are_one_run) {
  constexpr int kGroups = 300;
  constexpr int kDaysOfGroups = 30;
  std::vector<decltype(store.group({}))> groups;
  for (int i = 0; i < kGroups; ++i) groups.push_back(store.group({"m" + std::to_string(i)}));
  for (int day = 0; day < kDaysOfGroups; ++day) {
    for (int i = 0; i < kGroups; ++i) {
      if ((i + day) % 7 == 0) continue;  // not every series has every day
      ASSERT_TRUE(store.put(*groups[i], kStart + day * kDay + i * 1000, {Value::of_long(i * day)}));
    }
  }
  settle();
  const model::TimeRange all{kStart, kStart + kDaysOfGroups * kDay};
  const auto check = [&] {
    for (const int i : {0, 1, 6, 150, 298, 299}) {
      const std::string metric = "m" + std::to_string(i);
      const auto got = read(metric, kDay, all);
      EXPECT_EQ(got.samples, 0U) << metric;
      expect_equal(got.sums, read(metric, kDay, all, false).sums);
    }
  };
  check();
  const auto of_days = runs(kDay);
  ASSERT_EQ(of_days.size(), 1U) << "288 days are one level slot";
  EXPECT_EQ(of_days[0].chunks, kGroups * rollup::columns_of(rollup::Kind::gauge));

  // Of some days that are made again: the others stay.
  for (const int day : {3, 4, 20}) {
    ASSERT_TRUE(store.put(*groups[150], kStart + day * kDay + 5, {Value::of_long(1'000'000)}));
  }
  settle();
  check();
}

}  // namespace
}  // namespace varve::engine::rocksdb
