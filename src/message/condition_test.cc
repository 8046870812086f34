// SPDX-License-Identifier: Apache-2.0
#include "message/condition.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "message/builder.h"
#include "message/level.h"
#include "message/matches.h"

namespace varve::message {
namespace {

// source=edge-1 level=3 objects=[VN:a:b, VM:1] text="Disk /dev/sda1 Full: 91%" user=joe tries=12 ratio=0.5 ok=true
class MatchesTest : public ::testing::Test {
 protected:
  MatchesTest() {
    Builder builder(batch_);
    builder.start();
    EXPECT_TRUE(builder.set(Column::source, "edge-1"));
    builder.set(Column::level, 3);
    EXPECT_TRUE(builder.add_object("VN:a:b"));
    EXPECT_TRUE(builder.add_object("VM:1"));
    EXPECT_TRUE(builder.set(Column::text, "Disk /dev/sda1 Full: 91% voll_\xc3\xa4"));
    EXPECT_TRUE(builder.add_field("user", FieldForm::text, "joe"));
    EXPECT_TRUE(builder.add_field("tries", FieldForm::number, "12"));
    EXPECT_TRUE(builder.add_field("ratio", FieldForm::number, "0.5"));
    EXPECT_TRUE(builder.add_field("code", FieldForm::text, "012"));
    builder.finish(1'000'000);
  }
  [[nodiscard]] RowView row() const { return {batch_.bytes().data()}; }

  bool asked(std::string_view name, Op op, std::string_view value) const {
    const ColumnName* const column = column_of(name);
    auto term = make_term(column == nullptr ? Column::field : column->column, column == nullptr ? name : "", op, value);
    EXPECT_TRUE(term) << name << " " << value;
    return term && matches(*term, row());
  }
  bool between(std::string_view name, Op op, std::optional<std::int64_t> low, std::optional<std::int64_t> high) const {
    const ColumnName* const column = column_of(name);
    return matches(
        *make_range(column == nullptr ? Column::field : column->column, column == nullptr ? name : "", op, low, high),
        row());
  }

 private:
  Batch batch_;
};

TEST_F(MatchesTest, Texts) {
  EXPECT_TRUE(asked("source", Op::equal, "edge-1"));
  EXPECT_TRUE(asked("Source", Op::equal, "edge-1"));
  EXPECT_FALSE(asked("source", Op::equal, "edge"));
  EXPECT_TRUE(asked("source", Op::prefix, "edge"));
  EXPECT_TRUE(asked("source", Op::prefix, ""));
  EXPECT_FALSE(asked("source", Op::prefix, "dge"));
  EXPECT_TRUE(asked("source", Op::regex, "edge-[0-9]"));
  EXPECT_FALSE(asked("source", Op::regex, "edge"));
  EXPECT_TRUE(asked("text", Op::contains, "sda1 Full"));
  EXPECT_FALSE(asked("text", Op::contains, "sda1 full"));
  EXPECT_TRUE(asked("source", Op::not_equal, "edge"));
  EXPECT_FALSE(asked("source", Op::not_equal, "edge-1"));
}

TEST_F(MatchesTest, WhatIsAbsentIsOnlyNotEqual) {
  EXPECT_FALSE(asked("module", Op::equal, ""));
  EXPECT_FALSE(asked("module", Op::prefix, ""));
  EXPECT_FALSE(asked("module", Op::regex, ".*"));
  EXPECT_TRUE(asked("module", Op::not_equal, "x"));
  EXPECT_TRUE(between("pid", Op::not_in_range, 1, 2));
  EXPECT_FALSE(between("pid", Op::in_range, std::nullopt, std::nullopt));
  EXPECT_TRUE(asked("nothing", Op::not_equal, "x"));
}

TEST_F(MatchesTest, Numbers) {
  EXPECT_TRUE(asked("level", Op::equal, "3"));
  EXPECT_TRUE(asked("level", Op::not_equal, "4"));
  EXPECT_TRUE(between("level", Op::in_range, 3, 3));
  EXPECT_TRUE(between("level", Op::in_range, std::nullopt, 4));
  EXPECT_FALSE(between("level", Op::in_range, 4, std::nullopt));
  EXPECT_TRUE(between("level", Op::not_in_range, 4, 9));
  EXPECT_TRUE(asked("MessageTS", Op::equal, "1000000"));
  EXPECT_TRUE(between("time", Op::in_range, 1'000'000, 1'000'001));
  EXPECT_FALSE(between("time", Op::not_in_range, 1'000'000, 1'000'001));
  EXPECT_FALSE(make_term(Column::level, "", Op::equal, "three"));
  EXPECT_FALSE(make_term(Column::level, "", Op::equal, "3x"));
  EXPECT_FALSE(make_range(Column::level, "", Op::in_range, 4, 3));
}

TEST_F(MatchesTest, NamesOfObjects) {
  EXPECT_TRUE(asked("objects", Op::equal, "VM:1"));
  EXPECT_TRUE(asked("ObjectName", Op::contains, "VN:a:b"));
  EXPECT_FALSE(asked("ObjectName", Op::contains, "a:b"));
  EXPECT_TRUE(asked("objects", Op::prefix, "VN:a"));
  EXPECT_TRUE(asked("objects", Op::regex, "V.:1"));
  EXPECT_TRUE(asked("objects", Op::not_equal, "VM:2"));
  EXPECT_FALSE(asked("objects", Op::not_equal, "VM:1"));
}

TEST_F(MatchesTest, WordsOfATextInAnyCase) {
  for (const auto* word : {"disk", "DISK", "sda1", "full", "91", "voll_\xc3\xa4"}) {
    EXPECT_TRUE(asked("text", Op::word, word)) << word;
  }
  for (const auto* word : {"dis", "sda", "ull", "voll"}) EXPECT_FALSE(asked("text", Op::word, word)) << word;
  EXPECT_TRUE(asked("text", Op::word_prefix, "Ful"));
  EXPECT_FALSE(asked("text", Op::word_prefix, "ull"));
  for (const auto* bad : {"", "a b", "/dev"}) EXPECT_FALSE(make_term(Column::text, "", Op::word, bad)) << bad;
}

TEST_F(MatchesTest, FieldsAreTextsOrNumbers) {
  EXPECT_TRUE(asked("user", Op::equal, "joe"));
  EXPECT_TRUE(asked("tries", Op::equal, "12"));
  EXPECT_TRUE(asked("tries", Op::equal, "012"));  // numbers compare as numbers
  EXPECT_FALSE(asked("code", Op::equal, "12"));   // and texts as texts
  EXPECT_TRUE(asked("code", Op::equal, "012"));
  EXPECT_TRUE(between("tries", Op::in_range, 12, 12));
  EXPECT_TRUE(between("ratio", Op::in_range, 0, 1));
  EXPECT_FALSE(between("ratio", Op::in_range, 1, 2));
  EXPECT_FALSE(between("user", Op::in_range, std::nullopt, std::nullopt));
  EXPECT_TRUE(between("user", Op::not_in_range, 0, 1));
  EXPECT_TRUE(asked("tries", Op::prefix, "1"));
}

TEST_F(MatchesTest, Trees) {
  const auto level = [](std::string_view value) {
    return Condition::of(*make_term(Column::level, "", Op::equal, value));
  };
  using Kind = Condition::Kind;
  EXPECT_TRUE(matches(Condition{}, row()));
  EXPECT_FALSE(matches(Condition{Kind::any, {}, {}}, row()));
  EXPECT_TRUE(matches(Condition{Kind::any, {level("4"), level("3")}, {}}, row()));
  EXPECT_FALSE(matches(Condition{Kind::all, {level("4"), level("3")}, {}}, row()));
  EXPECT_FALSE(matches(Condition{Kind::none, {level("4"), level("3")}, {}}, row()));
  EXPECT_TRUE(matches(Condition{Kind::none, {level("4")}, {}}, row()));
}

TEST(Condition, OperatorsFitColumns) {
  EXPECT_TRUE(fits(Op::in_range, ColumnType::integer));
  EXPECT_FALSE(fits(Op::in_range, ColumnType::text));
  EXPECT_FALSE(fits(Op::prefix, ColumnType::integer));
  EXPECT_FALSE(fits(Op::word, ColumnType::names));
  EXPECT_FALSE(make_term(Column::source, "", Op::regex, "("));
}

TEST(Level, NamesInAnyCase) {
  EXPECT_EQ(level_of("WARN"), 4);
  EXPECT_EQ(level_of("fatal"), 0);
  EXPECT_EQ(level_of("Trace"), 7);
  EXPECT_EQ(level_of("Emergency"), 0);
  EXPECT_EQ(level_of("panic"), 0);
  EXPECT_EQ(level_of("Informational"), 6);
  EXPECT_EQ(level_of("verbose"), 7);
  for (const auto name : level_names()) EXPECT_TRUE(level_of(name)) << name;
  EXPECT_FALSE(level_of("verbos"));
  EXPECT_EQ(level_name(3), "err");
  EXPECT_EQ(level_name(8), "");
  EXPECT_EQ(level_name(-1), "");
  EXPECT_EQ(kind_of("UVE"), 6);
  EXPECT_EQ(kind_of("session"), 12);
  EXPECT_FALSE(kind_of("none"));
}

}  // namespace
}  // namespace varve::message
