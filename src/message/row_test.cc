// SPDX-License-Identifier: Apache-2.0
#include "message/row.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "message/builder.h"

namespace varve::message {
namespace {

std::string shown(RowView row) {
  std::string out = std::to_string(row.time_us()) + "." + std::to_string(row.nanos());
  CellReader cells = row.reader();
  for (Cell cell; cells.next(cell);) {
    out += " " + std::to_string(static_cast<int>(cell.column)) + "=";
    if (cell.column == Column::field)
      out += std::string(cell.name) + "/" + std::to_string(static_cast<int>(cell.form)) + "/";
    out += is_integer(cell.column) ? std::to_string(cell.number) : std::string(cell.text);
  }
  return out;
}

TEST(MessageRow, CellsStandInTheOrderOfColumns) {
  Batch batch;
  Builder builder(batch);
  builder.start();
  ASSERT_TRUE(builder.add_field("user", FieldForm::text, "joe"));
  ASSERT_TRUE(builder.set(Column::text, "hello"));
  builder.set(Column::pid, -5);
  ASSERT_TRUE(builder.add_object("ObjectVNTable:a:b"));
  ASSERT_TRUE(builder.set(Column::source, "h1"));
  ASSERT_TRUE(builder.add_object("ObjectVNTable:c"));
  builder.set_id({'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'});
  ASSERT_TRUE(builder.add_field("n", FieldForm::number, "1e3"));
  builder.finish(-17, 999);
  ASSERT_EQ(batch.rows(), 1U);
  const auto bytes = batch.bytes();
  EXPECT_EQ(check_row(bytes.data(), bytes.data() + bytes.size()), bytes.size());
  EXPECT_EQ(shown({bytes.data()}),
            "-17.999 0=h1 9=-5 11=ObjectVNTable:a:b 11=ObjectVNTable:c 12=hello 13=0123456789abcdef 14=user/0/joe "
            "14=n/1/1e3");
  EXPECT_EQ(RowView{bytes.data()}.cell(Column::pid)->number, -5);
  EXPECT_FALSE(RowView{bytes.data()}.cell(Column::module));
}

TEST(MessageRow, WhatWasGivenIsTakenBack) {
  Batch batch;
  Builder builder(batch);
  builder.start();
  ASSERT_TRUE(builder.set(Column::source, "a"));
  builder.set(Column::pid, 1);
  ASSERT_TRUE(builder.add_object("t:v"));
  ASSERT_TRUE(builder.add_field("f", FieldForm::text, "x"));
  ASSERT_TRUE(builder.add_field("g", FieldForm::text, "y"));
  builder.drop(Column::source);
  builder.drop(Column::object);
  builder.drop(Column::module);
  builder.drop_field("f");
  builder.drop_field("h");
  EXPECT_FALSE(builder.has(Column::object));
  EXPECT_TRUE(builder.has(Column::field));
  builder.finish(1);
  EXPECT_EQ(shown({batch.bytes().data()}), "1.0 9=1 14=g/0/y");

  batch.clear();
  builder.start();
  ASSERT_TRUE(builder.add_field("f", FieldForm::text, "x"));
  builder.drop_field("f");
  EXPECT_FALSE(builder.has(Column::field));
  builder.finish(1);
  EXPECT_EQ(RowView{batch.bytes().data()}.cells(), 0U);
}

// Few names are compared, many are hashed: the same comes out.
TEST(MessageRow, NamesOfAnyNumberAreGivenOnce) {
  Batch batch;
  Builder builder(batch);
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("t:" + std::to_string(i));
  for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 18U, 40U, 1000U}) {
    batch.clear();
    builder.start();
    std::string want = "1.0";
    for (int twice = 0; twice < 2; ++twice) {
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_TRUE(builder.add_object(names[i]));
        ASSERT_TRUE(builder.add_field(names[i], FieldForm::text, twice == 0 ? "first" : std::string_view(names[i])));
      }
    }
    for (std::size_t i = 0; i < count; i += 3) builder.drop_field(names[i]);
    if (count > 3) {
      ASSERT_TRUE(builder.add_field(names[3], FieldForm::number, "7"));
    }
    builder.drop_field("never given");
    for (std::size_t i = 0; i < count; ++i) want += " 11=" + names[i];
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 3 != 0) want.append(" 14=").append(names[i]).append("/0/").append(names[i]);
      if (i == 3) want += " 14=" + names[3] + "/1/7";
    }
    builder.finish(1);
    EXPECT_EQ(check_row(batch.bytes().data(), batch.bytes().data() + batch.bytes().size()), batch.bytes().size());
    EXPECT_TRUE(shown({batch.bytes().data()}) == want) << count << " names";
  }
}

TEST(MessageRow, TheLastOfTwoCountsAndAMessageMayBeGivenUp) {
  Batch batch;
  Builder builder(batch);
  builder.start();
  ASSERT_TRUE(builder.set(Column::source, "given up"));
  builder.start();
  ASSERT_TRUE(builder.set(Column::source, "a"));
  ASSERT_TRUE(builder.set(Column::source, "b"));
  ASSERT_TRUE(builder.add_field("f", FieldForm::text, "a"));
  ASSERT_TRUE(builder.add_field("f", FieldForm::json, "[]"));
  ASSERT_TRUE(builder.add_object("t:v"));
  ASSERT_TRUE(builder.add_object("t:v"));
  builder.finish(7);
  builder.start();
  builder.finish(3);
  EXPECT_EQ(batch.rows(), 2U);
  EXPECT_EQ(batch.first_us(), 3);
  EXPECT_EQ(batch.last_us(), 7);
  EXPECT_EQ(shown({batch.bytes().data()}), "7.0 0=b 11=t:v 14=f/2/[]");
}

// Under UBSan: nobody copies from nowhere.
TEST(MessageRow, TextsMayBeEmptyViews) {
  Batch batch;
  Builder builder(batch);
  builder.start();
  ASSERT_TRUE(builder.set(Column::text, std::string_view()));
  ASSERT_TRUE(builder.add_field("f", FieldForm::text, std::string_view()));
  builder.finish(1);
  EXPECT_EQ(RowView{batch.bytes().data()}.cell(Column::text)->text, "");
  EXPECT_EQ(RowView{batch.bytes().data()}.cell(Column::field)->text, "");
}

TEST(MessageRow, WhatIsTooMuchIsNamed) {
  Batch batch;
  Builder builder(batch);
  builder.start();
  const std::string longest(kCellBytesMax, 'x');
  EXPECT_TRUE(builder.set(Column::source, longest));
  EXPECT_EQ(builder.set(Column::source, longest + "x").error().message, "source has 65537 bytes; at most 65536");
  EXPECT_TRUE(builder.set(Column::text, std::string(kTextBytesMax, 'x')));
  EXPECT_EQ(builder.set(Column::text, std::string(kTextBytesMax + 1, 'x')).error().code, Code::too_large);
  for (const auto* bad : {"", "a", ":", "a:", ":b"})
    EXPECT_EQ(builder.add_object(bad).error().code, Code::invalid) << bad;
  EXPECT_EQ(builder.add_field("", FieldForm::text, "").error().code, Code::invalid);
  EXPECT_EQ(builder.add_field(std::string(257, 'n'), FieldForm::text, "").error().code, Code::too_large);
  std::vector<std::string> names;
  for (int i = 0; i < 1025; ++i) names.push_back("f:" + std::to_string(i));
  for (int i = 0; i < 1000; ++i)
    ASSERT_TRUE(builder.add_field(names[static_cast<std::size_t>(i)], FieldForm::text, ""));
  EXPECT_EQ(builder.add_field("one more", FieldForm::text, "").error().code, Code::limit);
  for (int i = 0; i < 1024; ++i) ASSERT_TRUE(builder.add_object(names[static_cast<std::size_t>(i)]));
  EXPECT_EQ(builder.add_object(names[1024]).error().code, Code::limit);
}

TEST(MessageRow, UnknownColumnsAreRefused) {
  Batch batch;
  Builder builder(batch);
  builder.start();
  ASSERT_TRUE(builder.set(Column::text, "m"));
  builder.finish(1, 2);
  std::vector<std::byte> bytes(batch.bytes().begin(), batch.bytes().end());
  for (int column = 13; column < 256; ++column) {  // an id or a field is longer
    bytes[kRowHeadBytes] = static_cast<std::byte>(column);
    EXPECT_EQ(check_row(bytes.data(), bytes.data() + bytes.size()), 0U) << column;
  }
}

// Every prefix of a row, and every row with one byte changed, is refused or is read without leaving it.
TEST(MessageRow, DamageIsSeenOrHarmless) {
  Batch batch;
  Builder builder(batch);
  builder.start();
  ASSERT_TRUE(builder.set(Column::module, "m"));
  builder.set(Column::level, 300);
  ASSERT_TRUE(builder.add_object("t:v"));
  ASSERT_TRUE(builder.add_field("name", FieldForm::number, "12"));
  builder.finish(1, 2);
  std::vector<std::byte> bytes(batch.bytes().begin(), batch.bytes().end());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_EQ(check_row(bytes.data(), bytes.data() + size), 0U);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::vector<std::byte> changed(bytes);
      changed[at] = static_cast<std::byte>(value);
      if (check_row(changed.data(), changed.data() + changed.size()) == 0) continue;
      static_cast<void>(shown({changed.data()}));
    }
  }
}

}  // namespace
}  // namespace varve::message
