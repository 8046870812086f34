// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/series/stats_changes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "codec/compression.h"
#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using namespace std::string_literals;
using model::SeriesId;
using model::Value;
using storage::SeriesStats;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

constexpr std::uint8_t kLongs = 1;
constexpr std::uint8_t kDoubles = 2;
constexpr std::uint8_t kStrings = 4;

std::string unpacked(const std::string& value) {
  std::string plain;
  EXPECT_TRUE(codec::decompress(codec::Coding::zstd, std::string_view(value).substr(1), 1 << 20, plain));
  return plain;
}

// The example of docs/formats/series-stats.md.
TEST(StatsPage, Golden) {
  StatsPage::Rows rows{};
  rows[1] = {1000, 2000, 3, kDoubles};
  const std::string value = encode_stats_page(StatsPage(rows));
  EXPECT_EQ(value[0], 1);
  EXPECT_EQ(unpacked(value), "\x02\x00\x06\x00\x02\xd0\x0f\xd0\x0f"s);
  EXPECT_EQ((*decode_stats_page(value))->rows(), rows);
}

// As written, as packed, and as read again: numbers of every width, pages with and without gaps.
TEST(StatsPage, RoundTrips) {
  std::mt19937_64 random(1);
  for (unsigned round = 0; round < 130; ++round) {
    const auto number = [&] { return random() >> (round < 65 ? 64 - std::max(round, 1U) : random() % 64); };
    StatsPage::Rows rows{};
    for (SeriesStats& one : rows) {
      if (round % 2 == 0 && random() % 3 == 0) continue;
      one.points = number();
      if (one.points == 0) continue;
      one.types = static_cast<std::uint8_t>(random() % 8);
      one.first_ms = static_cast<std::int64_t>(number());
      one.last_ms = round == 0 ? std::numeric_limits<std::int64_t>::max() : one.first_ms + 5;
    }
    const StatsPage page(rows);
    EXPECT_EQ(page.rows(), rows);
    EXPECT_EQ((*decode_stats_page(encode_stats_page(page)))->rows(), rows);
  }
  EXPECT_EQ(StatsPage().rows(), StatsPage::Rows{});
  EXPECT_EQ((*decode_stats_page(encode_stats_page({})))->rows(), StatsPage::Rows{});
}

TEST(StatsPage, TakesWhatItsSeriesDifferIn) {
  StatsPage::Rows rows{};
  for (std::size_t i = 0; i < rows.size() / 2; ++i) rows[i] = {kStart, kStart + kDay, 8640, kLongs};
  EXPECT_LT(StatsPage(rows).memory_bytes(), 2 * rows.size() + rows.size() + 200);  // points: two bytes, types: one
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = {kStart + static_cast<std::int64_t>(i), kStart + kDay, 8640, 1};
  EXPECT_LT(StatsPage(rows).memory_bytes(), 2 * 2 * rows.size() + 200);  // first and length
}

TEST(StatsPage, ForeignBytes) {
  const auto packed = [](std::string_view plain) {
    std::string out;
    EXPECT_TRUE(codec::compress(codec::Coding::zstd, plain, out));
    return "\x01" + out;
  };
  EXPECT_EQ(decode_stats_page("").error().code, Code::corrupt);
  EXPECT_EQ(decode_stats_page("\x02xyz").error().code, Code::unsupported);
  EXPECT_EQ(decode_stats_page("\x01xyz").error().code, Code::corrupt);
  EXPECT_EQ(decode_stats_page(packed("\x81\x08")).error().code, Code::corrupt);           // 1025 series
  EXPECT_EQ(decode_stats_page(packed("\x01\x02")).error().code, Code::corrupt);           // cut in front of the types
  EXPECT_EQ(decode_stats_page(packed("\x01\x02\x01\x00"s)).error().code, Code::corrupt);  // cut in the times
  EXPECT_EQ(decode_stats_page(packed("\x00\x00"s)).error().code, Code::corrupt);          // something is left
}

TEST(StatsChanges, ChangesNothingBeforeItIsPublished) {
  StatsTable stats;
  const SeriesId series[] = {SeriesId{5}, SeriesId{5000}};
  const model::Timestamp times[] = {10, 20};
  const std::int64_t ints[] = {1, 2};
  chunk::Column column;
  column.ints = ints;
  const chunk::Column columns[] = {column, column};
  StatsChanges changes;
  changes.add(series, times, columns);
  EXPECT_EQ(stats.of(series[0]), SeriesStats{});
  const auto pages = changes.apply(stats);
  ASSERT_EQ(pages.size(), 2U);
  stats.replace(pages);
  const StatsTable copy = stats;
  EXPECT_EQ(stats.of(series[1]), (SeriesStats{10, 20, 2, kLongs}));
  StatsChanges less;
  less.subtract(series[0], 1);
  less.subtract(series[1], 2);
  stats.replace(less.apply(stats));
  EXPECT_EQ(stats.of(series[0]), (SeriesStats{10, 20, 1, kLongs}));
  EXPECT_EQ(stats.of(series[1]), SeriesStats{});  // nothing left, nothing known
  EXPECT_EQ(copy.of(series[1]), (SeriesStats{10, 20, 2, kLongs}));
  EXPECT_EQ(stats.of(SeriesId{7'000'000}), SeriesStats{});
}

// More pages than are open at once, in any order, against plain stats.
TEST(StatsChanges, AreTheSameInAnyOrder) {
  std::mt19937_64 random(2);
  StatsTable stats;
  std::map<std::uint32_t, SeriesStats> expected;
  for (int commit = 0; commit < 5; ++commit) {
    StatsChanges changes;
    std::map<std::uint32_t, SeriesStats> added;
    std::map<std::uint32_t, std::uint64_t> lost;
    std::set<std::uint32_t> forgotten;
    EXPECT_TRUE(changes.empty());
    for (int i = 0; i < 3000; ++i) {
      const auto number = static_cast<std::uint32_t>(random() % 40 * StatsPage::kSeries + random() % 20);
      const SeriesId series[] = {SeriesId{number}};
      if (random() % 10 == 0) {
        changes.subtract(series[0], 2);
        lost[number] += 2;
      } else if (random() % 50 == 0) {
        changes.forget(series[0]);
        forgotten.insert(number);
      } else {
        const model::Timestamp times[] = {static_cast<model::Timestamp>(random() % 1000), 1000};
        const std::int64_t ints[] = {1, 2};
        chunk::Column column;
        column.ints = ints;
        changes.add(series, times, std::span(&column, 1));
        added[number].add({times[0], times[1], 2, kLongs});
      }
    }
    EXPECT_FALSE(changes.empty());
    for (const auto& [number, more] : added) expected[number].add(more);
    for (const auto& [number, less] : lost) {
      expected[number].points -= std::min(expected[number].points, less);
      if (expected[number].points == 0) expected[number] = {};
    }
    for (const std::uint32_t number : forgotten) expected[number] = {};
    stats.replace(changes.apply(stats));
    for (const auto& [number, one] : expected) ASSERT_EQ(stats.of(SeriesId{number}), one);
  }
}

class SeriesStatsTest : public testing::RollupStore {
 protected:
  SeriesStats stats(const std::string& metric) {
    const auto found = store.find(metric);
    return engine.store().series_stats(store.tenant(), found)->at(0);
  }
};

TEST_F(SeriesStatsTest, InTheHeadInRunsAndAfterARestart) {
  const auto pair = store.group({"a", "b"});
  ASSERT_TRUE(store.put(*pair, kStart, {Value::of_long(1), Value::of_double(0.1)}));
  ASSERT_TRUE(store.put(*pair, kStart + kHour, {Value::of_double(1.5), Value::of_long(1)}));
  ASSERT_TRUE(store.put(*pair, kStart + kHour, {Value::of_long(7), Value::of_double(2.5)}));  // again
  const SeriesStats expected{kStart, kStart + kHour, 2, kLongs | kDoubles};
  EXPECT_EQ(stats("a"), expected);
  EXPECT_EQ(stats("b"), expected);
  engine.restart();  // from the log
  EXPECT_EQ(stats("a"), expected);
  settle();
  EXPECT_EQ(stats("a").points, 2U);
  engine.restart();  // from the database
  EXPECT_EQ(stats("b").points, 2U);
  EXPECT_EQ(stats("b").first_ms, kStart);
  EXPECT_EQ(stats("b").last_ms, kStart + kHour);

  // Written over: twice there until it is merged.
  const auto again = store.group({"a", "b"});
  ASSERT_TRUE(store.put(*again, kStart, {Value::of_long(2), Value::of_long(2)}));
  ASSERT_TRUE(store.put(*again, kStart - kHour, {Value::of_long(2), Value::of_long(2)}));
  EXPECT_EQ(stats("a").points, 4U);
  settle();
  EXPECT_EQ(stats("a"), (SeriesStats{kStart - kHour, kStart + kHour, 3, kLongs}));  // the double never left the head
}

TEST_F(SeriesStatsTest, TextsAndOtherTenants) {
  const auto text = store.group({"s"});
  ASSERT_TRUE(store.put(*text, 1000, {Value::of_string("x")}));
  EXPECT_EQ(stats("s"), (SeriesStats{1000, 1000, 1, kStrings}));
  const auto found = store.find("s");
  const auto other = *engine.series().tenant("other");
  EXPECT_EQ(engine.store().series_stats(other, found)->at(0), SeriesStats{});
}

// Random samples in a store that spills and merges all the time, and dies in between: after settling, every count is
// that of a model.
TEST(SeriesStatsModel, AgreesWithSets) {
  Options options;
  options.log_bytes_max = 2000;
  options.runs_per_slot_max = 2;
  options.merge_quiet_ms = 0;
  testing::RocksdbEngine engine(options);
  storage::testing::Fixture store(engine);
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  std::map<std::string, std::set<model::Timestamp>> model;
  std::map<std::string, std::uint8_t> types;
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < 150; ++i) {
      const std::string host = "h" + std::to_string(below(30));
      const auto group = store.group({"x" + host, "y" + host}, {{"host", host}});
      const model::Timestamp time = below(10) * kHour + below(20) * kMinute;
      const bool longs = below(2) == 0;
      ASSERT_TRUE(store.put(*group, time, {longs ? Value::of_long(1) : Value::of_double(0.5), Value::of_double(1.5)}));
      model["x" + host].insert(time);
      model["y" + host].insert(time);
      types["x" + host] |= longs ? kLongs : kDoubles;
      types["y" + host] |= kDoubles;
    }
    if (round % 3 == 1) engine.restart();
    if (round % 2 == 1) {
      ASSERT_TRUE(engine.samples().settle());
    }
    for (const auto& [metric, times] : model) {
      const auto stats = engine.store().series_stats(store.tenant(), store.find(metric))->at(0);
      EXPECT_EQ(stats.first_ms, *times.begin());
      EXPECT_EQ(stats.last_ms, *times.rbegin());
      // A value may have been overwritten before it ever left the head.
      EXPECT_EQ(stats.types & ~types[metric], 0);
      EXPECT_GE(stats.points, times.size());
      if (round % 2 == 1) {
        EXPECT_EQ(stats.points, times.size()) << metric;
      }
    }
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
