// SPDX-License-Identifier: Apache-2.0
#include "chunk/block.h"

#include <limits>
#include <random>
#include <thread>

#include "chunk/format.h"
#include "chunk/round_trip.h"
#include "chunk/sample_data.h"

namespace varve::chunk {
namespace {

using model::Value;
using model::ValueType;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

const Value kNone{kErased, 0, {}};

OwnGroup one(OwnColumn column, std::size_t rows) { return {7, steady_times(rows), {std::move(column)}}; }

TEST(Block, KeepsEdgesOfEachType) {
  const std::vector<OwnGroup> cases = {
      one(longs({0}), 1),
      one(longs({kMin}), 1),
      one(longs({kMax, kMin}), 2),
      one(longs({kMin, kMax, kMin, 0, -1, 1, kMax}), 7),
      one(longs({5, 5, 5, 5, 5}), 5),
      one(longs({-1'000'000, -999'000, -998'000, -997'000}), 4),
      one(decimals(15, {(1LL << 53) - 1, -(1LL << 53) + 1, 0, 1}), 4),
      one(decimals(0, {3, 1, 2}), 3),
      one(doubles({0.0, -0.0, kInf, -kInf, kNan, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308}), 9),
      one(doubles({std::bit_cast<double>(0x7ff8000000000001), std::bit_cast<double>(0xfff0000000000001),
                   std::bit_cast<double>(0x7ff7ffffffffffff), std::bit_cast<double>(~0ULL)}),
          4),
      one(doubles({0.1 + 0.2}), 1),
      one(doubles({9007199254740993.0, 58.131713230497617, 1e-10, 3.141592653589793, 1e22, 1e23}), 6),
      one(strings({""}), 1),
      one(strings({"", "a", std::string("\0\xff\x80", 3), "a", std::string(100'000, 'x'), ""}), 6),
      one(typed({Value::of_long(kMin), Value::of_double(-0.0), Value::of_string(""), Value::of_long(kMax),
                 Value::of_string("text"), Value::of_double(kNan)}),
          6),
      one(typed({Value::of_long(1), Value::of_double(1)}), 2),
      one(typed({Value::of_long(1), Value::of_long(2)}), 2),
      one(typed({Value::of_double(1), Value::of_string("on"), Value::of_string("off")}), 3),
      one(typed({kNone}), 1),
      one(typed({kNone, kNone, kNone}), 3),
      one(typed({Value::of_long(1), kNone, Value::of_long(3)}), 3),
      one(typed({kNone, Value::of_double(0.1), Value::of_string("a"), kNone, Value::of_long(2), kNone}), 6),
      one(typed({kNone, Value::of_string("")}), 2),
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    expect_round_trip({cases[i]});
  }
}

TEST(Block, KeepsManyGroupsAndColumns) {
  std::vector<OwnGroup> groups;
  for (std::uint32_t g = 0; g < 40; ++g) {
    OwnGroup group{g * g + (g == 39 ? 0xf0000000U : 0U), steady_times(20, 1'000'000 + (g / 5) * 13), {}};
    for (std::int64_t c = 0; c < 130; ++c) {
      std::vector<std::int64_t> values(20);
      for (std::size_t r = 0; r < 20; ++r) values[r] = c * 1000 + static_cast<std::int64_t>(r * r * g) % (c + 1);
      group.columns.push_back(c % 3 == 0 ? longs(values) : decimals(static_cast<unsigned>(c % 16), values));
    }
    groups.push_back(std::move(group));
  }
  const auto bytes = expect_round_trip(groups);
  const auto block = reopen(bytes);
  EXPECT_EQ(block->find(model::GroupId{2}), block->groups());
  EXPECT_EQ(block->find(model::kNoGroup), block->groups());
}

TEST(Block, BuilderIsReusable) {
  BlockBuilder builder;
  EXPECT_TRUE(builder.empty());
  const std::vector<OwnGroup> first = {one(longs({1, 2, 3, 40}), 4)};
  const std::vector<OwnGroup> second = {
      {3, steady_times(4), {decimals(2, {1, 2, 3, 4}), strings({"a", "b", "", "c"})}}};
  const auto a = seal(builder, first);
  EXPECT_TRUE(builder.empty());
  EXPECT_EQ(builder.raw_bytes(), 0U);
  expect_block(first, *reopen(a));
  const auto b = seal(builder, second);
  expect_block(second, *reopen(b));
  EXPECT_EQ(seal(builder, first), a);  // nothing of a block depends on the one before
  const std::vector<OwnGroup> third = {long_group(3, 9000)};
  const auto c = seal(builder, third);
  expect_block(third, *reopen(c));
  EXPECT_EQ(seal(builder, second), b);
  EXPECT_EQ(seal(builder, third), c);
}

TEST(Block, WithoutGroupsIsEmpty) {
  BlockBuilder builder;
  const auto block = reopen(seal(builder, {}));
  EXPECT_EQ(block->groups(), 0U);
  EXPECT_EQ(block->find(model::GroupId{0}), 0U);
}

// A damaged block may have another number of columns than its reader knows of the group.
TEST(Block, AColumnTooManyIsAnError) {
  BlockBuilder builder;
  const auto block = reopen(seal(builder, {one(longs({1, 2}), 2)}));
  DecodedColumn column;
  EXPECT_TRUE(block->column(0, 0, column));
  EXPECT_EQ(block->column(0, 1, column).error().code, Code::corrupt);
  EXPECT_FALSE(block->stats(0, 1).numeric);
  EXPECT_FALSE(block->stats(0, 1).uniform);
}

TEST(Block, StatsOfNumbers) {
  struct Case {
    OwnColumn column;
    Stats expected;
  };
  const Case cases[] = {
      {longs({4, -2, 7, 7}), {true, ValueType::long_, true, -2, 7, 16}},
      {longs({9, 9, 9, 9}), {true, ValueType::long_, true, 9, 9, 36}},
      {longs({kMin, kMax, kMin, kMax}), {true, ValueType::long_, true, -0x1p63, 0x1p63, -2}},
      {decimals(2, {125, -250, 0, 1}), {true, ValueType::double_, true, -2.5, 1.25, -1.24}},
      {doubles({1.5, 2.5, -4, 1e300}), {true, ValueType::double_, true, -4, 1e300, 1e300}},
      {doubles({0.25, 0.5, 0.125, 1}), {true, ValueType::double_, true, 0.125, 1, 1.875}},
      {doubles({1, kNan, 2, 3}), {false, ValueType::double_, true, 0, 0, 0}},
      {doubles({1.1, kInf, 2, 1e-300}), {false, ValueType::double_, true, 0, 0, 0}},
      {strings({"", "", "b", "c"}), {false, ValueType::string, true, 0, 0, 0}},
  };
  for (const Case& c : cases) {
    const auto block = reopen(seal({one(c.column, 4)}));
    const Stats stats = block->stats(0, 0);
    EXPECT_EQ(stats.numeric, c.expected.numeric);
    EXPECT_EQ(stats.uniform, c.expected.uniform);
    EXPECT_EQ(stats.type, c.expected.type);
    EXPECT_EQ(stats.min, c.expected.min);
    EXPECT_EQ(stats.max, c.expected.max);
    EXPECT_EQ(stats.sum, c.expected.sum);
  }
  const auto histograms = reopen(seal({one(typed({Value::of_histogram("a"), Value::of_histogram("a")}), 2)}));
  EXPECT_FALSE(histograms->stats(0, 0).numeric);
  const auto mixed = reopen(seal({one(typed({Value::of_long(1), Value::of_double(2)}), 2)}));
  EXPECT_FALSE(mixed->stats(0, 0).uniform);
  EXPECT_FALSE(mixed->stats(0, 0).numeric);
  const auto erased = reopen(seal({one(typed({kNone, Value::of_long(2)}), 2), {8, steady_times(1), {typed({kNone})}}}));
  EXPECT_FALSE(erased->stats(0, 0).uniform);
  EXPECT_FALSE(erased->stats(0, 0).numeric);
  EXPECT_FALSE(erased->stats(1, 0).uniform);
}

// One random column of a random shape, so that each plan, form and class is met.
OwnColumn random_column(std::mt19937_64& random, std::size_t rows) {
  const auto below = [&random](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const auto unit = std::int64_t{1} << below(20);
  const auto spread = std::uint64_t{1} << below(40);
  const auto shape = below(6);
  std::vector<std::int64_t> ints(rows);
  std::int64_t value = below(1 << 30);
  for (std::int64_t& v : ints) {
    const std::int64_t noise = below(spread) - static_cast<std::int64_t>(spread / 2);
    if (shape == 0) value += noise;
    if (shape == 1) value = noise;
    if (shape == 2) value += below(50) == 0 ? noise : 0;
    if (shape == 3) value = below(20) == 0 ? noise : 5;
    if (shape == 4) value += 1'000'000 + noise % 8;
    if (shape == 5) value = static_cast<std::int64_t>(random());
    v = shape == 5 ? value : value * unit;
  }
  const auto kind = below(6);
  if (kind <= 1) return longs(ints);
  if (kind == 2 && shape != 5) {
    for (std::int64_t& v : ints) v %= std::int64_t{1} << 53;
    return decimals(static_cast<unsigned>(below(16)), ints);
  }
  std::vector<Value> values(rows);
  static const std::string kTexts[] = {"", "up", "down", std::string("\0", 1), "a longer text to be kept"};
  for (std::size_t r = 0; r < rows; ++r) {
    const auto number = static_cast<double>(ints[r]);
    const auto type = kind == 5 ? below(3) : kind == 4 && below(100) == 0 ? 3 : 1;
    if (type == 0) values[r] = Value::of_long(ints[r]);
    if (type == 1) values[r] = Value::of_double(shape == 5 ? std::bit_cast<double>(ints[r]) : number / 1000);
    if (type == 2) values[r] = Value::of_string(kTexts[below(5)]);
    if (type == 3) values[r] = Value::of_double(below(2) == 0 ? -0.0 : std::bit_cast<double>(random()));
  }
  return typed(values);
}

std::vector<model::Timestamp> random_times(std::mt19937_64& random, std::size_t rows) {
  const auto below = [&random](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const auto shape = below(5);
  std::vector<model::Timestamp> times(rows);
  model::Timestamp grid = below(1ULL << 54) - (std::int64_t{1} << 53);
  const std::int64_t step = 100 + below(100'000);
  for (model::Timestamp& t : times) {
    grid += shape == 2 && below(30) == 0 ? step * (1 + below(9)) : shape == 3 ? 1 + below(1'000'000) : step;
    t = grid + (shape == 1 || shape == 2 ? below(90) : 0);
    if (shape == 4) t = grid += below(2);
  }
  return times;
}

TEST(Block, KeepsRandomColumns) {
  std::mt19937_64 random(20260101);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::vector<OwnGroup> groups(1 + random() % 4);
    std::uint32_t id = 0;
    for (OwnGroup& group : groups) {
      group.id = id += 1 + static_cast<std::uint32_t>(random() % 1000);
      const std::size_t rows = 1 + random() % (random() % 4 == 0 ? 900 : 20);
      group.times = random_times(random, rows);
      if (random() % 3 == 0 && &group != &groups[0]) group.times = groups[0].times;
      for (std::size_t c = 0; c < 1 + random() % 5; ++c) {
        group.columns.push_back(random_column(random, group.times.size()));
      }
    }
    expect_round_trip(groups);
    if (HasFatalFailure()) return;
  }
}

// Who wants one column need not decompress all of them.
TEST(Block, LongColumnsAreDecompressedApart) {
  const std::vector<OwnGroup> groups = {long_group(1, 9000), long_group(2, 9000)};
  const auto bytes = expect_round_trip(groups);
  EXPECT_EQ(bytes[kCheckedFrom], std::byte{kVersionWithSplits});
  const auto block = reopen(bytes);
  const std::size_t closed = block->memory_bytes();
  DecodedColumn column;
  ASSERT_TRUE(block->column(1, 0, {4000, 10}, column));
  const std::size_t of_one = block->memory_bytes() - closed;
  EXPECT_GT(of_one, 4000U);
  EXPECT_LT(of_one, 16'000U);
  ASSERT_TRUE(block->column(1, 0, column));
  EXPECT_EQ(block->memory_bytes() - closed, of_one);
  for (std::size_t c = 0; c < block->columns(1); ++c) ASSERT_TRUE(block->column(1, c, column));
  EXPECT_GT(block->memory_bytes() - closed, 3 * of_one);
}

TEST(Block, ShortColumnsShareTheirCodes) {
  std::vector<OwnGroup> groups;
  for (std::uint32_t id = 1; id <= 25; ++id) groups.push_back(long_group(id, 360));
  EXPECT_LE(expect_round_trip(groups)[kCheckedFrom], std::byte{kVersionWithRice});
}

// As many rows as a day has, so that ranges begin behind much that is skipped.
TEST(Block, KeepsRangesOfLongColumns) {
  std::mt19937_64 random(20261127);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    OwnGroup group{1, random_times(random, 2000 + random() % 3000), {}};
    for (std::size_t c = 0; c < 4; ++c) group.columns.push_back(random_column(random, group.times.size()));
    expect_round_trip({group});
    if (HasFatalFailure()) return;
  }
}

TEST(Block, StatsMatchTheValues) {
  std::mt19937_64 random(7);
  std::size_t numeric = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t rows = 1 + random() % 200;
    const auto block = reopen(seal({one(random_column(random, rows), rows)}));
    const Stats stats = block->stats(0, 0);
    DecodedColumn column;
    ASSERT_TRUE(block->column(0, 0, column));
    ASSERT_EQ(stats.uniform, column.uniform);
    if (!stats.numeric) continue;
    ++numeric;
    ASSERT_EQ(stats.type, column.type);
    double min = kInf, max = -kInf, sum = 0, size = 0;
    for (const std::uint64_t bits : column.bits) {
      const bool is_long = column.type == ValueType::long_;
      const double v = is_long ? static_cast<double>(static_cast<std::int64_t>(bits)) : std::bit_cast<double>(bits);
      min = std::min(min, v);
      max = std::max(max, v);
      sum += v;
      size += std::fabs(v);
    }
    ASSERT_EQ(stats.min, min);
    ASSERT_EQ(stats.max, max);
    ASSERT_LE(std::fabs(stats.sum - sum), size * 1e-12);
  }
  EXPECT_GT(numeric, 100U);
}

TEST(Block, EqualTimesCostOneByte) {
  const auto size = [](std::uint32_t groups) {
    std::vector<OwnGroup> all;
    for (std::uint32_t g = 0; g < groups; ++g) {
      OwnGroup group{g, steady_times(60), {longs(std::vector<std::int64_t>(60, 5))}};
      for (std::size_t i = 0; i < 60; ++i) group.times[i] += static_cast<std::int64_t>(i * i * 7919 % 1000);
      all.push_back(std::move(group));
    }
    return expect_round_trip(all).size();
  };
  // Group, columns, times; form, head, value, base, list: eight bytes for a group of one constant column.
  EXPECT_LE(size(11) - size(1), 10 * 8U);
}

TEST(Block, SizesOfTheDataSets) {
  struct Case {
    DataSet set;
    double most;  // bytes a sample
  };
  for (const Case c : {Case{DataSet::ints, 0.31}, {DataSet::decimals, 1.19}, {DataSet::mix, 0.75}}) {
    DataMaker maker(c.set, 30);
    BlockBuilder builder;
    std::size_t bytes = 0;
    std::size_t samples = 0;
    for (std::uint32_t h = 0; h < 30; ++h) {
      const HostData host = maker.hour(h, 0);
      std::vector<Column> columns(DataMaker::kFields);
      for (std::size_t f = 0; f < columns.size(); ++f) {
        columns[f].form = host.decimals[f] != 0 ? Column::Form::decimals : Column::Form::longs;
        columns[f].decimals = host.decimals[f];
        columns[f].ints = host.ints[f];
      }
      builder.add({model::GroupId{h}, host.times, columns});
      samples += host.times.size() * columns.size();
      if (builder.raw_bytes() >= kBlockBytesTarget) bytes += builder.finish().size();
    }
    bytes += builder.finish().size();
    EXPECT_LE(static_cast<double>(bytes) / static_cast<double>(samples), c.most) << static_cast<int>(c.set);
  }
}

TEST(Block, IsReadByManyThreads) {
  std::mt19937_64 random(3);
  std::vector<OwnGroup> groups(8);
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    groups[g].id = g;
    groups[g].times = random_times(random, 300);
    for (int c = 0; c < 8; ++c) groups[g].columns.push_back(random_column(random, 300));
  }
  const auto block = reopen(seal(groups));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&] { expect_block(groups, *block); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace varve::chunk
