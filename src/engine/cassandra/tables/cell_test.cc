// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/cell.h"

#include <gtest/gtest.h>

#include <limits>

namespace varve::engine::cassandra {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

template <class T>
constexpr T kMin = std::numeric_limits<T>::min();

TEST(Cell, NumbersAreBigEndian) {
  EXPECT_EQ(smallint_cell(-2), "\xff\xfe"s);
  EXPECT_EQ(integer_cell(258), "\0\0\1\2"s);
  EXPECT_EQ(bigint_cell(-1), std::string(8, '\xff'));
  EXPECT_EQ(timestamp_cell(1), "\0\0\0\0\0\0\0\1"s);
}

TEST(Cell, NumbersComeBack) {
  for (const std::int16_t n : {kMin<std::int16_t>, std::int16_t{0}, std::int16_t{300}})
    EXPECT_EQ(smallint_of(smallint_cell(n)), n);
  for (const std::int32_t n : {kMin<std::int32_t>, 0, 70'000}) EXPECT_EQ(integer_of(integer_cell(n)), n);
  for (const std::int64_t n : {kMin<std::int64_t>, std::int64_t{0}, std::int64_t{1} << 40}) {
    EXPECT_EQ(bigint_of(bigint_cell(n)), n);
    EXPECT_EQ(timestamp_of(timestamp_cell(n)), n);
  }
}

TEST(Cell, NumbersOfAnotherSizeAreCorrupt) {
  for (const std::string_view cell : {""sv, "\0"sv, "\0\0\0"sv, "\0\0\0\0\0\0\0"sv, "\0\0\0\0\0\0\0\0\0"sv}) {
    EXPECT_EQ(smallint_of(cell).error().code, Code::corrupt) << cell.size();
    EXPECT_EQ(integer_of(cell).error().code, Code::corrupt) << cell.size();
    EXPECT_EQ(bigint_of(cell).error().code, Code::corrupt) << cell.size();
    EXPECT_EQ(timestamp_of(cell).error().code, Code::corrupt) << cell.size();
  }
}

TEST(Cell, Collections) {
  const std::vector texts{"cpu"sv, ""sv, "\xff\0"sv};
  EXPECT_EQ(list_cell(texts), "\0\0\0\3\0\0\0\3cpu\0\0\0\0\0\0\0\2\xff\0"s);
  EXPECT_EQ(text_list_of(list_cell(texts)), texts);
  EXPECT_EQ(list_cell({}), "\0\0\0\0"s);
  EXPECT_EQ(text_list_of("\0\0\0\0"sv).value().size(), 0U);
  const model::TagViews tags{{"dc", "x"}, {"host", ""}};
  EXPECT_EQ(text_map_cell(tags), "\0\0\0\2\0\0\0\2dc\0\0\0\1x\0\0\0\4host\0\0\0\0"s);
  EXPECT_EQ(text_map_of(text_map_cell(tags)), tags);
  EXPECT_EQ(text_map_of("").value(), model::TagViews{}) << "absent";
}

TEST(Cell, BrokenCollectionsAreCorrupt) {
  const std::string_view cases[] = {
      "\0"sv,                         // less than a count
      "\0\0\0\1"sv,                   // nothing follows
      "\0\0\0\1\0\0\0\2a"sv,          // a text that ends early
      "\0\0\0\1\xff\xff\xff\xff"sv,   // a null, which no collection has
      "\xff\xff\xff\xff\0\0\0\0"sv,   // a count below zero
      "\x7f\xff\xff\xff\0\0\0\1a"sv,  // more than there can be
      "\0\0\0\1\0\0\0\1ab"sv,         // too much
      "\0\0\0\2\0\0\0\1a\0\0\0"sv,    // half a length
  };
  for (const std::string_view cell : cases) {
    EXPECT_EQ(text_list_of(cell).error().code, Code::corrupt) << cell.size();
    EXPECT_EQ(text_map_of(cell).error().code, Code::corrupt) << cell.size();
  }
  EXPECT_EQ(text_map_of("\0\0\0\1\0\0\0\1a"sv).error().code, Code::corrupt) << "a key without a value";
}

TEST(Cell, Order) {
  EXPECT_TRUE(compare_cells(CellType::smallint, smallint_cell(-1), smallint_cell(0)) < 0);
  EXPECT_TRUE(compare_cells(CellType::integer, integer_cell(kMin<std::int32_t>), integer_cell(-1)) < 0);
  EXPECT_TRUE(compare_cells(CellType::bigint, bigint_cell(-1), bigint_cell(1)) < 0);
  EXPECT_TRUE(compare_cells(CellType::timestamp, timestamp_cell(256), timestamp_cell(255)) > 0);
  EXPECT_TRUE(compare_cells(CellType::text, "z", "\xc3\xa9") < 0);
  EXPECT_TRUE(compare_cells(CellType::blob, "\x01", "\x01\0"sv) < 0);
  EXPECT_TRUE(compare_cells(CellType::text, "a", "a") == 0);
}

TEST(Cell, Checked) {
  const std::vector<ColumnDefinition> columns{{"name", CellType::text}, {"at", CellType::bigint}};
  const auto said = [&](const std::vector<std::string>& cells) {
    const Status status = check_cells(columns, cells);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(said({"", bigint_cell(1)}), "");
  EXPECT_EQ(said({"", smallint_cell(1)}), "at has 8 bytes, not 2");
  EXPECT_EQ(said({""}), "1 cells for 2 columns, the first name");
}

}  // namespace
}  // namespace varve::engine::cassandra
