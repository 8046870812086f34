// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/settle/rollup_block_maker.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

#include "engine/cassandra/scan/window_rows.h"
#include "engine/cassandra/tables/dropped_rows.h"
#include "engine/cassandra/testing/group_rows.h"

namespace varve::engine::cassandra {
namespace {

using model::Timestamp;
using model::Value;
using rollup::Kind;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

const std::vector<std::int64_t> kMadeWidths{5 * kMinute, kHour, kDay};

class RollupBlockMakerTest : public testing::GroupRows {
 protected:
  RollupBlockMakerTest()
      : GroupRows({{5 * kMinute, 90 * kDay}, {kHour, 400 * kDay}, {kDay, rollup::kForEver}}, 30 * kDay),
        maker(rows, tables, reader, level_tables(tables, schema, kHour), schema, versions, clock) {
    static_assert(kStart % (48 * kHour) == 0);
    clock.advance_ms(kStart + 3 * kDay - clock.now_ms());
  }
  const RollupBlockMaker maker;
  GroupRef group = group_named('g', 33);
  std::vector<Kind> kinds = std::vector<Kind>(33, Kind::gauge);

  void make(std::size_t level, Timestamp start, std::vector<RollupBlockWork::Elsewhere> elsewhere = {}) {
    const RollupBlockWork work{group, kinds, start, std::move(elsewhere)};
    const auto made = maker.make(level, {&work, 1});
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_TRUE((*made)[0].status) << (*made)[0].status.error().message;
  }
  SeriesWindows read(std::size_t level, Timestamp start, unsigned column, ColumnShardStats* stats = nullptr) {
    std::vector<RowRead> reads;
    constexpr ChunkFields kFields{.chunk = true, .stats = true, .added = false};
    add_reads(reads, maker.levels()[level], group.cells, column / kSeriesPerColumnShard, {start, start + 1}, kFields);
    SeriesWindows found;
    EXPECT_TRUE(rows.read(reads, {}, [&](std::size_t, const RowView& view) -> Status {
      VARVE_ASSIGN_OR_RETURN(const ChunkRow row, chunk_row(view, kFields));
      if (stats != nullptr) {
        VARVE_ASSIGN_OR_RETURN(*stats, decode_stats(row.stats, row.start));
      }
      VARVE_ASSIGN_OR_RETURN(auto block, open_windows(row.chunk));
      if (block == nullptr) return {};
      blocks.push_back(block);
      VARVE_ASSIGN_OR_RETURN(found, windows_of(*block, column % kSeriesPerColumnShard));
      return {};
    }));
    return found;
  }
  // How many hot rows the block names.
  std::size_t names(std::size_t level, Timestamp start) {
    std::vector<RowRead> reads;
    add_reads(reads, maker.levels()[level], group.cells, 0, {start, start + 1}, {.added = true});
    std::size_t count = 0;
    EXPECT_TRUE(rows.read(reads, {}, [&](std::size_t, const RowView& view) -> Status {
      VARVE_ASSIGN_OR_RETURN(const ChunkRow row, chunk_row(view, {.added = true}));
      VARVE_ASSIGN_OR_RETURN(const auto arrivals, decode_arrivals(row.added));
      count += arrivals.size();
      return {};
    }));
    return count;
  }
  // "offset in minutes:count/sum/min/max …"
  static std::string shown(const rollup::Windows& windows) {
    std::string text;
    for (const auto& w : windows) {
      text += std::to_string((w.start - kStart) / kMinute) + ":" + std::to_string(w.count) + "/";
      text += w.text == nullptr
                  ? std::to_string(static_cast<long>(w.sum)) + "/" + std::to_string(static_cast<long>(w.min)) + "/" +
                        std::to_string(static_cast<long>(w.max)) + " "
                  : std::string(w.text->last) + " ";
    }
    return text;
  }
  std::vector<std::shared_ptr<const chunk::Block>> blocks;
};

TEST_F(RollupBlockMakerTest, EachGranularityIsMadeOfTheFinerOne) {
  for (int hour = 0; hour < 5; ++hour) {
    const Timestamp slot = kStart + hour * kHour;
    put(group,
        {{slot, Value::of_long(hour)}, {slot + 1, Value::of_double(0.5)}, {slot + 7 * kMinute, Value::of_long(9)}});
    seal(group, slot);
  }
  make(0, kStart);
  EXPECT_EQ(shown(read(0, kStart, 32).numbers),
            "0:2/0/0/0 5:1/9/9/9 60:2/1/0/1 65:1/9/9/9 120:2/2/0/2 125:1/9/9/9 180:2/3/0/3 185:1/9/9/9 ");
  make(0, kStart + 4 * kHour);
  make(1, kStart);
  ColumnShardStats stats;
  EXPECT_EQ(shown(read(1, kStart, 0, &stats).numbers), "0:3/9/0/9 60:3/10/0/9 120:3/11/0/9 180:3/12/0/9 240:3/13/0/9 ");
  EXPECT_EQ(stats.series[0], (storage::SeriesStats{kStart, kStart + 4 * kHour + 7 * kMinute, 15, 3}));
  const Timestamp days = model::window_start(kStart, 48 * kDay);
  make(2, days);
  EXPECT_EQ(read(2, days, 0).numbers.at(0).count, 15U);
}

TEST_F(RollupBlockMakerTest, TextsAndCountersAreWhatTheyAre) {
  group.columns = 1;
  kinds = {Kind::counter};
  put(group,
      {{kStart, Value::of_long(1)}, {kStart + 1, Value::of_string("on")}, {kStart + 2, Value::of_string("off")}});
  seal(group, kStart);
  make(0, kStart);
  make(1, kStart);
  for (const std::size_t level : {0, 1}) {
    const SeriesWindows found = read(level, kStart, 0);
    EXPECT_EQ(found.kind, Kind::counter);
    EXPECT_EQ(found.numbers.at(0).sum, 1);
    EXPECT_EQ(shown(found.texts), "0:2/off ");
  }
}

TEST_F(RollupBlockMakerTest, WhatIsDeletedIsInNoWindowAgain) {
  put(group, {{kStart, Value::of_long(1)}, {kStart + kHour, Value::of_long(2)}});
  seal(group, kStart);
  seal(group, kStart + kHour);
  make(0, kStart);
  erase(group, {0, 1}, {kStart, kStart + 2 * kHour});
  seal(group, kStart);
  seal(group, kStart + kHour);
  make(0, kStart);
  EXPECT_TRUE(read(0, kStart, 0).empty());
  EXPECT_EQ(read(0, kStart, 2).numbers.size(), 2U);
}

// Windows are never made of less than they were made of.
TEST_F(RollupBlockMakerTest, WindowsOutliveTheirSamples) {
  put(group, {{kStart, Value::of_long(1)}, {kStart + 3 * kHour, Value::of_long(2)}});
  seal(group, kStart);
  seal(group, kStart + 3 * kHour);
  make(0, kStart);
  make(1, kStart);
  clock.advance_ms(kStart + 31 * kDay + 3 * kHour / 2 - clock.now_ms());  // the first slot's samples are gone
  put(group, {{kStart + 3 * kHour + 1, Value::of_long(5)}});
  seal(group, kStart + 3 * kHour);
  make(0, kStart);
  EXPECT_EQ(shown(read(0, kStart, 0).numbers), "0:1/1/1/1 180:2/7/2/5 ");
  ColumnShardStats stats;
  read(0, kStart, 0, &stats);
  EXPECT_EQ(stats.series[0].points, 3U);
  EXPECT_EQ(stats.series[0].first_ms, kStart);
  make(1, kStart);
  EXPECT_EQ(shown(read(1, kStart, 0).numbers), "0:1/1/1/1 180:2/7/2/5 ");
}

// The samples of a slot are gone, and more of them come.
TEST_F(RollupBlockMakerTest, LateSamplesAreAddedOnce) {
  group.columns = 33;
  put(group, {{kStart, Value::of_long(1)}, {kStart + 10 * kMinute, Value::of_long(2)}});
  seal(group, kStart);
  make(0, kStart);
  make(1, kStart);
  clock.advance_ms(kStart + 32 * kDay - clock.now_ms());
  const auto add = [&] {
    const RollupBlockWork work{group, kinds, kStart, {}};
    for (const std::size_t level : {0, 1}) {
      const auto made = maker.make(level, {&work, 1});
      if (!made || !(*made)[0].status) return false;
    }
    return true;
  };
  ASSERT_TRUE(add()) << "nothing is late";
  EXPECT_EQ(shown(read(0, kStart, 32).numbers), "0:1/1/1/1 10:1/2/2/2 ");
  put(group, {{kStart + 1, Value::of_long(10)}});
  for (int again = 0; again < 3; ++again) {
    ASSERT_TRUE(add());
    EXPECT_EQ(shown(read(0, kStart, 32).numbers), "0:2/11/1/10 10:1/2/2/2 ");
    EXPECT_EQ(shown(read(1, kStart, 32).numbers), "0:3/13/1/10 ");
  }
  put(group, {{kStart + 20 * kMinute, Value::of_long(5)}});
  rows.fail_writes_after(3);  // dies between two parts of the second granularity
  EXPECT_FALSE(add());
  rows.let_write();
  ASSERT_TRUE(add());
  for (const unsigned column : {0U, 32U}) {
    EXPECT_EQ(shown(read(0, kStart, column).numbers), "0:2/11/1/10 10:1/2/2/2 20:1/5/5/5 ") << column;
    EXPECT_EQ(shown(read(1, kStart, column).numbers), "0:4/18/1/10 ") << column;
  }
  ColumnShardStats stats;
  read(1, kStart, 0, &stats);
  EXPECT_EQ(stats.series[0].points, 4U);
}

// A rollup block names the hot rows that it counts until these cannot be read again: not all that there ever were.
TEST_F(RollupBlockMakerTest, WhatIsDroppedIsNamedNoLonger) {
  group.columns = 1;
  kinds = {Kind::gauge};
  clock.advance_ms(kStart + 12 * kDay - clock.now_ms());
  for (int hour = 0; hour < 8; ++hour) {
    put(group, {{kStart + hour * kHour, Value::of_long(1)}});
    seal(group, kStart + hour * kHour);
  }
  const auto make_all = [&] {
    make(0, kStart);
    make(0, kStart + 4 * kHour);
    make(1, kStart);
  };
  make_all();
  EXPECT_EQ(names(0, kStart), 4U);
  EXPECT_EQ(names(1, kStart), 8U);
  for (int hour = 0; hour < 6; ++hour) {
    const Timestamp slot = kStart + hour * kHour;
    ASSERT_TRUE(rows.write_now({dropped_write(tables, "acme", slot, kHour, now_us())}));
  }
  make(1, kStart);
  EXPECT_EQ(names(0, kStart), 4U) << "nobody had reason to make it again";
  EXPECT_EQ(names(1, kStart), 2U);
  const std::string all = shown(read(1, kStart, 0).numbers);
  make_all();
  EXPECT_EQ(names(0, kStart), 0U);
  EXPECT_EQ(names(1, kStart), 2U);
  EXPECT_EQ(shown(read(1, kStart, 0).numbers), all);
}

TEST_F(RollupBlockMakerTest, ASeriesOfTwoGroupsCountsOnce) {
  group.columns = 2;
  kinds = {Kind::gauge, Kind::gauge};
  const GroupRef other = group_named('a', 1);
  put(group, {{kStart, Value::of_long(1)}, {kStart + 1, Value::of_long(2)}});
  put(other, {{kStart + 1, Value::of_long(2)}, {kStart + 2, Value::of_long(3)}});
  seal(group, kStart);
  seal(other, kStart);
  make(0, kStart, {{1, other, 0}});
  EXPECT_EQ(shown(read(0, kStart, 0).numbers), "0:2/3/1/2 ");
  EXPECT_EQ(shown(read(0, kStart, 1).numbers), "0:1/1/1/1 ");
}

// Of equal times the later sample counts, whichever group has it.
TEST_F(RollupBlockMakerTest, TheLaterSampleOfASeriesOfTwoGroupsCounts) {
  group.columns = 1;
  kinds = {Kind::gauge};
  const GroupRef other = group_named('a', 1);
  put(group, {{kStart, Value::of_long(1)}, {kStart + 1, Value::of_long(2)}});
  put(other, {{kStart, Value::of_long(10)}, {kStart + 1, Value::of_long(20)}});
  put(group, {{kStart + 1, Value::of_long(200)}});
  for (const GroupRef& one : {group, other}) {
    const SealWork work{one, kStart, true};
    ASSERT_TRUE(sealer.seal({&work, 1}));
  }
  make(0, kStart, {{0, other, 0, true}});
  EXPECT_EQ(shown(read(0, kStart, 0).numbers), "0:1/200/200/200 ");
  const GroupRef own = std::exchange(group, other);
  make(0, kStart, {{0, own, 0, false}});
  EXPECT_EQ(shown(read(0, kStart, 0).numbers), "0:1/10/10/10 ");
  // One that always comes first: its windows stay when the others go.
  make(0, kStart, {{0, own, 0, false, true}});
  EXPECT_EQ(shown(read(0, kStart, 0).numbers), "");
}

// Any order of putting and sealing gives the windows of all samples.
TEST_F(RollupBlockMakerTest, LikeAModel) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp)
  group.columns = 1;
  kinds = {Kind::gauge};
  std::map<Timestamp, std::int64_t> model;
  for (int round = 0; round < 60; ++round) {
    std::vector<std::pair<Timestamp, Value>> samples;
    const Timestamp slot = kStart + static_cast<std::int64_t>(random() % 8) * kHour;
    for (unsigned n = random() % 20; n > 0; --n) {
      const Timestamp time = slot + static_cast<std::int64_t>(random() % 60) * kMinute;
      const auto value = static_cast<std::int64_t>(random() % 100);
      samples.emplace_back(time, Value::of_long(value));
      model[time] = value;
    }
    if (!samples.empty()) put(group, samples);
    seal(group, slot);
    make(0, model::window_start(slot, 4 * kHour));
    make(1, kStart);
    for (const std::size_t level : {0, 1}) {
      rollup::Windows expected;
      for (const auto& [time, value] : model) {
        const Timestamp start = model::window_start(time, kMadeWidths[level]);
        if (expected.empty() || expected.back().start != start) {
          expected.push_back({start, time, time, 0, 0, 1e9, -1e9, {}});
        }
        rollup::Window& w = expected.back();
        ++w.count;
        w.sum += static_cast<double>(value);
        w.min = std::min(w.min, static_cast<double>(value));
        w.max = std::max(w.max, static_cast<double>(value));
      }
      rollup::Windows found = read(level, kStart, 0).numbers;
      if (level == 0) {
        const auto rest = read(level, kStart + 4 * kHour, 0).numbers;
        found.insert(found.end(), rest.begin(), rest.end());
      }
      ASSERT_EQ(shown(found), shown(expected)) << "round " << round << " level " << level;
    }
  }
}

}  // namespace
}  // namespace varve::engine::cassandra
