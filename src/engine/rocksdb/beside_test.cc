// SPDX-License-Identifier: Apache-2.0
// Series that a selection leaves out: never one with a sample in the range, wherever it lies.
#include "engine/rocksdb/beside.h"

#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::Value;
using testing::kDay;
using testing::kHour;
using testing::kStart;

constexpr std::size_t kColumns = 1024;  // a group has a page of series
constexpr std::size_t kDays = 20;       // more series than index::kSkipAfter
static_assert(kColumns * kDays > index::kSkipAfter && kColumns == StatsPage::kSeries);

// Each day a thousand series live that never lived before. All have one metric.
class BesideTest : public testing::RollupStore {
 protected:
  BesideTest() : RollupStore(options(), kStart + kDays * kDay) {
    settle();  // the start looks for series without samples: those that are defined here are left alone
    for (std::size_t day = 0; day < kDays; ++day) {
      for (std::size_t i = 0; i < kColumns; ++i) define(day, i);
    }
  }
  static model::TimeRange of_day(std::size_t day) {
    const auto start = kStart + static_cast<model::Timestamp>(day) * kDay;
    return {start, start + kDay};
  }
  void define(std::size_t day, std::size_t i) {
    groups.push_back(store.group(
        {"m"}, {{"day", std::to_string(day)}, {"early", day < 18 ? "yes" : "no"}, {"i", std::to_string(i)}}));
  }
  void put(std::size_t day, std::size_t i, model::Timestamp time) {
    ASSERT_TRUE(store.put(*groups[day * kColumns + i], time, {Value::of_long(1)}));
  }
  void put_day(std::size_t day) {
    model::RowBatch batch;
    for (std::size_t i = 0; i < kColumns; ++i) {
      batch.add(groups[day * kColumns + i]->line, of_day(day).first + kHour, std::vector{Value::of_long(1)});
    }
    ASSERT_TRUE(store.append(batch));
  }
  std::vector<std::uint32_t> select(model::TimeRange range, const index::Matchers& matchers = {}) {
    std::vector<std::uint32_t> out;
    const auto found = engine.series().select(store.tenant(), "m", matchers, range);
    for (const auto series : *found) out.push_back(model::to_int(series));
    return out;
  }
  // Series [first, last).
  static std::vector<std::uint32_t> numbers(std::size_t first, std::size_t last) {
    std::vector<std::uint32_t> out;
    for (auto i = static_cast<std::uint32_t>(first); i < last; ++i) out.push_back(i);
    return out;
  }

  std::vector<const storage::testing::Group*> groups;
};

TEST_F(BesideTest, OfADayThoseThatLivedThen) {
  EXPECT_EQ(select(of_day(3)).size(), kColumns * kDays) << "of none is it known when it lived";
  for (std::size_t day = 0; day < kDays; ++day) put_day(day);
  EXPECT_EQ(select(of_day(3)).size(), kColumns * kDays) << "heads only";
  settle();
  EXPECT_EQ(select(of_day(3)), numbers(3 * kColumns, 4 * kColumns));
  EXPECT_EQ(select({of_day(3).first, of_day(4).last}), numbers(3 * kColumns, 5 * kColumns));
  EXPECT_EQ(select({}).size(), kColumns * kDays);
  EXPECT_EQ(select({kStart - kDay, kStart}).size(), 0U);
  engine.restart();
  EXPECT_EQ(select(of_day(3)), numbers(3 * kColumns, 4 * kColumns));

  const auto at = [](const std::string& key, const std::string& value, auto kind) {
    return index::Matchers{{key, kind, {value}}};
  };
  using enum index::Matcher::Kind;
  EXPECT_EQ(select(of_day(3), at("early", "yes", any_of)), numbers(3 * kColumns, 4 * kColumns)) << "from tag sets";
  EXPECT_EQ(select(of_day(3), at("i", "7", none_of)).size(), kColumns - 1) << "from the series of the metric";
  EXPECT_EQ(select(of_day(3), at("i", "5", any_of)).size(), kDays) << "few are looked at: all are taken";
}

TEST_F(BesideTest, WhatComesLateIsSeen) {
  for (std::size_t day = 0; day < kDays; ++day) put_day(day);
  settle();
  put(9, 77, of_day(3).first);  // in the head
  EXPECT_EQ(select(of_day(3)).size(), 2 * kColumns);
  EXPECT_EQ(select(of_day(4)).size(), kColumns) << "the head has nothing of this day";
  settle();
  EXPECT_EQ(select(of_day(3)).size(), 2 * kColumns);
  EXPECT_EQ(store.find("m").size(), kColumns * kDays);

  // A new series, in a page of its own.
  define(kDays, 0);
  EXPECT_EQ(select(of_day(3)).back(), kDays * kColumns) << "it may have samples that are on their way";
}

}  // namespace
}  // namespace varve::engine::rocksdb
