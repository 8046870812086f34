// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/cell_eraser.h"

#include <gtest/gtest.h>

#include "engine/shared/cells.h"
#include "engine/shared/testing/rows.h"

namespace varve::engine::shared {
namespace {

using chunk::Column;
using model::Value;
using model::ValueType;

const std::vector<model::Timestamp> kTimes = {10, 20, 30};
const std::vector<std::int64_t> kInts = {1, 2, 3};
const Column kLongs{Column::Form::longs, 0, kInts, {}, {}, {}};
const Column kDecimals{Column::Form::decimals, 1, kInts, {}, {}, {}};

TEST(CellEraser, a_row_without_any_value_goes) {
  CellEraser eraser;
  const std::vector<Column> columns = {kLongs, kDecimals};
  const std::vector<std::uint16_t> both = {0, 1};
  eraser.erase_cells(kTimes, columns, both, {20, 30});
  EXPECT_EQ(eraser.erased(), 2U);
  EXPECT_EQ(std::vector(eraser.times().begin(), eraser.times().end()), (std::vector<model::Timestamp>{10, 30}));
  EXPECT_EQ(eraser.columns()[0].form, Column::Form::longs);
  EXPECT_EQ(eraser.columns()[1].form, Column::Form::decimals);
  EXPECT_EQ(testing::value_at(eraser.columns()[0], 1), Value::of_long(3));
  EXPECT_EQ(testing::value_at(eraser.columns()[1], 1), Value::of_double(0.3));
  eraser.erase_cells(kTimes, columns, both, {0, 100});
  EXPECT_TRUE(eraser.empty());
}

TEST(CellEraser, beside_others_a_cell_is_erased_alone) {
  CellEraser eraser;
  const std::vector<Column> columns = {kLongs, kDecimals, kDecimals};
  const std::vector<std::uint16_t> erased = {0, 2};
  eraser.erase_cells(kTimes, columns, erased, {15, 25});
  EXPECT_EQ(eraser.erased(), 2U);
  ASSERT_EQ(eraser.times().size(), 3U);
  for (const std::size_t c : erased) {
    EXPECT_EQ(eraser.columns()[c].types[1], chunk::kErased);
    EXPECT_EQ(cells_in(eraser.columns()[c], 3), 2U);
  }
  EXPECT_EQ(types_in(eraser.columns()[0]), storage::SeriesStats::bit_of(ValueType::long_));
  EXPECT_EQ(types_in(eraser.columns()[2]), storage::SeriesStats::bit_of(ValueType::double_));
  EXPECT_EQ(testing::value_at(eraser.columns()[2], 2), Value::of_double(0.3));
  EXPECT_EQ(testing::value_at(eraser.columns()[1], 1), Value::of_double(0.2)) << "it stays as it was";
  EXPECT_EQ(cells_in(eraser.columns()[1], 3), 3U);
  // What was erased once is not there the second time, and with the last value its row goes.
  const std::vector<Column> left(eraser.columns().begin(), eraser.columns().end());
  const std::vector<std::uint16_t> all = {0, 1, 2};
  CellEraser again;
  again.erase_cells(kTimes, left, all, {15, 25});
  EXPECT_EQ(again.erased(), 1U);
  EXPECT_EQ(again.times().size(), 2U);
}

TEST(CellEraser, whole_rows) {
  CellEraser eraser;
  eraser.erase_rows(kTimes, std::vector<Column>{kLongs, kLongs}, [](model::Timestamp time) { return time != 20; });
  EXPECT_EQ(eraser.erased(), 4U);
  ASSERT_EQ(eraser.times().size(), 1U);
  EXPECT_EQ(testing::value_at(eraser.columns()[0], 0), Value::of_long(2));
}

// Its row stays, and it goes like a value; but it is none, and is not counted.
TEST(CellEraser, markers) {
  const std::vector<model::ValueType> types = {model::ValueType::stale_marker, model::ValueType::long_,
                                               model::ValueType::stale_marker};
  const std::vector<std::uint64_t> bits = {0, 5, 0};
  const Column marked{Column::Form::typed, 0, {}, types, bits, {}};
  CellEraser eraser;
  eraser.erase_cells(kTimes, std::vector<Column>{marked, kLongs}, std::vector<std::uint16_t>{1}, {0, 100});
  EXPECT_EQ(eraser.erased(), 3U);
  EXPECT_EQ(eraser.times().size(), 3U);
  EXPECT_EQ(cells_in(eraser.columns()[0], 3), 1U);
  eraser.erase_cells(kTimes, std::vector<Column>{marked}, std::vector<std::uint16_t>{0}, {0, 100});
  EXPECT_EQ(eraser.erased(), 1U);
  EXPECT_TRUE(eraser.empty());
}

}  // namespace
}  // namespace varve::engine::shared
