// SPDX-License-Identifier: Apache-2.0
#include "tracker/slot_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace varve::tracker {
namespace {

TEST(SlotTable, RandomWorkMatchesAMap) {
  for (const std::uint32_t spread : {1U, 64U, 4096U, 0x1000001U}) {
    SCOPED_TRACE(spread);
    std::mt19937 random(spread);
    SlotTable table(0);
    std::map<std::uint32_t, std::uint32_t> want;
    for (int i = 0; i < 30'000; ++i) {
      const bool grows = i % 10'000 < 5'000;
      const std::uint32_t id = random() % 2000 * spread;
      const std::uint32_t position = table.find(id);
      const auto known = want.find(id);
      ASSERT_EQ(position, known == want.end() ? SlotTable::kNone : known->second);
      if (known == want.end() && (grows || random() % 4 == 0)) {
        want[id] = table.add(id);
      } else if (known != want.end() && (!grows || random() % 4 == 0)) {
        table.remove(position);
        want.erase(known);
      }
      ASSERT_EQ(table.size(), want.size());
    }
    for (const auto& [id, position] : want) ASSERT_EQ(table.find(id), position);
  }
}

TEST(SlotTable, AnEntryTakesTwentyFourBytesOnAverage) {
  SlotTable table(0);
  double sum = 0;
  int count = 0;
  for (std::uint32_t id = 0; id < 300'000; ++id) {
    table.add(id);
    if (id < 1000) continue;
    const double each = static_cast<double>(table.memory_bytes()) / static_cast<double>(table.size());
    ASSERT_LE(each, 27.0) << id;
    sum += each;
    ++count;
  }
  EXPECT_LE(sum / count, 24.5);
}

TEST(SlotTable, TouchesAreKeptRelativeAndNeverGoBack) {
  SlotTable table(1'000'000);
  auto& entry = table[table.add(1)];
  table.set_touched(entry, 999'000);
  EXPECT_EQ(table.touched_ms(entry), 1'000'000);
  table.set_touched(entry, 1'000'500);
  table.set_touched(entry, 1'000'400);
  EXPECT_EQ(table.touched_ms(entry), 1'000'500);
  table.set_touched(entry, 1'000'000 + (std::int64_t{1} << 40));
  EXPECT_EQ(table.touched_ms(entry), 1'000'000 + 0xffffffffLL) << "the most that is kept";
}

}  // namespace
}  // namespace varve::tracker
