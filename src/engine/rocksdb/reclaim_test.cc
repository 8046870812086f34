// SPDX-License-Identifier: Apache-2.0
// The room of samples whose time to live is over is given back.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "engine/rocksdb/testing/rollup_store.h"
#include "storage/testing/hourly_sink.h"

namespace varve::engine::rocksdb {
namespace {

using model::Value;
using storage::testing::Group;
using storage::testing::HourlySink;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using Names = std::vector<std::string>;

Options short_lived() {
  Options o;
  o.raw_retention_ms = 4 * kDay;
  o.rollups.levels = {{5 * kMinute, 20 * kDay}, {kHour, 20 * kDay}, {kDay, 20 * kDay}};
  o.slot_quiet_ms = 1000 * kDay;  // only settle() does anything
  o.merge_quiet_ms = 1000 * kDay;
  return o;
}

class ReclaimTest : public testing::RollupStore {
 protected:
  static constexpr std::uint32_t kDayS = 86'400;

  ReclaimTest() : RollupStore(short_lived(), kStart + kHour) {}

  // A sample each minute of an hour.
  void put_hour(const Group& group, model::Timestamp from) {
    model::RowBatch batch;
    for (int i = 0; i < 60; ++i) {
      const std::vector<Value> values(group.metrics.size(), Value::of_long(1));
      batch.add(store.line(group), from + i * kMinute, values);
    }
    ASSERT_TRUE(store.append(batch));
  }
  std::uint64_t stored() {
    std::uint64_t samples = 0;
    for (const auto& slot : engine.store().slots(store.tenant(), 1000)) samples += slot.samples;
    return samples;
  }
  // Samples and windows together, by hours.
  HourlySink::Hours read(const std::string& metric) {
    const auto series = store.find(metric);
    HourlySink sink(std::max<std::size_t>(1, series.size()));
    EXPECT_TRUE(engine.samples().scan(store.tenant(), series, {}, sink));
    return sink.hours(0);
  }
};

TEST_F(ReclaimTest, OfASlotThatHoldsMore) {
  const auto mortal = store.group({"mortal"}, {{"host", "a"}}, "t", kDayS);
  const auto ever = store.group({"ever"});
  put_hour(*mortal, kStart);
  put_hour(*ever, kStart);
  settle_in(kHour);
  EXPECT_EQ(stored(), 120U);
  settle_in(kDay - kHour - 1);
  const auto windows = engine.store().storage_bytes().rollup;
  EXPECT_EQ(stored(), 120U) << "the slot's last sample could still be there";
  settle_in(kMinute);
  EXPECT_EQ(stored(), 60U);
  EXPECT_EQ(read("ever").at(kStart).first, 60U);
  EXPECT_EQ(names(), Names{"ever"});
  settle_in(2 * kDay);  // level slots are longer
  EXPECT_LT(engine.store().storage_bytes().rollup, windows);
  engine.restart();
  EXPECT_EQ(read("ever").at(kStart).first, 60U);
  EXPECT_EQ(names(), Names{"ever"});
}

TEST_F(ReclaimTest, OfASlotThatHoldsNothingElse) {
  put_hour(*store.group({"mortal"}, {{"host", "a"}}, "t", kDayS), kStart);
  settle_in(kHour);
  settle_in(kDay);
  EXPECT_EQ(stored(), 0U);
  engine.restart();
  EXPECT_EQ(stored(), 0U);
  // What comes late is over at once, and what is new is not.
  const auto mortal = store.group({"mortal"}, {{"host", "a"}}, "t", kDayS);
  put_hour(*mortal, kStart);
  put_hour(*mortal, clock.now_ms());
  settle_in(2 * kHour);
  ASSERT_EQ(read("mortal").size(), 1U);
  EXPECT_EQ(read("mortal").begin()->second.first, 60U);
}

TEST_F(ReclaimTest, OnceForEachTimeToLive) {
  put_hour(*store.group({"hour"}, {}, "t", 3600), kStart);
  put_hour(*store.group({"day"}, {}, "t", kDayS), kStart);
  put_hour(*store.group({"week"}, {}, "t", 7 * kDayS), kStart);
  settle_in(0);
  EXPECT_EQ(stored(), 180U);
  settle_in(2 * kHour);
  EXPECT_EQ(stored(), 120U);
  settle_in(kDay);
  EXPECT_EQ(stored(), 60U);
  EXPECT_EQ(read("week").at(kStart).first, 60U);
}

TEST_F(ReclaimTest, WindowsOfASeriesOfWhichAPartLivesOn) {
  const auto mortal = store.group({"m"}, {{"host", "a"}}, "t", kDayS);
  const auto ever = store.group({"m"});
  put_hour(*mortal, kStart);
  put_hour(*ever, kStart + 1);
  put_hour(*mortal, kStart + kHour);
  put_hour(*ever, kStart + 2 * kHour);
  settle_in(4 * kHour);
  EXPECT_EQ(read("m").at(kStart).first, 120U);
  EXPECT_EQ(read("m").at(kStart + kHour).first, 60U);
  settle_in(2 * kDay);
  const auto hours = [&] {
    const auto found = read("m");
    EXPECT_EQ(found.at(kStart).first, 60U);
    EXPECT_FALSE(found.contains(kStart + kHour));
    EXPECT_EQ(found.at(kStart + 2 * kHour).first, 60U);
  };
  hours();
  EXPECT_EQ(stored(), 120U);
  settle_in(4 * kDay);  // raw.retention: only windows are left
  EXPECT_EQ(stored(), 0U);
  hours();
  engine.restart();
  hours();
}

// What is over goes by itself, within a day.
TEST_F(ReclaimTest, InTheBackground) {
  put_hour(*store.group({"mortal"}, {}, "t", kDayS), kStart);
  settle();
  EXPECT_EQ(stored(), 60U);
  clock.advance_ms(3 * kDay);
  for (int i = 0; i < 1000 && stored() > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(stored(), 0U);
}

}  // namespace
}  // namespace varve::engine::rocksdb
