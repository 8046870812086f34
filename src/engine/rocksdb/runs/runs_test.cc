// SPDX-License-Identifier: Apache-2.0
// What Runs keeps of all slots together, compared with a walk over them; and when a slot has grown.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "engine/rocksdb/runs/run.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::int64_t kWidth = 60'000;

std::shared_ptr<rocksdb::Run> run_of(const SlotKey& slot, std::uint64_t number, std::uint64_t bytes,
                                     std::uint64_t content = 0) {
  auto run = std::make_shared<rocksdb::Run>();
  run->key = {slot, number};
  run->content = content == 0 ? number : content;
  run->bytes = bytes;
  run->first_time = run->last_time = slot.start;
  return run;
}

void compare(const Runs& runs) {
  std::uint64_t rollups = 0;
  std::uint64_t messages = 0;
  std::uint64_t unsettled = 0;
  std::uint64_t count = 0;
  std::set<model::Timestamp> at;
  for (const auto& [slot, of_slot] : runs.slots) {
    count += of_slot.runs.size();
    for (const auto& run : of_slot.runs) rollups += slot.is_raw() ? 0 : run->bytes;
    const bool in_pieces = !slot.is_stratum() && runs.fragmented().contains(slot);
    if (!slot.is_raw() || !(runs.pending().contains(slot) || in_pieces)) continue;
    ++unsettled;
    const model::TimeRange range = slot.raw_range(kWidth);
    for (model::Timestamp start = range.first; start < range.last; start += kWidth) at.insert(start);
  }
  for (const auto& [slot, of_slot] : runs.messages) {
    count += of_slot.runs.size();
    for (const auto& run : of_slot.runs) messages += run->bytes;
  }
  ASSERT_EQ(runs.rollup_bytes(), rollups);
  ASSERT_EQ(runs.message_bytes(), messages);
  ASSERT_EQ(runs.unsettled(), unsettled);
  ASSERT_EQ(runs.records().runs, count);
  for (model::Timestamp start = -kWidth; start <= 6 * kWidth; start += kWidth) {
    ASSERT_EQ(runs.is_unsettled_at(start), at.contains(start)) << start;
  }
}

TEST(RunsSums, TwoTenantsAtOneTime) {
  Runs runs(Runs::Plan{{kWidth}, {}});
  const SlotKey one{model::TenantId{1}, 0, 0};
  const SlotKey other{model::TenantId{2}, 0, 0};
  runs.add(run_of(one, 1, 5), 0);
  runs.add(run_of(other, 2, 5), 0);
  EXPECT_EQ(runs.unsettled(), 2U);
  runs.set_mark(one, {1, false, {kWidth}, {}});
  EXPECT_EQ(runs.unsettled(), 1U);
  EXPECT_TRUE(runs.is_unsettled_at(0));  // of the other tenant
  runs.set_mark(other, {2, false, {kWidth}, {}});
  EXPECT_EQ(runs.unsettled(), 0U);
  EXPECT_FALSE(runs.is_unsettled_at(0));
  EXPECT_EQ(runs.rollup_bytes(), 0U);
}

TEST(RunsSums, AgreeWithAWalkOverAllSlots) {
  std::mt19937 random{3};
  const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
  for (const auto& plan : {Runs::Plan{}, Runs::Plan{{kWidth}, {}}}) {
    Runs runs(plan);
    std::vector<RunKey> keys;
    std::set<SlotKey> marked;
    for (std::uint64_t number = 1; number < 2000; ++number) {
      const std::int64_t granularities[] = {0, 0, kWidth, kMessageGranularity, kMessageGranularity - 1};
      const model::TenantId tenant{below(3)};
      const SlotKey slot = below(20) == 0 ? stratum_slot(tenant, 3 * kWidth, below(6) * kWidth)
                                          : SlotKey{tenant, granularities[below(5)], below(6) * kWidth};
      const auto copy = runs;
      const std::uint64_t rollups = runs.rollup_bytes();
      if (below(3) != 0 || keys.empty()) {
        runs.add(run_of(slot, number, below(1000)), 0);
        keys.push_back({slot, number});
      } else if (const std::size_t at = below(static_cast<unsigned>(keys.size())); below(4) != 0) {
        runs.remove(keys[at]);
        runs.remove(keys[at]);  // is gone, takes nothing
        keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(at));
      } else if (!keys[at].slot.is_of_messages()) {
        auto other = run_of(keys[at].slot, keys[at].run, below(1000));
        runs.replace(other);
        marked.insert(runs.home_of(keys[at].slot));
        runs.set_mark(runs.home_of(keys[at].slot), {number, below(2) == 0, {kWidth}, {}});
      } else if (!marked.empty()) {
        runs.set_mark(*marked.begin(), {});
        marked.erase(marked.begin());
      }
      ASSERT_EQ(runs.records().marks, marked.size());  // also those of slots that lie in a stratum by now
      ASSERT_EQ(copy.rollup_bytes(), rollups);         // a reader's copy does not change
      if (number % 10 == 0) {
        ASSERT_NO_FATAL_FAILURE(compare(runs));
      }
    }
    while (!keys.empty()) {
      runs.remove(keys.back());
      keys.pop_back();
    }
    ASSERT_NO_FATAL_FAILURE(compare(runs));
    EXPECT_EQ(runs.rollup_bytes() + runs.message_bytes(), 0U);
  }
}

class GrownSlot : public ::testing::TestWithParam<SlotKey> {};

INSTANTIATE_TEST_SUITE_P(OfEachKind, GrownSlot,
                         ::testing::Values(SlotKey{model::TenantId{1}, 0, 0}, SlotKey{model::TenantId{1}, kWidth, 0},
                                           stratum_slot(model::TenantId{1}, 3 * kWidth, 0),
                                           SlotKey{model::TenantId{1}, kMessageGranularity, 0}));

TEST_P(GrownSlot, WithANewRunAndNotWithAMergedOne) {
  Runs runs(Runs::Plan{{kWidth}, {}});
  const auto grown = [&] {
    return (GetParam().is_of_messages() ? runs.messages : runs.slots).at(GetParam()).grown_steady_ns;
  };
  runs.add(run_of(GetParam(), 1, 5), 100);
  runs.add(run_of(GetParam(), 2, 5), 200);
  EXPECT_EQ(grown(), 200);
  runs.add(run_of(GetParam(), 3, 5, 2), 300);
  runs.remove({GetParam(), 1});
  runs.remove({GetParam(), 2});
  EXPECT_EQ(grown(), 200) << "merged";
  runs.add(run_of(GetParam(), 4, 5), 400);
  EXPECT_EQ(grown(), 400);
}

// As on a start: nobody knows how long ago it grew.
TEST_P(GrownSlot, WithAMergedRunThatIsTheFirst) {
  Runs runs(Runs::Plan{{kWidth}, {}});
  runs.add(run_of(GetParam(), 3, 5, 2), 300);
  EXPECT_EQ((GetParam().is_of_messages() ? runs.messages : runs.slots).at(GetParam()).grown_steady_ns, 300);
}

TEST(GrownStratum, WhenItsLastSlotGrew) {
  Runs runs(Runs::Plan{{kWidth}, {}});
  const SlotKey first{model::TenantId{1}, 0, 0};
  const SlotKey second{model::TenantId{1}, 0, kWidth};
  const SlotKey stratum = stratum_slot(model::TenantId{1}, 3 * kWidth, 0);
  runs.add(run_of(second, 1, 5), 200);
  runs.add(run_of(first, 2, 5), 100);
  runs.add(run_of(stratum, 3, 5, 2), 300);
  EXPECT_EQ(runs.slots.at(stratum).grown_steady_ns, 200);
}

}  // namespace
}  // namespace varve::engine::rocksdb
