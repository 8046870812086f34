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
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

class SetAsideStore : public testing::RollupStore {
 protected:
  SetAsideStore() : RollupStore(narrow()) {}
  static Options narrow() {
    Options o = options();
    o.strata.clear();  // it is slots that are damaged
    return o;
  }

  // Exchanges the first block of each run of the raw slots that start at `slot` (or of the level slots of a
  // granularity) with these, as many as there are; returns what was there.
  std::vector<std::string> exchange_blocks(Timestamp slot, const std::vector<std::string>& with,
                                           std::int64_t granularity_ms = 0) {
    engine.close();
    const auto old = exchange_in_database(slot, with, granularity_ms);
    engine.open();
    return old;
  }
  std::vector<std::string> exchange_in_database(Timestamp slot, const std::vector<std::string>& with,
                                                std::int64_t granularity_ms) {
    const auto database = *Database::open(engine.options().path + "/db");
    Checkpoint checkpoint;
    std::vector<rocksdb::Run> runs;
    std::vector<std::pair<SlotKey, Mark>> marks;
    const auto ignore = [](std::string_view) { return Status{}; };
    EXPECT_TRUE(database->recover(checkpoint, runs, marks, ignore));
    std::vector<std::string> old;
    Database::Draft draft(*database);
    Database::Commit commit;
    commit.checkpoint = checkpoint;
    for (const auto& run : runs) {
      if (run.key.slot.granularity_ms != granularity_ms || run.key.slot.start != slot) continue;
      const std::string key = run.block_key(run.first_groups[0]);
      old.push_back(**database->get(key, nullptr));
      if (old.size() > with.size()) continue;
      const std::string& bytes = with[old.size() - 1];
      EXPECT_TRUE(draft.put_block(run.key, model::GroupId{run.first_groups[0]}, std::as_bytes(std::span(bytes))));
      commit.added.push_back(std::make_shared<const rocksdb::Run>(run));
    }
    EXPECT_TRUE(database->write(commit, draft));
    EXPECT_TRUE(database->flush());
    return old;
  }

  void put_hours(const storage::testing::Group& group, int hours) {
    for (Timestamp t = 0; t < hours * kHour; t += kMinute) {
      ASSERT_TRUE(store.put(group, kStart + t, {Value::of_long(t / kMinute)}));
    }
  }
  bool can_read(const std::string& metric, std::int64_t width, model::TimeRange range) {
    storage::ScanOptions scan;
    scan.range = range;
    testing::SumSink sink(width, range);
    return engine.samples().scan(store.tenant(), store.find(metric), scan, sink).has_value();
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

TEST_F(SetAsideStore, samples_that_are_in_no_window_yet_outlive_retention) {
  const auto group = store.group({"m"});
  put_hours(*group, 3);
  spill();
  const model::TimeRange second{kStart + kHour, kStart + 2 * kHour};
  const auto old = exchange_blocks(second.first, {"rubbish"});
  settle();
  ASSERT_EQ(engine.store().set_aside().size(), 1U);
  engine.options().raw_retention_ms = 12 * kDay;
  engine.restart();
  settle_in(3 * kDay);
  const auto slots = engine.store().slots(store.tenant(), 10);
  ASSERT_EQ(slots.size(), 3U);
  EXPECT_EQ(slots[0].samples, 0U);
  EXPECT_EQ(slots[1].samples, 60U);
  EXPECT_EQ(slots[2].samples, 0U);
  exchange_blocks(second.first, old);
  settle_in(kHour);
  settle_in(kHour);
  EXPECT_EQ(read("m", 5 * kMinute, second).windows, 12U);
  EXPECT_EQ(engine.store().slots(store.tenant(), 10).at(1).samples, 0U);
}

TEST_F(SetAsideStore, a_clock_that_went_back_does_not_keep_it_aside) {
  put_hours(*store.group({"m"}), 3);
  spill();
  exchange_blocks(kStart + kHour, {"rubbish"});
  settle();
  clock.jump_ms(-kDay);
  clock.advance_ms(10'000);
  EXPECT_EQ(engine.store().set_aside().at(0).retry_ms - clock.now_ms(), 0) << "it is due, whatever the wall clock says";
  settle();
  EXPECT_EQ(engine.store().set_aside().at(0).failures, 2U);
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

const Timestamp kHours = model::window_start(kStart, 12 * kDay);  // where windows of an hour lie
constexpr Timestamp kElsewhere = kStart + 5 * kDay;               // in the next one of those

TEST_F(SetAsideStore, late_samples_for_damaged_windows_wait_and_stop_nobody) {
  ASSERT_LT(kStart - kHours, 12 * kDay);
  ASSERT_GE(kElsewhere, kHours + 12 * kDay);
  const auto m = store.group({"m"});
  const auto n = store.group({"n"});
  for (Timestamp t = 0; t < 3 * kHour; t += kMinute) {
    ASSERT_TRUE(store.put(*m, kStart + t, {Value::of_long(1)}));
    ASSERT_TRUE(store.put(*n, kElsewhere + t, {Value::of_long(1)}));
  }
  settle();
  const auto old = exchange_blocks(kHours, {"rubbish"}, kHour);
  ASSERT_EQ(old.size(), 1U);
  const model::TimeRange second{kStart + kHour, kStart + 2 * kHour};
  ASSERT_TRUE(store.put(*m, second.first + 30, {Value::of_long(100)}));
  ASSERT_TRUE(store.put(*n, kElsewhere + kHour + 30, {Value::of_long(100)}));
  settle();
  const auto aside = engine.store().set_aside();
  ASSERT_EQ(aside.size(), 1U);
  EXPECT_EQ(aside[0].work, "seal");
  EXPECT_EQ(aside[0].series, "m{host=a}");
  EXPECT_EQ(aside[0].slot, second.first);
  EXPECT_EQ(engine.store().slot_counts().pending, 1U);
  EXPECT_EQ(read("m", kHour, second).sums.at(second.first).sum, 160) << "as samples";
  EXPECT_FALSE(can_read("m", kHour, {kStart, second.first})) << "damage is said, not skipped";
  EXPECT_EQ(read("m", 5 * kMinute, {kStart, second.first}).windows, 12U);
  const model::TimeRange elsewhere{kElsewhere, kElsewhere + kDay};
  for (const std::int64_t width : {5 * kMinute, kHour, kDay}) {
    const auto got = read("n", width, elsewhere);
    EXPECT_EQ(got.samples, 0U);
    expect_equal(got.sums, read("n", width, elsewhere, false).sums);
  }
  clock.advance_ms(10'000);
  settle();
  EXPECT_EQ(engine.store().set_aside().at(0).failures, 2U);

  exchange_blocks(kHours, old, kHour);
  settle();
  EXPECT_EQ(engine.store().set_aside().size(), 0U);
  EXPECT_EQ(engine.store().slot_counts().pending, 0U);
  const model::TimeRange day{kStart, kStart + kDay};
  for (const std::int64_t width : {5 * kMinute, kHour, kDay}) {
    const auto got = read("m", width, day);
    EXPECT_EQ(got.samples, 0U);
    expect_equal(got.sums, read("m", width, day, false).sums);
  }
}

// A slot that comes late is added to wide windows: also if they cannot be read at first it is in them once.
TEST_F(SetAsideStore, a_late_slot_for_damaged_wide_windows) {
  const Timestamp days = model::window_start(kStart, 288 * kDay);
  const model::TimeRange day{kStart, kStart + kDay};
  const auto m = store.group({"m"});
  const auto n = store.group({"n"});
  put_hours(*m, 2);
  put_hours(*n, 2);
  settle();
  const auto old = exchange_blocks(days, {"rubbish"}, kDay);
  ASSERT_EQ(old.size(), 1U);
  ASSERT_TRUE(store.put(*m, kStart + 5 * kHour, {Value::of_long(1000)}));
  settle();
  ASSERT_EQ(engine.store().set_aside().at(0).work, "seal");
  expect_equal(read("m", kHour, day).sums, read("m", kHour, day, false).sums);
  expect_equal(read("n", kHour, day).sums, read("n", kHour, day, false).sums);
  clock.advance_ms(10'000);
  settle();
  exchange_blocks(days, old, kDay);
  for (int round = 0; round < 2; ++round) {
    settle();
    for (const char* metric : {"m", "n"}) {
      for (const std::int64_t width : {5 * kMinute, kHour, kDay}) {
        const auto got = read(metric, width, day);
        EXPECT_EQ(got.samples, 0U);
        expect_equal(got.sums, read(metric, width, day, false).sums);
      }
    }
  }
  EXPECT_EQ(engine.store().set_aside().size(), 0U);
}

// Days that are made together, of hours in two places, one of which is damaged.
TEST_F(SetAsideStore, days_of_damaged_hours_do_not_stop_other_days) {
  const auto fails = std::make_shared<bool>(true);
  engine.options().at_step = [fails](std::string_view step) -> Status {
    return *fails && step == "coarse.begin" ? fail(Code::unavailable, "no space") : Status{};
  };
  engine.restart();
  const model::TimeRange days{kStart, kStart + 8 * kDay};
  const auto group = store.group({"m"});
  for (Timestamp t = days.first; t < days.last; t += kHour) ASSERT_TRUE(store.put(*group, t, {Value::of_long(t)}));
  EXPECT_FALSE(engine.samples().settle()) << "there are hours, and no days";
  const auto old = exchange_blocks(kHours, {"rubbish"}, kHour);
  ASSERT_EQ(old.size(), 1U);
  *fails = false;
  settle();
  std::vector<Timestamp> aside;
  for (const auto& one : engine.store().set_aside()) {
    EXPECT_EQ(one.work, "coarsen");
    aside.push_back(one.slot);
  }
  EXPECT_EQ(aside, (std::vector<Timestamp>{kStart, kStart + kDay, kStart + 2 * kDay, kStart + 3 * kDay}));
  EXPECT_EQ(read("m", kDay, {kStart + 4 * kDay, days.last}).windows, 4U);
  exchange_blocks(kHours, old, kHour);
  clock.advance_ms(10'000);
  settle();
  EXPECT_EQ(engine.store().set_aside().size(), 0U);
  EXPECT_EQ(read("m", kDay, days).windows, 8U);
  expect_equal(read("m", kDay, days).sums, read("m", kDay, days, false).sums);
}

// What cannot be made again is not made of less, and is added once.
TEST_F(SetAsideStore, late_samples_for_damaged_windows_whose_samples_are_gone) {
  engine.options().raw_retention_ms = 2 * kDay;
  engine.restart();
  const auto m = store.group({"m"});
  const auto n = store.group({"n"});
  for (Timestamp t = 0; t < kHour; t += kMinute) {
    ASSERT_TRUE(store.put(*m, kStart + t, {Value::of_long(1)}));
    ASSERT_TRUE(store.put(*n, kElsewhere + t, {Value::of_long(1)}));
  }
  clock.advance_ms(kHour);
  settle();
  ASSERT_EQ(read("m", kHour, {kStart, kStart + kDay}, false).samples, 0U) << "dropped";
  const auto old = exchange_blocks(kHours, {"rubbish"}, kHour);
  ASSERT_EQ(old.size(), 1U);
  ASSERT_TRUE(store.put(*m, kStart + 30, {Value::of_long(100)}));
  ASSERT_TRUE(store.put(*n, kElsewhere + 30, {Value::of_long(100)}));
  settle();
  const auto aside = engine.store().set_aside();
  ASSERT_EQ(aside.size(), 1U);
  EXPECT_EQ(aside[0].work, "seal");
  EXPECT_EQ(aside[0].slot, kStart);
  const auto check = [&](const std::string& metric, Timestamp day, std::int64_t width) {
    const auto sums = read(metric, width, {day, day + kDay}).sums;
    ASSERT_EQ(sums.count(day), 1U);
    EXPECT_EQ(sums.at(day).sum, width == 5 * kMinute ? 105 : 160) << width;
    EXPECT_EQ(sums.at(day).count, width == 5 * kMinute ? 6U : 61U) << width;
    EXPECT_EQ(sums.at(day).max, 100) << width;
  };
  for (const std::int64_t width : {5 * kMinute, kHour, kDay}) check("n", kElsewhere, width);
  check("m", kStart, 5 * kMinute);
  check("m", kStart, kDay);
  EXPECT_FALSE(can_read("m", kHour, {kStart, kStart + kDay}));
  for (int round = 0; round < 3; ++round) {
    clock.advance_ms(kHour);
    settle();
    check("m", kStart, 5 * kMinute);
    check("m", kStart, kDay);
  }
  exchange_blocks(kHours, old, kHour);
  for (int round = 0; round < 3; ++round) {
    settle();
    for (const std::int64_t width : {5 * kMinute, kHour, kDay}) check("m", kStart, width);
    clock.advance_ms(kHour);
  }
  EXPECT_EQ(engine.store().set_aside().size(), 0U);
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
