// SPDX-License-Identifier: Apache-2.0
// What cannot be sealed, and what is not to be sealed here, stops nothing else.
#include <gtest/gtest.h>

#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using testing::expect_equal;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

class SetAsideStore : public testing::RollupStore {
 protected:
  // Exchanges the blocks of the raw slots that start at `slot` with these; returns what was there.
  std::vector<std::string> exchange_blocks(Timestamp slot, const std::vector<std::string>& with) {
    engine.close();
    auto database = *Database::open(engine.options().path + "/db");
    Checkpoint checkpoint;
    std::vector<rocksdb::Run> runs;
    std::vector<std::pair<SlotKey, Mark>> marks;
    const auto ignore = [](std::string_view) { return Status{}; };
    EXPECT_TRUE(database->recover(checkpoint, runs, marks, ignore));
    std::vector<std::string> old;
    for (const auto& run : runs) {
      if (run.key.slot.granularity_ms != 0 || run.key.slot.start != slot) continue;
      const std::string key = block_key(run.key, model::GroupId{run.first_groups[0]});
      old.push_back(**database->get(key, nullptr));
      const std::string& bytes = with.at(old.size() - 1);
      EXPECT_TRUE(database->put_block(key, std::as_bytes(std::span(bytes))));
    }
    Database::Commit commit;
    commit.checkpoint = checkpoint;
    EXPECT_TRUE(database->commit(commit));
    database.reset();
    engine.open();
    return old;
  }

  void put_hours(const storage::testing::Group& group, int hours) {
    for (Timestamp t = 0; t < hours * kHour; t += kMinute) {
      ASSERT_TRUE(store.put(group, kStart + t, {Value::of_long(t / kMinute)}));
    }
  }
  // One spill of everything, without windows.
  void spill() {
    engine.options().rolls_up = false;
    engine.restart();
    settle();
    engine.options().rolls_up = true;
  }
};

TEST_F(SetAsideStore, a_damaged_slot_does_not_stop_the_others) {
  const auto group = store.group({"m"});
  put_hours(*group, 3);
  spill();
  const model::TimeRange second{kStart + kHour, kStart + 2 * kHour};
  const auto old = exchange_blocks(second.first, {"rubbish"});
  ASSERT_EQ(old.size(), 1U);
  settle();
  const auto aside = engine.store().set_aside();
  ASSERT_EQ(aside.size(), 1U);
  EXPECT_EQ(aside[0].slot, second.first);
  EXPECT_EQ(aside[0].failures, 1U);
  EXPECT_EQ(engine.store().slot_counts().pending, 1U);
  EXPECT_EQ(read("m", 5 * kMinute, {kStart, second.first}).windows, 12U);
  EXPECT_EQ(read("m", 5 * kMinute, {second.last, second.last + kHour}).windows, 12U);
  storage::ScanOptions scan;
  scan.range = second;
  testing::SumSink sink(kHour, second);
  EXPECT_FALSE(engine.samples().scan(store.tenant(), store.find("m"), scan, sink)) << "damage is said, not skipped";

  // Well again, it is sealed when the back-off is over. (A start tries at once, so the damage is shown to it first.)
  settle();
  EXPECT_EQ(engine.store().set_aside().at(0).failures, 1U) << "not tried again before its time";
  clock.advance_ms(10'000);
  settle();
  EXPECT_EQ(engine.store().set_aside().at(0).failures, 2U);
  exchange_blocks(second.first, old);
  settle();
  EXPECT_EQ(engine.store().set_aside().size(), 0U);
  EXPECT_EQ(engine.store().slot_counts().pending, 0U);
  EXPECT_EQ(read("m", 5 * kMinute, {kStart, kStart + 3 * kHour}).windows, 36U);
}

TEST_F(SetAsideStore, fragments_that_cannot_be_merged_stay) {
  const auto group = store.group({"m"});
  engine.options().merge_quiet_ms = 1'000'000'000;
  put_hours(*group, 2);
  spill();
  engine.options().log_bytes_max = 1;  // so a start spills what it finds
  put_hours(*group, 2);
  const auto old = exchange_blocks(kStart, {"rubbish"});
  ASSERT_EQ(old.size(), 1U);
  settle();
  EXPECT_EQ(engine.store().slot_counts().pending, 1U);
  std::set<std::uint32_t> works;
  for (const auto& entry : engine.store().set_aside()) works.insert(entry.failures);
  EXPECT_EQ(works, std::set<std::uint32_t>{1U});
  EXPECT_EQ(read("m", 5 * kMinute, {kStart + kHour, kStart + 2 * kHour}).windows, 12U);
}

TEST_F(SetAsideStore, partitions_of_others_are_read_as_samples) {
  engine.options().partitions = 8;
  engine.options().owned = [] { return std::vector<std::uint32_t>{0, 1, 2, 3}; };
  engine.restart();
  std::vector<std::string> metrics;
  for (int i = 0; i < 16; ++i) {
    metrics.push_back("m" + std::to_string(i));
    put_hours(*store.group({metrics.back()}), 2);
  }
  settle();
  std::size_t rolled_up = 0;
  const model::TimeRange range{kStart, kStart + 2 * kHour};
  for (const auto& metric : metrics) {
    const auto got = read(metric, 5 * kMinute, range);  // an hour's chunk has statistics of the hour only
    EXPECT_EQ(got.samples, got.windows == 24 ? 0U : 120U);
    rolled_up += got.windows / 24;
    expect_equal(got.sums, read(metric, 5 * kMinute, range, false).sums);
  }
  EXPECT_GT(rolled_up, 2U);
  EXPECT_LT(rolled_up, 14U);
  EXPECT_EQ(engine.store().slot_counts().pending, 2U);

  engine.options().owned = nullptr;
  engine.restart();
  settle();
  for (const auto& metric : metrics) EXPECT_EQ(read(metric, 5 * kMinute, range).windows, 24U);
  EXPECT_EQ(engine.store().slot_counts().pending, 0U);
}

}  // namespace
}  // namespace varve::engine::rocksdb
