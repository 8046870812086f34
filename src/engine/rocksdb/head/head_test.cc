// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/head/head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace varve::engine::rocksdb {
namespace {

constexpr std::int64_t kWidth = 3'600'000;

// By slot, the times of a group's rows in order of arrival.
using RowTimes = std::map<model::Timestamp, std::vector<model::Timestamp>>;

RowTimes row_times(const Head& head, model::GroupId group) {
  RowTimes out;
  const MutexLock lock(head.mutex);
  for (const auto* at = head.fragments(group); at != nullptr; at = at->next) {
    std::vector<model::Timestamp>& times = out[at->slot];
    EXPECT_TRUE(times.empty()) << "a slot has one fragment";
    std::int64_t last_arrival = -1;
    Head::Pieces pieces;
    head.pieces(*at, pieces);
    for (const auto piece : pieces) {
      for (const std::byte* row = piece.data(); row != piece.data() + piece.size();) {
        const model::RowView view{row};
        times.push_back(view.time());
        row += view.bytes();
        const auto arrival = std::int64_t{load_le<std::uint32_t>(row)};
        EXPECT_LT(last_arrival, arrival);
        last_arrival = arrival;
        row += Head::kArrivalBytes;
      }
    }
    EXPECT_EQ(at->first_time(), std::ranges::min(times));
    EXPECT_EQ(at->last_time(), std::ranges::max(times));
  }
  return out;
}

TEST(Head, ListsTheGroupsThatItHas) {
  SlabPool pool(4);
  Head head(pool, kWidth);
  const auto list = [&] {
    std::vector<std::uint32_t> groups;
    const MutexLock lock(head.mutex);
    std::vector<std::uint32_t> next;
    for (std::uint32_t from = 0; head.next_groups(from, 2, next);)
      groups.insert(groups.end(), next.begin(), next.end());
    return groups;
  };
  EXPECT_EQ(list(), std::vector<std::uint32_t>());
  const std::vector<std::uint32_t> groups{0, 1023, 1024, 5000, 7'000'000};
  const std::size_t before = head.memory_bytes();
  for (const std::uint32_t group : {5000, 7'000'000, 0, 1024, 1023}) {
    model::LineGroup line;
    line.id = model::GroupId{group};
    line.count = 1;
    model::RowBatch batch;
    batch.add(line, 7, std::vector{model::Value::of_long(1)});
    head.append(batch.bytes(), 0);
  }
  EXPECT_EQ(list(), groups);
  EXPECT_TRUE(head.holds(model::GroupId{5000}));
  EXPECT_FALSE(head.holds(model::GroupId{5001}));
  EXPECT_FALSE(head.holds(model::GroupId{8'000'000}));
  EXPECT_LT(head.memory_bytes() - before, SlabPool::kSlabBytes + 200'000) << "groups in between cost nothing";
}

// Groups of few and of many slots, below and above kNearMax, in any order, one row or many at once.
TEST(Head, EachSlotOfAGroupHasOneFragment) {
  constexpr std::size_t kSlots[] = {1, Head::kNearMax - 1, Head::kNearMax, Head::kNearMax + 1, Head::kNearMax + 2, 300};
  std::mt19937 random(7);
  SlabPool pool(4);
  Head head(pool, kWidth);
  std::map<std::uint32_t, RowTimes> expected;
  std::map<model::Timestamp, std::set<std::uint32_t>> groups_of;
  model::RowBatch batch;
  for (int i = 0; i < 20'000; ++i) {
    const auto group = static_cast<std::uint32_t>(random() % std::size(kSlots));
    const auto slot = static_cast<model::Timestamp>(random() % kSlots[group]) * kWidth;
    const model::Timestamp time = slot + static_cast<model::Timestamp>(random() % kWidth);
    model::LineGroup line;
    line.id = model::GroupId{group};
    line.count = 1;
    batch.add(line, time, model::Value::of_long(i));
    expected[group][slot].push_back(time);
    groups_of[slot].insert(group);
    if (i >= 10'000 || random() % 300 == 0) {
      head.append(batch.bytes(), 0);
      batch.clear();
    }
  }
  head.append(batch.bytes(), 0);
  for (std::uint32_t group = 0; group < std::size(kSlots); ++group) {
    EXPECT_EQ(row_times(head, model::GroupId{group}), expected[group]) << group;
  }
  const MutexLock lock(head.mutex);
  EXPECT_EQ(head.fragments(model::GroupId{std::size(kSlots) - 1})->slot, 299 * kWidth) << "of many the latest is first";
  ASSERT_EQ(head.slots().size(), groups_of.size());
  for (const auto& [slot, count] : head.slots()) EXPECT_EQ(count, groups_of[slot].size());
}

// Whichever was made last, and whether the group has few slots by then or many: what most rows go to is found at once.
TEST(Head, OfManySlotsTheLatestComesFirst) {
  SlabPool pool(4);
  Head head(pool, kWidth);
  model::LineGroup line;
  line.id = model::GroupId{3};
  line.count = 1;
  model::RowBatch batch;
  const auto append = [&](model::Timestamp slot) {
    batch.clear();
    batch.add(line, slot * kWidth, model::Value::of_long(1));
    head.append(batch.bytes(), 0);
    const MutexLock lock(head.mutex);
    return head.fragments(model::GroupId{3})->slot / kWidth;
  };
  EXPECT_EQ(append(100), 100);
  for (model::Timestamp slot = 0; slot < 7; ++slot) EXPECT_EQ(append(slot), slot) << "of few the one written last";
  EXPECT_EQ(append(7), 100);
  EXPECT_EQ(append(8), 100);
  EXPECT_EQ(append(3), 100);
  EXPECT_EQ(append(101), 101);
  EXPECT_EQ(append(100), 101);
}

TEST(SlabPool, FreesWhatWasNotNeededForAWhile) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  SlabPool pool(4);
  for (int i = 0; i < 6; ++i) pool.give(std::make_unique_for_overwrite<std::byte[]>(SlabPool::kSlabBytes));
  EXPECT_EQ(pool.kept(), 4U);
  pool.shrink(100 * kSecond);  // since now
  EXPECT_EQ(pool.kept(), 4U);
  auto slab = pool.take();
  pool.give(std::move(slab));
  pool.shrink(119 * kSecond);
  EXPECT_EQ(pool.kept(), 4U);
  pool.shrink(120 * kSecond);
  EXPECT_EQ(pool.kept(), 1U) << "one was needed";
  pool.shrink(140 * kSecond);
  EXPECT_EQ(pool.kept(), 0U);
}

}  // namespace
}  // namespace varve::engine::rocksdb
