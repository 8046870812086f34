// SPDX-License-Identifier: Apache-2.0
// Granularities that leave the configuration and come back.
#include <gtest/gtest.h>

#include <random>

#include "base/testing/effort.h"
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
using testing::Sums;

constexpr std::int64_t kOneYear = 365 * kDay;
using LevelsOf = std::vector<rollup::Level>;

class Granularities : public testing::RollupStore {
 protected:
  Granularities() : RollupStore(options(), kStart + 3 * kDay) {}

  void configure(LevelsOf levels, std::vector<std::int64_t> dropped_ms = {}) {
    engine.options().rollups.levels = std::move(levels);
    engine.options().dropped_granularities_ms = std::move(dropped_ms);
    store.restart();
  }
  void put_days(int days) {
    const auto group = store.group({"m"});
    model::RowBatch batch;
    const Value one[] = {Value::of_long(1)};
    for (Timestamp t = 0; t < days * kDay; t += 10 * kMinute) batch.add(store.line(*group), kStart + t, one);
    ASSERT_TRUE(store.append(batch));
  }
  // What was left out of the configuration would be dropped by now.
  void pass_retention() {
    settle_in(kHour + kMinute);
    settle();
  }
  struct Counted {
    std::uint64_t count;
    std::size_t windows;
  };
  Counted counted(std::int64_t width, int days = 2) {
    const auto all = read("m", width, {kStart, kStart + days * kDay});
    Counted counted{0, all.windows};
    for (const auto& [start, sum] : all.sums) counted.count += sum.count;
    return counted;
  }
};

TEST_F(Granularities, StayWhenTheyAreLeftOutOfTheConfiguration) {
  put_days(2);
  settle();
  engine.options().raw_retention_ms = kDay;
  store.restart();
  settle_in(3 * kDay);
  ASSERT_EQ(read("m", 1, {kStart, kStart + 2 * kDay}, false).samples, 0U);
  for (const LevelsOf& mistake : {LevelsOf{{10 * kMinute, kOneYear}}, LevelsOf{}}) {
    configure(mistake);
    pass_retention();
    configure(options().rollups.levels);
    for (const std::int64_t width : {5 * kMinute, kHour, kDay}) EXPECT_EQ(counted(width).count, 288U) << width;
    EXPECT_EQ(names(), std::vector<std::string>{"m"});
  }
}

TEST_F(Granularities, GoWhenTheirLastRetentionIsOver) {
  put_days(2);
  configure({{5 * kMinute, rollup::kForEver}, {kHour, 10 * kDay}});
  settle();
  const auto bytes = engine.store().storage_bytes().rollup;
  configure({{5 * kMinute, rollup::kForEver}});
  settle_in(4 * kDay);
  EXPECT_EQ(engine.store().storage_bytes().rollup, bytes);
  settle_in(20 * kDay);
  EXPECT_LT(engine.store().storage_bytes().rollup, bytes);
}

TEST_F(Granularities, GoWhenAnOperatorSaysSo) {
  put_days(2);
  settle();
  const auto bytes = engine.store().storage_bytes().rollup;
  configure({{5 * kMinute, rollup::kForEver}, {kHour, rollup::kForEver}}, {kDay});
  pass_retention();
  const auto without_days = engine.store().storage_bytes().rollup;
  EXPECT_LT(without_days, bytes);
  configure({}, {5 * kMinute, kHour, kDay});
  pass_retention();
  EXPECT_EQ(engine.store().storage_bytes().rollup, 0U);
  configure(options().rollups.levels);
  for (const bool sealed : {false, true}) {
    for (const std::int64_t width : {5 * kMinute, kHour, kDay}) {
      EXPECT_EQ(counted(width).count, 288U) << width << ' ' << sealed;
    }
    EXPECT_EQ(counted(5 * kMinute).windows, sealed ? 288U : 0U);
    settle();
  }
}

TEST_F(Granularities, AreMadeAgainWhenTheyAreKeptForLonger) {
  put_days(2);
  configure({{5 * kMinute, kDay}, {kHour, rollup::kForEver}});
  settle();
  settle_in(4 * kDay);
  EXPECT_EQ(counted(5 * kMinute).windows, 0U);
  configure(options().rollups.levels);
  EXPECT_EQ(counted(5 * kMinute).count, 288U);
  settle();
  EXPECT_EQ(counted(5 * kMinute).count, 288U);
  EXPECT_EQ(counted(5 * kMinute).windows, 288U);
}

TEST_F(Granularities, DaysWithoutSamplesLackNoWindows) {
  engine.options().strata = {{12 * kDay, 0, 1 << 20}};
  store.restart();
  put_days(1);
  const auto group = store.group({"m"});
  ASSERT_TRUE(store.put(*group, kStart + 3 * kDay, {Value::of_long(1)}));
  clock.advance_ms(30 * kDay);
  settle();
  ASSERT_EQ(engine.store().slots(store.tenant(), 10).size(), 1U) << "one stratum";
  store.restart();
  EXPECT_EQ(engine.store().slot_counts().pending, 0U);
}

// Whatever is configured, and whatever comes, goes or is sealed meanwhile: windows say what the samples say.
TEST_F(Granularities, RandomConfigurations) {
  const std::vector<LevelsOf> lists = {
      {{5 * kMinute, kOneYear}, {kHour, kOneYear}, {kDay, kOneYear}},
      {{5 * kMinute, kOneYear}, {kDay, kOneYear}},
      {{10 * kMinute, kOneYear}, {kHour, kOneYear}},
      {{kHour, kOneYear}},
      {{5 * kMinute, kDay}, {kHour, kOneYear}, {kDay, kOneYear}},
      {},
      {{10 * kMinute, kOneYear}, {2 * kHour, kOneYear}},
      {{kHour, kOneYear}, {2 * kHour, kOneYear}, {kDay, kOneYear}},
  };
  std::mt19937 random(11);
  const auto pick = [&](std::uint32_t below) { return random() % below; };
  std::vector<storage::testing::Group*> groups = {store.group({"a", "b"}), store.group({"a"}), store.group({"c"})};
  testing::Written model;
  for (int step = 0; step < varve::testing::effort(400); ++step) {
    SCOPED_TRACE(step);
    const auto what = pick(12);
    if (what < 3) {
      for (auto* group : groups) store.line(*group);
      ASSERT_TRUE(store.append(testing::random_rows(groups, pick, clock.now_ms(), model)));
    } else if (what < 5) {
      settle();
    } else if (what < 6) {
      clock.advance_ms(static_cast<std::int64_t>(1 + pick(4)) * kHour);
    } else if (what < 8) {
      const auto& list = lists[pick(static_cast<std::uint32_t>(lists.size()))];
      const bool has_days = !list.empty() && list.back().width_ms == kDay;
      configure(list, pick(4) == 0 && !has_days ? std::vector<std::int64_t>{kDay} : std::vector<std::int64_t>{});
    } else if (what == 8 && pick(2) == 0) {
      const Timestamp first = clock.now_ms() - static_cast<Timestamp>(pick(3 * 86'400)) * 1000;
      const model::TimeRange range{first, first + static_cast<Timestamp>(1 + pick(86'400)) * 1000};
      const std::string metric(1, static_cast<char>('a' + pick(3)));
      ASSERT_TRUE(engine.samples().erase(store.tenant(), store.find(metric), range, nullptr));
      std::erase_if(model[metric], [&](const auto& sample) { return range.contains(sample.first); });
    } else {
      const std::string metric(1, static_cast<char>('a' + pick(3)));
      const std::int64_t width = std::vector<std::int64_t>{5 * kMinute, 10 * kMinute, kHour, 2 * kHour, kDay}[pick(5)];
      const model::TimeRange range{kStart - kDay, clock.now_ms() + kDay};
      Sums want;
      for (const auto& [time, v] : model[metric]) want[model::window_start(time, width)].add(time, 1, v, v, v);
      expect_equal(read(metric, width, range).sums, want);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
