// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/series_merge.h"

#include <gtest/gtest.h>

#include "engine/shared/testing/rows.h"

namespace varve::engine::shared {
namespace {

using model::Value;
using testing::Rows;

std::vector<std::pair<model::Timestamp, Value>> winners(SeriesMerge& merge) {
  std::vector<model::Timestamp> times;
  chunk::Column column;
  merge.winners(times, column);
  std::vector<std::pair<model::Timestamp, Value>> out;
  for (std::size_t i = 0; i < times.size(); ++i) out.emplace_back(times[i], testing::value_at(column, i));
  return out;
}

using Cells = std::vector<std::pair<model::Timestamp, Value>>;
Value of(std::int64_t v) { return Value::of_long(v); }

TEST(SeriesMerge, arrival_decides_between_groups) {
  Rows early(RowForm::with_arrival, 1, 5, 1);
  Rows late(RowForm::with_arrival, 2, 9, 0);
  early.longs(10, {1});
  early.longs(20, {2});
  late.longs(10, {7, 8});
  SeriesMerge merge;
  merge.add_rows(late.bytes(), RowForm::with_arrival, 1, 1);
  merge.add_rows(early.bytes(), RowForm::with_arrival, 0, 1);
  EXPECT_EQ(winners(merge), (Cells{{10, of(8)}, {20, of(2)}}));
  merge.clear();
  EXPECT_TRUE(merge.empty());
}

TEST(SeriesMerge, of_plain_rows_the_later_one_in_the_higher_rank) {
  Rows first(RowForm::plain, 1, 0, 1);
  Rows second(RowForm::plain, 1, 0, 2);
  first.longs(10, {1});
  first.longs(20, {2});
  first.longs(20, {3});
  first.longs(20, {4});
  second.longs(10, {9});
  SeriesMerge merge;
  merge.add_rows(second.bytes(), RowForm::plain, 0, 8);
  merge.add_rows(first.bytes(), RowForm::plain, 0, 7);
  EXPECT_EQ(winners(merge), (Cells{{10, of(9)}, {20, of(4)}}));
}

TEST(SeriesMerge, a_chunk_of_lower_rank_gives_way_and_erased_cells_do_not_count) {
  const std::vector<model::Timestamp> times = {10, 20, 30};
  const std::vector<model::ValueType> types = {model::ValueType::long_, chunk::kErased, model::ValueType::string};
  const std::vector<std::uint64_t> bits = {1, 0, 0};
  const std::vector<std::string_view> texts = {"", "", "text"};
  const auto block = testing::block_of(times, {{chunk::Column::Form::typed, 0, {}, types, bits, texts}});
  Rows rows(RowForm::plain, 1);
  rows.longs(10, {5});
  SeriesMerge merge;
  merge.add_rows(rows.bytes(), RowForm::plain, 0, 2);
  ASSERT_TRUE(merge.add_chunk(*block, 0, 0, 1));
  EXPECT_EQ(winners(merge), (Cells{{10, of(5)}, {30, Value::of_string("text")}}));
}

TEST(SeriesMerge, what_is_in_a_range_and_alive) {
  const std::vector<model::Timestamp> times = {10, 20, 30, 40};
  const std::vector<std::int64_t> ints = {1, 2, 3, 4};
  const auto block = testing::block_of(times, {{chunk::Column::Form::longs, 0, ints, {}, {}, {}}});
  Rows rows(RowForm::plain, 1);
  for (const model::Timestamp time : {15, 25, 35}) rows.longs(time, {time});
  const std::vector<std::uint64_t> ranks = {9, 0, 9, 0};
  const auto merged = [&](model::TimeRange range, model::Timestamp from) {
    SeriesMerge merge;
    merge.clear(range);
    merge.live(0, from);
    EXPECT_TRUE(merge.add_chunk(*block, 0, 0, ranks));
    EXPECT_TRUE(merge.add_chunk(*block, 0, 0, 1));
    merge.add_rows(rows.bytes(), RowForm::plain, 0, 2);
    for (const auto& sample : merge.sorted()) EXPECT_EQ(sample.rank == 9, sample.time == 30 && sample.rank > 2);
    return winners(merge);
  };
  EXPECT_EQ(merged({20, 35}, model::kTimestampMin), (Cells{{20, of(2)}, {25, of(25)}, {30, of(3)}}));
  EXPECT_EQ(merged({20, 35}, 26), (Cells{{30, of(3)}}));
  EXPECT_EQ(merged({20, 35}, 50), Cells{});
}

}  // namespace
}  // namespace varve::engine::shared
