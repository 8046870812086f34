// SPDX-License-Identifier: Apache-2.0
// Whatever was sealed and made of the samples, each counts once.
#include "engine/cassandra/scan/stats_scan.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>

#include "engine/cassandra/testing/group_rows.h"

namespace varve::engine::cassandra {
namespace {

using model::Timestamp;
using model::Value;
using storage::SeriesStats;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using Random = std::mt19937_64;

constexpr int kDays = 12;

std::vector<rollup::Level> levels_of(const std::vector<std::int64_t>& widths) {
  std::vector<rollup::Level> levels;
  for (const std::int64_t width : widths) levels.push_back({width, rollup::kForEver});
  return levels;
}

class SeriesOfGroups : public testing::GroupRows {
 public:
  SeriesOfGroups(std::vector<std::int64_t> granularities, unsigned seed)
      : GroupRows(levels_of(granularities)), widths(std::move(granularities)), random(seed) {
    clock.advance_ms(kStart + 20 * kDay - clock.now_ms());
    pending.rollup_blocks.resize(widths.size());
    active = {{kStart, kStart + kDays / 2 * kDay}, {kStart + kDays / 2 * kDay, kStart + kDays * kDay}};
    join(active);
  }
  void TestBody() override {
    fill();
    make_some();
    look();
  }

 private:
  bool chance(unsigned percent) { return random() % 100 < percent; }

  // Hot at first; then sealed, but for slots that are pending: of those some have been sealed before their last sample.
  void fill() {
    std::set<Timestamp> pending_slots;
    for (const GroupRef& group : groups) {
      std::set<Timestamp> times;
      for (unsigned i = 0; i < 40; ++i) {
        times.insert(kStart + static_cast<Timestamp>(random() % (kDays * std::uint64_t{kDay})));
      }
      std::set<Timestamp> slots;
      for (const Timestamp time : times) {
        const Timestamp slot = model::window_start(time, kHour);
        if (slots.contains(slot) && chance(30)) {
          seal(group, slot);
          pending_slots.insert(slot);
        }
        put(group, {{time, Value::of_long(1)}});
        slots.insert(slot);
      }
      for (const Timestamp slot : slots) {
        if (chance(10)) pending_slots.insert(slot);
        if (!pending_slots.contains(slot)) seal(group, slot);
      }
      expected.push_back({*times.begin(), *times.rbegin(), times.size(), SeriesStats::bit_of(model::ValueType::long_)});
    }
    pending.slots.assign(pending_slots.begin(), pending_slots.end());
  }

  void make_some() {
    const RollupBlockMaker maker(rows, tables, reader, level_tables(tables, schema, kHour), schema, versions, clock);
    levels = maker.levels();
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const std::int64_t row_ms = levels[level].row_ms;
      for (Timestamp start = model::window_start(kStart, row_ms); start < kStart + kDays * kDay; start += row_ms) {
        // Coarser ones are made of it, unless it is pending; of the coarsest each group's may be missing.
        const bool coarsest = level + 1 == levels.size();
        const bool made = chance(80);
        for (const GroupRef& group : groups) {
          const RollupBlockWork work{group, std::vector<rollup::Kind>(group.columns, rollup::Kind::gauge), start, {}};
          if (coarsest ? chance(70) : made || chance(20)) {
            ASSERT_TRUE(maker.make(level, {&work, 1}));
          }
        }
        if (coarsest ? chance(10) : !made) pending.rollup_blocks[level].push_back(start);
      }
    }
  }

  void look() {
    std::vector<Member> members;
    std::vector<SeriesStats> wanted, found;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::uint16_t column = 0; column < groups[g].columns; column += 33) {
        members.push_back({&groups[g], column / kSeriesPerColumnShard, {column}, {wanted.size()}, {false}});
        wanted.push_back(expected[g]);
      }
    }
    found.resize(wanted.size());
    const StatsScanContext context{rows, reader, levels, widths, pending, active, clock.now_ms()};
    const Status status = StatsScan(context, members, found).run();
    ASSERT_TRUE(status) << status.error().message;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(found[i].points, wanted[i].points) << i;
      EXPECT_EQ(found[i].first_ms, wanted[i].first_ms) << i;
      EXPECT_EQ(found[i].last_ms, wanted[i].last_ms) << i;
      EXPECT_EQ(found[i].types, wanted[i].types) << i;
    }
  }

  const std::vector<std::int64_t> widths;
  Random random;
  const std::vector<GroupRef> groups = {group_named('a', 1), group_named('b', 34), group_named('c', 1)};
  Pending pending;
  TimeRanges active;
  std::vector<ChunkTable> levels;
  std::vector<SeriesStats> expected;  // of each group's series
};

void look_at(const std::vector<std::int64_t>& granularities) {
  for (unsigned seed = 0; seed < 15; ++seed) {
    SCOPED_TRACE(std::to_string(granularities.size()) + " granularities, seed " + std::to_string(seed));
    SeriesOfGroups(granularities, seed).TestBody();
  }
}

TEST(StatsScan, without_windows) { look_at({}); }
TEST(StatsScan, of_usual_granularities) {
  look_at({kHour});
  look_at({5 * kMinute, kHour});
  look_at({5 * kMinute, kHour, kDay});
}
// Of which 48 windows are not made of 48 of the finer one.
TEST(StatsScan, of_odd_granularities) {
  look_at({12 * kMinute, kHour});
  look_at({6 * kMinute, kHour, 2 * kHour});
}

}  // namespace
}  // namespace varve::engine::cassandra
