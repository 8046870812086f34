// SPDX-License-Identifier: Apache-2.0
#include "snmp/correlation/last_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace varve::snmp::correlation {
namespace {

constexpr std::size_t kMany = 1'000'000;

// A poll that brings these rows, with the time as value. Returns when each was there last.
std::vector<model::Timestamp> poll(LastValues& last, const std::vector<std::uint64_t>& names, model::Timestamp now,
                                   bool whole = true, std::size_t kept_max = kMany) {
  std::vector<model::Timestamp> out;
  last.start();
  for (const std::uint64_t name : names) {
    LastValues::Cell& cell = last.cells(last.of(name))[0];
    out.push_back(cell.at == model::kTimestampMin ? -1 : cell.at);
    cell = {now, static_cast<std::uint64_t>(now)};
  }
  last.finish(whole, now - 30, kept_max);
  return out;
}

using Times = std::vector<model::Timestamp>;

TEST(LastValuesTest, RowsAreFoundByNameWhereverTheyAre) {
  LastValues last(2);
  EXPECT_EQ(poll(last, {7, 5, 9}, 10), (Times{-1, -1, -1}));
  EXPECT_EQ(poll(last, {7, 5, 9}, 20), (Times{10, 10, 10}));
  EXPECT_EQ(poll(last, {9, 7, 4, 5}, 30), (Times{20, 20, -1, 20}));
  EXPECT_EQ(poll(last, {9, 4}, 40), (Times{30, 30}));
  EXPECT_EQ(poll(last, {7, 9, 4, 5}, 50), (Times{30, 40, 40, 30}));
}

TEST(LastValuesTest, ARowThatIsGoneIsForgottenAfterATime) {
  LastValues last(1);
  poll(last, {1, 2}, 10);
  poll(last, {1}, 40);
  EXPECT_EQ(last.rows(), 2U);
  poll(last, {1}, 41);
  EXPECT_EQ(last.rows(), 1U);
  EXPECT_EQ(poll(last, {1, 2}, 50), (Times{41, -1}));
}

TEST(LastValuesTest, OfPollsThatBreakOffRowsAreKeptLonger) {
  LastValues last(1);
  poll(last, {1, 2, 3}, 10);
  for (model::Timestamp now = 20; now < 1000; now += 10) poll(last, {1}, now, false);
  EXPECT_EQ(poll(last, {1, 2, 3}, 1000), (Times{990, 10, 10}));
  for (std::uint64_t name = 10; name < 1000; ++name) {
    poll(last, {name}, 1000 + static_cast<model::Timestamp>(name), false, 20);
    EXPECT_LE(last.rows(), 35U);
  }
}

TEST(LastValuesTest, RowsMayComeTwiceWithOtherCells) {
  LastValues last(2);
  for (model::Timestamp now = 10; now < 50; now += 10) {
    last.start();
    for (const std::uint64_t name : {3, 1, 2}) last.cells(last.of(name))[0].at = now;
    last.rewind();
    for (const std::uint64_t name : {3, 2}) last.cells(last.of(name))[1].at = now;
    last.finish(true, 0, kMany);
    EXPECT_EQ(last.rows(), 3U);
  }
  last.start();
  EXPECT_EQ(last.cells(last.of(1))[1].at, model::kTimestampMin);
  EXPECT_EQ(last.cells(last.of(2))[1].at, 40);
}

TEST(LastValuesTest, AsAMap) {
  std::mt19937_64 random(3);
  LastValues last(1);
  std::map<std::uint64_t, model::Timestamp> model;
  for (model::Timestamp now = 100; now < 20'000; now += 7) {
    std::vector<std::uint64_t> names;
    for (std::uint64_t name = 0; name < 20; ++name) {
      if (random() % 4 != 0) names.push_back(name);
    }
    if (random() % 3 == 0) std::ranges::shuffle(names, random);
    Times expected;
    for (const std::uint64_t name : names) expected.push_back(model.contains(name) ? model[name] : -1);
    ASSERT_EQ(poll(last, names, now), expected) << now;
    for (const std::uint64_t name : names) model[name] = now;
    std::erase_if(model, [&](const auto& one) { return one.second < now - 30; });
    ASSERT_EQ(last.rows(), model.size());
  }
}

}  // namespace
}  // namespace varve::snmp::correlation
