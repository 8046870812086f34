// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/batch_scan.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>
#include <set>

#include "engine/cassandra/testing/group_rows.h"

namespace varve::engine::cassandra {
namespace {

using model::TimeRange;
using model::Timestamp;
using model::Value;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

const std::vector<std::int64_t> kScannedWidths{5 * kMinute, kHour};

struct Sum {
  std::uint64_t count = 0;
  double sum = 0, min = 1e300, max = -1e300;
  void add(std::uint64_t n, double s, double least, double most) {
    count += n;
    sum += s;
    min = std::min(min, least);
    max = std::max(max, most);
  }
  bool operator==(const Sum&) const = default;
};
using Sums = std::map<Timestamp, Sum>;

// Sums of windows `width_ms` wide, from samples, statistics and windows; and the order they come in.
class SumSink final : public storage::PieceSink {
 public:
  SumSink(std::int64_t width_ms, bool take_windows, bool extremes = true)
      : width_ms_(width_ms), windows_(take_windows), extremes_(extremes) {}
  bool takes_stats(const storage::ChunkStats& s) override { return start(s.first_time) == start(s.last_time); }
  void stats(const storage::ChunkStats& s) override {
    sums[s.series][start(s.first_time)].add(s.count, s.sum, s.min, s.max);
    came(s.series, s.first_time);
  }
  bool takes_windows(std::size_t, TimeRange range, std::int64_t width) override {
    EXPECT_FALSE(range.empty());
    return windows_ && width_ms_ % width == 0;
  }
  storage::WindowFields window_fields(std::size_t) const override { return {true, true, extremes_, extremes_}; }
  void window_columns(const storage::WindowColumns& w) override {
    for (std::size_t i = 0; i < w.size(); ++i) {
      const auto at = [i](std::span<const std::uint64_t> column) { return std::bit_cast<double>(column[i]); };
      sums[w.series][start(w.starts[i])].add(w.counts[i], at(w.sums), extremes_ ? at(w.mins) : 0,
                                             extremes_ ? at(w.maxs) : 0);
      came(w.series, w.starts[i]);
      ++windows;
    }
  }
  Status piece(const storage::Piece& piece) override {
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (piece.type == model::ValueType::string) {
        texts.insert({piece.times[i], std::string(piece.texts[i])});
        continue;
      }
      const double value = piece.type == model::ValueType::long_
                               ? static_cast<double>(static_cast<std::int64_t>(piece.bits[i]))
                               : std::bit_cast<double>(piece.bits[i]);
      sums[piece.series][start(piece.times[i])].add(1, value, value, value);
      came(piece.series, piece.times[i]);
      ++samples;
    }
    return {};
  }

  std::map<std::size_t, Sums> sums;
  std::set<std::pair<Timestamp, std::string>> texts;
  std::size_t windows = 0, samples = 0;
  bool in_order = true;

 private:
  [[nodiscard]] Timestamp start(Timestamp time) const { return model::window_start(time, width_ms_); }
  void came(std::size_t series, Timestamp time) {
    Timestamp& last = last_.try_emplace(series, model::kTimestampMin).first->second;
    in_order = in_order && start(time) >= last;
    last = start(time);
  }
  const std::int64_t width_ms_;
  const bool windows_, extremes_;
  std::map<std::size_t, Timestamp> last_;
};

class BatchScanTest : public testing::GroupRows {
 protected:
  BatchScanTest()
      : GroupRows({{5 * kMinute, 90 * kDay}, {kHour, rollup::kForEver}}, 30 * kDay),
        maker(rows, tables, reader, level_tables(tables, schema, kHour), schema, versions, clock) {
    clock.advance_ms(kStart + 6 * kDay - clock.now_ms());
    pending.rollup_blocks.resize(2);
  }
  const RollupBlockMaker maker;
  Pending pending;
  std::size_t bytes_at_once = 16 << 20;
  const GroupRef group = group_named('g', 34);
  const GroupRef other = group_named('a', 1);

  void make(const GroupRef& of, std::size_t level, Timestamp start,
            std::vector<RollupBlockWork::Elsewhere> elsewhere = {}) {
    const RollupBlockWork work{of, std::vector<rollup::Kind>(of.columns, rollup::Kind::gauge), start,
                               std::move(elsewhere)};
    ASSERT_TRUE(maker.make(level, {&work, 1}));
  }
  void scan(std::vector<Member> members, TimeRange range, SumSink& sink, bool merged = false) {
    storage::ScanOptions options;
    options.range = range;
    const TimeRanges active{{kStart - 30 * kDay, kStart + 30 * kDay}};
    const std::vector<rollup::Level> levels{{kScannedWidths[0], 90 * kDay}, {kScannedWidths[1], rollup::kForEver}};
    const ScanContext context{rows,   reader,  maker.levels(), kScannedWidths, levels,        pending,
                              active, options, sink,           clock.now_ms(), bytes_at_once, schema.raw_retention_ms};
    const Status status = BatchScan(context, std::move(members), merged).run();
    ASSERT_TRUE(status) << status.error().message;
  }
  [[nodiscard]] Member member(const GroupRef& of, std::vector<std::uint16_t> columns, std::size_t first_series) const {
    Member m{&of, columns[0] / kSeriesPerColumnShard, std::move(columns), {}, {}};
    for (std::size_t i = 0; i < m.columns.size(); ++i) {
      m.series.push_back(first_series + i);
      m.counter.push_back(false);
    }
    return m;
  }
};

TEST_F(BatchScanTest, ReadsWhatIsThereCoarsestFirst) {
  for (int hour = 0; hour < 72; ++hour) {
    put(group, {{kStart + hour * kHour, Value::of_long(hour)}, {kStart + hour * kHour + kMinute, Value::of_long(1)}});
    if (hour < 71) seal(group, kStart + hour * kHour);
  }
  for (int start = 0; start < 17; ++start) make(group, 0, kStart + start * 4 * kHour);
  make(group, 1, kStart);
  pending.slots = {kStart + 71 * kHour};
  pending.rollup_blocks = {{kStart + 68 * kHour}, {kStart + 48 * kHour}};
  Sums expected;
  for (int hour = 0; hour < 72; ++hour) {
    expected[kStart + hour * kHour].add(2, hour + 1, std::min(hour, 1), std::max(hour, 1));
  }
  SumSink sink(kHour, true);
  scan({member(group, {0, 31}, 0), member(group, {32, 33}, 2)}, {kStart, kStart + 72 * kHour}, sink);
  ASSERT_EQ(sink.sums.size(), 4U);
  for (const auto& [series, sums] : sink.sums) EXPECT_EQ(sums, expected) << series;
  EXPECT_EQ(sink.windows, 4U * (48 + 20));  // 48 hours; 20 hours in windows of five minutes, of which one has samples
  EXPECT_EQ(sink.samples, 4U * 2);          // the last hour is hot; the others have statistics
  EXPECT_TRUE(sink.in_order);
  SumSink only_samples(kHour, false);
  scan({member(group, {5}, 0)}, {kStart + 1, kStart + 3 * kHour}, only_samples);
  EXPECT_EQ(only_samples.windows, 0U);
  EXPECT_EQ(only_samples.sums[0].at(kStart).count, 1U);
  EXPECT_EQ(only_samples.sums[0].at(kStart + 2 * kHour).count, 2U);
}

// A late sample: its slot is pending, then sealed while the rollup block is stale, then all is made again.
TEST_F(BatchScanTest, TheSameAnswerAllTheWayOfALateSample) {
  for (int hour = 0; hour < 8; ++hour) {
    put(group, {{kStart + hour * kHour, Value::of_long(1)}});
    seal(group, kStart + hour * kHour);
  }
  make(group, 0, kStart);
  make(group, 0, kStart + 4 * kHour);
  make(group, 1, kStart);
  put(group, {{kStart + 5 * kHour + 1, Value::of_long(10)}});
  const auto check = [&](std::size_t windows, std::size_t samples) {
    SumSink sink(kHour, true);
    scan({member(group, {3}, 0)}, {kStart, kStart + 8 * kHour}, sink);
    EXPECT_EQ(sink.sums[0].at(kStart + 5 * kHour), (Sum{2, 11, 1, 10}));
    EXPECT_EQ(sink.sums[0].size(), 8U);
    EXPECT_EQ(sink.windows, windows);
    EXPECT_EQ(sink.samples, samples);
    EXPECT_TRUE(sink.in_order);
  };
  pending.slots = {kStart + 5 * kHour};
  check(7, 2);
  seal(group, kStart + 5 * kHour);
  pending.slots.clear();
  pending.rollup_blocks[0] = {kStart + 4 * kHour};
  check(4, 0);  // sealed rows have statistics
  make(group, 0, kStart + 4 * kHour);
  pending.rollup_blocks = {{}, {kStart}};
  check(8, 0);  // windows of five minutes
  make(group, 1, kStart);
  pending.rollup_blocks[1].clear();
  check(8, 0);
}

// Large slots are read a few at a time, as soon as it is known that they are large.
TEST_F(BatchScanTest, HoldsFewLargeSlots) {
  constexpr int kSlots = 400;
  const std::string text(8'000, 'x');
  for (int hour = -kSlots; hour < 0; ++hour) {
    put(other, {{kStart + hour * kHour, Value::of_string(text + std::to_string(hour))}});
    pending.slots.push_back(kStart + hour * kHour);
  }
  SumSink sink(kHour, false);
  std::size_t asked = 0, held_late = 0, held = 0;
  rows.before_read([&](const RowRead& read) -> Status {
    if (read.table->name != tables.raw.name) return {};
    ++asked;
    held = std::max(held, asked - sink.texts.size());
    if (sink.texts.size() >= 256) held_late = std::max(held_late, asked - sink.texts.size());
    return {};
  });
  bytes_at_once = 100'000;
  scan({member(other, {0}, 0)}, {kStart - kSlots * kHour, kStart}, sink);
  EXPECT_EQ(sink.texts.size(), static_cast<std::size_t>(kSlots));
  EXPECT_EQ(asked, static_cast<std::size_t>(kSlots));
  EXPECT_LE(held, 256U);
  EXPECT_LE(held_late, 100'000 / text.size());
  EXPECT_GT(held_late, 1U);
}

TEST_F(BatchScanTest, TextsAreReadAsSamples) {
  put(other,
      {{kStart, Value::of_string("up")}, {kStart + 1, Value::of_string("down")}, {kStart + 2, Value::of_long(3)}});
  put(other, {{kStart + kHour, Value::of_long(4)}});
  seal(other, kStart);
  seal(other, kStart + kHour);
  make(other, 0, kStart);
  SumSink sink(kHour, true);
  scan({member(other, {0}, 0)}, {kStart, kStart + 4 * kHour}, sink);
  EXPECT_EQ(sink.texts.size(), 2U);
  EXPECT_EQ(sink.sums[0].at(kStart), (Sum{1, 3, 3, 3}));
  EXPECT_EQ(sink.sums[0].at(kStart + kHour), (Sum{1, 4, 4, 4}));
  clock.advance_ms(60 * kDay);  // the samples are gone; what windows say of numbers is left
  SumSink later(kHour, true);
  scan({member(other, {0}, 0)}, {kStart, kStart + 4 * kHour}, later);
  EXPECT_EQ(later.texts.size(), 0U);
  EXPECT_EQ(later.sums[0], sink.sums[0]);
  EXPECT_EQ(later.windows, 2U);
}

TEST_F(BatchScanTest, ASeriesInTwoGroupsIsOne) {
  const std::vector<Member> places{member(group, {33}, 0), member(other, {0}, 0)};
  put(other, {{kStart, Value::of_long(1)}, {kStart + 1, Value::of_long(2)}});
  put(group, {{kStart + 1, Value::of_long(20)}, {kStart + 2, Value::of_long(30)}});
  put(other, {{kStart + 2, Value::of_long(3)}});
  pending.slots = {kStart};
  SumSink hot(kHour, true);
  scan(places, {kStart, kStart + kHour}, hot, true);
  EXPECT_EQ(hot.sums[0].at(kStart), (Sum{3, 24, 1, 20}));
  EXPECT_EQ(hot.samples, 3U);
  // What does not contradict itself says the same when it is sealed, and in windows.
  put(other, {{kStart + kHour, Value::of_long(7)}, {kStart + kHour + 1, Value::of_long(8)}});
  put(group, {{kStart + kHour + 1, Value::of_long(8)}, {kStart + kHour + 2, Value::of_long(9)}});
  seal(group, kStart + kHour);
  seal(other, kStart + kHour);
  make(other, 0, kStart);
  make(group, 0, kStart, {{33, other, 0}});
  for (const bool windows : {false, true}) {
    SumSink sink(kHour, windows);
    scan(places, {kStart + kHour, kStart + 2 * kHour}, sink, true);
    EXPECT_EQ(sink.sums[0].at(kStart + kHour), (Sum{3, 24, 7, 9}));
    EXPECT_EQ(sink.windows, windows ? 1U : 0U);
  }
}

// Whatever is sealed, made and pending: the answer is that of all samples.
TEST_F(BatchScanTest, LikeAModel) {
  std::mt19937 random(11);  // NOLINT(cert-msc51-cpp)
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  std::map<Timestamp, std::int64_t> model;
  std::set<Timestamp> slots;
  std::vector<std::set<Timestamp>> blocks(2);
  constexpr std::int64_t kHours = 100;
  for (int round = 0; round < 150; ++round) {
    std::vector<std::pair<Timestamp, Value>> samples;
    const Timestamp slot = kStart + below(kHours) * kHour;
    for (std::int64_t n = below(12); n > 0; --n) {
      const Timestamp time = slot + below(60) * kMinute;
      samples.emplace_back(time, Value::of_long(below(100)));
      model[time] = samples.back().second.as_long();
    }
    if (!samples.empty()) {
      put(group, samples);
      slots.insert(slot);
    }
    for (const Timestamp one : std::vector<Timestamp>(slots.begin(), slots.end())) {
      if (below(3) != 0) continue;
      seal(group, one);
      slots.erase(one);
      blocks[0].insert(model::window_start(one, 4 * kHour));
    }
    for (const std::size_t level : {0, 1}) {
      for (const Timestamp one : std::vector<Timestamp>(blocks[level].begin(), blocks[level].end())) {
        if (below(4) != 0) continue;
        make(group, level, one);
        blocks[level].erase(one);
        if (level == 0) blocks[1].insert(model::window_start(one, 48 * kHour));
      }
    }
    pending.slots.assign(slots.begin(), slots.end());
    for (const std::size_t level : {0, 1})
      pending.rollup_blocks[level].assign(blocks[level].begin(), blocks[level].end());
    const std::int64_t width = std::vector<std::int64_t>{5 * kMinute, 15 * kMinute, kHour, 6 * kHour}[random() % 4];
    const Timestamp first = kStart + below(kHours * 60) * kMinute;
    const TimeRange range{first, first + 1 + below(kHours * 60) * kMinute};
    Sums expected;
    for (auto at = model.lower_bound(range.first); at != model.end() && at->first < range.last; ++at) {
      const auto value = static_cast<double>(at->second);
      expected[model::window_start(at->first, width)].add(1, value, value, value);
    }
    SumSink sink(width, below(4) != 0);
    scan({member(group, {7}, 0), member(group, {33}, 1)}, range, sink);
    ASSERT_EQ(sink.sums[0], expected) << "round " << round;
    ASSERT_EQ(sink.sums[1], expected) << "round " << round;
    ASSERT_TRUE(sink.in_order) << "round " << round;
  }
}

}  // namespace
}  // namespace varve::engine::cassandra
