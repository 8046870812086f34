// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/gather.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "engine/shared/cells.h"
#include "engine/shared/testing/rows.h"

namespace varve::engine::shared {
namespace {

using model::Value;
using testing::Rows;

std::vector<std::pair<model::Timestamp, Value>> cells(const Gather& gather, std::size_t c) {
  std::vector<std::pair<model::Timestamp, Value>> out;
  for (std::size_t r = 0; r < gather.times().size(); ++r) {
    out.emplace_back(gather.times()[r], testing::value_at(gather.columns()[c], r));
  }
  return out;
}

// What holds of rows holds of both their forms.
class GatherRows : public ::testing::TestWithParam<RowForm> {};
INSTANTIATE_TEST_SUITE_P(Forms, GatherRows, ::testing::Values(RowForm::plain, RowForm::with_arrival));

TEST_P(GatherRows, nothing_was_added) {
  Gather gather;
  gather.clear();
  gather.add_rows({}, GetParam());
  EXPECT_TRUE(gather.empty());
  gather.finish();
  EXPECT_TRUE(gather.times().empty());
}

TEST_P(GatherRows, the_later_row_wins) {
  Rows rows(GetParam(), 1);
  rows.longs(20, {2});
  rows.longs(10, {1});
  rows.longs(20, {3});
  Gather gather;
  gather.clear();
  gather.add_rows(rows.bytes(), GetParam());
  EXPECT_EQ(gather.cells_gathered(0), 3U);
  gather.finish();
  ASSERT_EQ(gather.columns().size(), 1U);
  EXPECT_EQ(gather.columns()[0].form, chunk::Column::Form::longs);
  EXPECT_EQ(cells(gather, 0), (std::vector<std::pair<model::Timestamp, Value>>{{10, Value::of_long(std::int64_t{1})},
                                                                               {20, Value::of_long(std::int64_t{3})}}));
}

TEST_P(GatherRows, markers_and_values_replace_each_other) {
  Rows rows(GetParam(), 2);
  rows.longs(10, {1, 2});
  rows.longs(20, {3, 4});
  rows.markers(10);
  rows.markers(30);
  rows.longs(30, {5, 6});
  rows.markers(40);
  Gather gather;
  gather.clear();
  gather.add_rows(rows.bytes(), GetParam());
  EXPECT_EQ(gather.cells_gathered(1), 3U);
  gather.finish();
  const std::vector<std::pair<model::Timestamp, Value>> want = {
      {10, Value::of_stale_marker()}, {20, Value::of_long(4)}, {30, Value::of_long(6)}, {40, Value::of_stale_marker()}};
  EXPECT_EQ(cells(gather, 1), want);
  EXPECT_EQ(cells_in(gather.columns()[1], 4), 2U);
  EXPECT_EQ(stats_of(gather.times(), gather.columns()[1]),
            (storage::SeriesStats{20, 30, 2, storage::SeriesStats::bit_of(model::ValueType::long_)}));
  // The same by way of a chunk, which is written over in part.
  const auto block = testing::block_of(gather.times(), {gather.columns().begin(), gather.columns().end()});
  Rows later(GetParam(), 2);
  later.markers(20);
  later.longs(40, {7, 8});
  Gather again;
  again.clear();
  ASSERT_TRUE(again.add_chunk(*block, 0));
  EXPECT_EQ(again.cells_gathered(1), 2U);
  again.add_rows(later.bytes(), GetParam());
  EXPECT_EQ(again.cells_gathered(1), 3U);
  again.finish();
  EXPECT_EQ(cells(again, 1), (std::vector<std::pair<model::Timestamp, Value>>{{10, Value::of_stale_marker()},
                                                                              {20, Value::of_stale_marker()},
                                                                              {30, Value::of_long(6)},
                                                                              {40, Value::of_long(8)}}));
}

TEST_P(GatherRows, decimals_share_their_exponent) {
  Rows rows(GetParam(), 2);
  rows.decimals(10, {15, 2}, 1);
  rows.decimals(20, {1234, -1}, 3);
  Gather gather;
  gather.clear();
  gather.add_rows(rows.bytes(), GetParam());
  gather.finish();
  EXPECT_EQ(gather.columns()[0].form, chunk::Column::Form::decimals);
  EXPECT_EQ(gather.columns()[0].decimals, 3U);
  EXPECT_EQ(std::vector(gather.columns()[0].ints.begin(), gather.columns()[0].ints.end()),
            (std::vector<std::int64_t>{1500, 1234}));
  EXPECT_EQ(std::vector(gather.columns()[1].ints.begin(), gather.columns()[1].ints.end()),
            (std::vector<std::int64_t>{200, -1}));
}

TEST_P(GatherRows, named_columns_of_wide_values) {
  Rows rows(GetParam(), 3);
  rows.longs(10, {1, 1'000'000, std::int64_t{1} << 40});
  rows.longs(20, {1, 2, 3});
  const std::vector<std::uint16_t> only = {2, 0};
  Gather gather;
  gather.clear(only);
  gather.add_rows(rows.bytes(), GetParam());
  gather.finish();
  ASSERT_EQ(gather.columns().size(), 2U);
  EXPECT_EQ(cells(gather, 0)[0].second, Value::of_long(std::int64_t{1} << 40));
  EXPECT_EQ(cells(gather, 0)[1].second, Value::of_long(std::int64_t{3}));
  EXPECT_EQ(cells(gather, 1)[0].second, Value::of_long(std::int64_t{1}));
}

TEST_P(GatherRows, types_mixed_and_a_patch_over_them) {
  Rows rows(GetParam(), 1);
  rows.longs(10, {1});
  rows.decimals(20, {25}, 1);
  rows.value(30, Value::of_string("text"));
  Gather gather;
  gather.clear();
  gather.add_rows(rows.bytes(), GetParam());
  const Gather::Patch patch{10, 0, Value::of_double(7.5)};
  gather.finish({&patch, 1});
  EXPECT_EQ(cells(gather, 0),
            (std::vector<std::pair<model::Timestamp, Value>>{
                {10, Value::of_double(7.5)}, {20, Value::of_double(2.5)}, {30, Value::of_string("text")}}));
}

TEST_P(GatherRows, rows_over_a_chunk) {
  Rows rows(GetParam(), 1);
  rows.longs(20, {20});
  const std::vector<model::Timestamp> times = {10, 20};
  const std::vector<std::int64_t> ints = {1, 2};
  const auto block = testing::block_of(times, {{chunk::Column::Form::longs, 0, ints, {}, {}, {}}});
  Gather gather;
  gather.clear();
  ASSERT_TRUE(gather.add_chunk(*block, 0));
  gather.add_rows(rows.bytes(), GetParam());
  EXPECT_EQ(gather.cells_gathered(0), 3U);
  gather.finish();
  EXPECT_EQ(cells(gather, 0), (std::vector<std::pair<model::Timestamp, Value>>{
                                  {10, Value::of_long(std::int64_t{1})}, {20, Value::of_long(std::int64_t{20})}}));
}

TEST_P(GatherRows, what_is_in_a_range) {
  Rows rows(GetParam(), 1);
  for (const model::Timestamp time : {5, 15, 20, 40}) rows.longs(time, {-time});
  const std::vector<model::Timestamp> times = {10, 20, 30, 40};
  const std::vector<std::int64_t> ints = {1, 2, 3, 4};
  const auto block = testing::block_of(times, {{chunk::Column::Form::longs, 0, ints, {}, {}, {}}});
  Gather gather;
  gather.clear({}, {15, 40});
  ASSERT_TRUE(gather.add_chunk(*block, 0));
  gather.add_rows(rows.bytes(), GetParam());
  EXPECT_EQ(gather.cells_gathered(0), 4U);
  gather.finish();
  const auto of = [](std::int64_t v) { return Value::of_long(v); };
  EXPECT_EQ(cells(gather, 0),
            (std::vector<std::pair<model::Timestamp, Value>>{{15, of(-15)}, {20, of(-20)}, {30, of(3)}}));
  gather.clear({}, {41, 100});
  ASSERT_TRUE(gather.add_chunk(*block, 0));
  gather.add_rows(rows.bytes(), GetParam());
  EXPECT_TRUE(gather.empty());
  gather.clear();
  ASSERT_TRUE(gather.add_chunk(*block, 0));
  gather.finish();
  EXPECT_EQ(gather.times().size(), 4U) << "the range is that of one use";
}

TEST_P(GatherRows, as_a_map_would_have_it) {
  std::mt19937_64 random(7);
  Gather gather;
  for (int round = 0; round < 200; ++round) {
    const unsigned kinds = 1 + round % 3;  // longs; longs and decimals; and doubles as they are
    std::map<model::Timestamp, Value> last;
    std::deque<Rows> pieces;
    for (int piece = 0; piece < 3; ++piece) {
      auto& rows = pieces.emplace_back(GetParam(), 1);
      for (std::uint64_t i = random() % 8; i > 0; --i) {
        const auto time = static_cast<model::Timestamp>(random() % 16);
        const auto n = static_cast<std::int64_t>(random() >> (random() % 64)) / 4;
        switch (random() % kinds) {
          case 0: rows.longs(time, {n}), last[time] = Value::of_long(n); break;
          case 1:
            rows.decimals(time, {n % 1000}, 2), last[time] = Value::of_double(static_cast<double>(n % 1000) / 100);
            break;
          default: rows.value(time, Value::of_double(1.0 / 3)), last[time] = Value::of_double(1.0 / 3);
        }
      }
    }
    gather.clear();
    for (const Rows& rows : pieces) gather.add_rows(rows.bytes(), GetParam());
    gather.finish();
    const std::vector<std::pair<model::Timestamp, Value>> expected(last.begin(), last.end());
    if (expected.empty()) continue;
    ASSERT_EQ(cells(gather, 0), expected) << round;
  }
}

// Chunks and rows that follow one another, overlap or lie within each other: of equal times the later one.
class GatherPieces : public ::testing::TestWithParam<RowForm> {
 protected:
  void add_piece(bool rows, bool texts) {
    std::vector<model::Timestamp> times;
    std::vector<Value> values;
    auto time = static_cast<model::Timestamp>(random_() % 64);
    for (std::uint64_t i = 1 + random_() % 24; i > 0; --i, time += 1 + static_cast<model::Timestamp>(random_() % 3)) {
      times.push_back(time);
      const bool text = texts && random_() % 2 == 0;
      values.push_back(text ? Value::of_string(kTexts[random_() % 3]) : Value::of_long(std::int64_t{++number_}));
      last_[time] = values.back();
    }
    rows ? add_rows(times, values) : add_chunk(times, values, texts);
  }
  void check() {
    gather_.finish();
    EXPECT_EQ(cells(gather_, 0), (std::vector<std::pair<model::Timestamp, Value>>(last_.begin(), last_.end())));
    gather_.clear();
    last_.clear();
    blocks_.clear();
    rows_.clear();
  }
  Gather gather_;
  std::mt19937_64 random_{8};

 private:
  static constexpr const char* kTexts[] = {"", "a", "longer than the others"};

  void add_rows(const std::vector<model::Timestamp>& times, const std::vector<Value>& values) {
    auto& rows = rows_.emplace_back(GetParam(), 1);
    for (std::size_t i = 0; i < times.size(); ++i) rows.value(times[i], values[i]);
    gather_.add_rows(rows.bytes(), GetParam());
  }
  void add_chunk(const std::vector<model::Timestamp>& times, const std::vector<Value>& values, bool texts) {
    std::vector<std::int64_t> ints;
    std::vector<model::ValueType> types;
    std::vector<std::uint64_t> bits;
    std::vector<std::string_view> strings;
    for (const Value& value : values) {
      ints.push_back(static_cast<std::int64_t>(value.bits));
      types.push_back(value.type);
      bits.push_back(value.bits);
      strings.push_back(value.text);
    }
    const chunk::Column longs{chunk::Column::Form::longs, 0, ints, {}, {}, {}};
    const chunk::Column typed{chunk::Column::Form::typed, 0, {}, types, bits, strings};
    blocks_.push_back(testing::block_of(times, {texts ? typed : longs}));
    ASSERT_TRUE(gather_.add_chunk(*blocks_.back(), 0));
  }

  std::int64_t number_ = 0;
  std::map<model::Timestamp, Value> last_;
  std::deque<std::shared_ptr<const chunk::Block>> blocks_;
  std::deque<Rows> rows_;
};
INSTANTIATE_TEST_SUITE_P(Forms, GatherPieces, ::testing::Values(RowForm::plain, RowForm::with_arrival));

TEST_P(GatherPieces, as_a_map_would_have_them) {
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const bool only_chunks = round % 2 == 0;
    const bool only_longs = round % 4 < 2;
    for (int piece = 0; piece < 1 + round % 5; ++piece) {
      const bool rows = !only_chunks && random_() % 2 == 0;
      add_piece(rows, !only_longs && random_() % 2 == 0);
    }
    check();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace varve::engine::shared
