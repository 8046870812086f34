// SPDX-License-Identifier: Apache-2.0
#include "message/made_ids.h"

#include <gtest/gtest.h>

#include <set>

#include "message/builder.h"

namespace varve::message {
namespace {

struct Said {
  std::int64_t time_us = 1000;
  unsigned nanos = 0;
  std::string_view text = "t", field = "f";
};

std::vector<std::string> ids_of(std::initializer_list<Said> all) {
  Batch batch;
  Builder builder(batch);
  MadeIds ids;
  for (const Said& one : all) {
    builder.start();
    EXPECT_TRUE(builder.set(Column::text, one.text));
    EXPECT_TRUE(builder.add_field("field", FieldForm::text, one.field));
    builder.finish(one.time_us, one.nanos, &ids);
  }
  std::vector<std::string> out;
  const auto* at = batch.bytes().data();
  const auto* const end = at + batch.bytes().size();
  while (at != end) {
    const std::size_t bytes = check_row(at, end);
    EXPECT_GT(bytes, 0U);
    const RowView row{at};
    EXPECT_EQ(row.cells(), 3U);
    EXPECT_EQ(row.cell(Column::text)->text.size(), 1U);
    EXPECT_EQ(row.cell(Column::field)->name, "field");
    out.emplace_back(row.cell(Column::id).value_or(Cell()).text);
    EXPECT_TRUE(repeat_of_id(row));
    at += bytes;
  }
  return out;
}

TEST(MadeIds, SayWhatTheMessageSays) {
  const auto ids = ids_of({{}, {}, {}, {.time_us = 1001}});
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 4U) << "as many as were sent";
  EXPECT_EQ(ids_of({{}, {}, {}, {.time_us = 1001}}), ids) << "sent again they are the same";
  EXPECT_EQ(ids_of({{.time_us = 1001}, {}}), (std::vector<std::string>{ids[3], ids[0]})) << "in another order, too";
  for (const Said& other : {Said{.time_us = 1001}, Said{.nanos = 1}, Said{.text = "u"}, Said{.field = "g"}}) {
    EXPECT_NE(ids_of({other})[0], ids[0]);
  }
  EXPECT_EQ(id_text(ids[0]), "00000000-0001-8a1b-8000-86d80b4d6948") << "blocks do not store it: it must stay so";
  EXPECT_EQ(id_text(ids[1]), "00000000-0001-8877-8005-56e1bd70bedd") << "it must stay so, too";
}

std::optional<std::uint32_t> repeat_with(std::string_view text, std::int64_t time_us, const Id* given, MadeIds* made) {
  Batch batch;
  Builder builder(batch);
  builder.start();
  EXPECT_TRUE(builder.set(Column::text, text));
  if (given != nullptr) builder.set_id(*given);
  given != nullptr || made == nullptr ? builder.finish(time_us) : builder.finish(time_us, 0, made);
  return repeat_of_id({batch.bytes().data()});
}

TEST(MadeIds, AreKnownAgainOnlyWithTheirContent) {
  MadeIds made;
  for (std::uint32_t repeat = 0; repeat <= kRepeatsKnownMax; ++repeat) {
    EXPECT_EQ(repeat_with("t", 1000, nullptr, &made), repeat);
  }
  EXPECT_EQ(repeat_with("t", 1000, nullptr, &made), std::nullopt) << "one too many";
  EXPECT_EQ(repeat_with("t", 1000, nullptr, nullptr), std::nullopt) << "no id";
  Batch batch;
  Builder builder(batch);
  builder.start();
  ASSERT_TRUE(builder.set(Column::text, "t"));
  builder.finish(1000, 0, nullptr);
  const Id id = id_of(RowView{batch.bytes().data()});
  EXPECT_EQ(repeat_with("t", 1000, &id, nullptr), 0U) << "whoever gives it";
  EXPECT_EQ(repeat_with("u", 1000, &id, nullptr), std::nullopt);
  EXPECT_EQ(repeat_with("t", 1001, &id, nullptr), std::nullopt) << "the same millisecond";
  const Id other{'0', '1', '2'};
  EXPECT_EQ(repeat_with("t", 1000, &other, nullptr), std::nullopt);
}

TEST(MadeIds, OfManyMessagesEachHasItsOwn) {
  MadeIds ids;
  std::set<Id> seen;
  for (std::uint64_t number = 0; number < 5000; ++number) {
    EXPECT_TRUE(seen.insert(ids.of(7, number << 12)).second);
    if (number % 3 == 0) {
      EXPECT_TRUE(seen.insert(ids.of(7, number << 12)).second);
    }
  }
}

}  // namespace
}  // namespace varve::message
