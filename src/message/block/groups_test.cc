// SPDX-License-Identifier: Apache-2.0
// Groups are those of a walk over all messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/testing/effort.h"
#include "message/block/block.h"
#include "message/block/encode.h"
#include "message/block/testing/messages.h"
#include "model/time.h"

namespace varve::message::block {
namespace {

using Key = std::vector<std::tuple<int, int, std::string>>;  // of each column: window, or form and value
using Groups = std::map<Key, std::uint64_t>;

Key key_of(RowView row, const std::vector<GroupColumn>& columns) {
  Key key;
  for (const GroupColumn& asked : columns) {
    std::tuple<int, int, std::string> part{0, -1, ""};
    if (asked.column == Column::time) {
      const std::int64_t ns = row.time_us() * 1000 + row.nanos(), width_ns = asked.window_ns;
      std::get<0>(part) =
          static_cast<int>(width_ns == 0 ? model::window_start(row.time_us(), asked.window_us) / asked.window_us
                                         : model::window_start(ns - asked.origin_ns, width_ns) / width_ns);
    }
    CellReader cells = row.reader();
    for (Cell cell; cells.next(cell);) {
      if (cell.column != asked.column || cell.name != asked.field) continue;
      const std::string value = is_integer(cell.column) ? std::to_string(cell.number) : std::string(cell.text);
      part = {0, static_cast<int>(cell.form), value};
    }
    key.push_back(part);
  }
  return key;
}

struct Grouped {
  std::size_t answered = 0;
  std::size_t asked = 0;
};

void expect_groups(const std::vector<RowView>& rows, const std::vector<GroupColumn>& columns, const Bitmap& among,
                   Block& block, Grouped& grouped) {
  Batch batch;
  std::vector<std::uint64_t> times;
  const auto can = block.groups(columns, among, batch, times);
  ASSERT_TRUE(can) << can.error().message;
  ++grouped.asked;
  if (!*can) {
    EXPECT_TRUE(batch.empty() && times.empty());
    return;
  }
  ++grouped.answered;
  Groups got, expected;
  ASSERT_EQ(times.size(), batch.rows());
  const std::byte* at = batch.bytes().data();
  for (const std::uint64_t count : times) {
    EXPECT_TRUE(got.emplace(key_of({at}, columns), count).second) << "a group comes once";
    at += RowView{at}.bytes();
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (among.test(i)) ++expected[key_of(rows[i], columns)];
  }
  EXPECT_EQ(got, expected);
}

TEST(Groups, AreThoseOfAWalk) {
  std::mt19937_64 random(11);
  Grouped grouped;
  for (int round = 0; round < varve::testing::effort(30); ++round) {
    Batch batch;
    const std::size_t count = random() % 4 == 0 ? random() % 5 + 1 : random() % 3000 + 1;
    if (round % 2 == 0) {
      testing::SiteMessages(random()).make(count, -5, static_cast<std::int64_t>(random() % 10'000'000 + 1), batch);
    } else {
      for (std::size_t i = 0; i < count; ++i) testing::add_random_message(random, 7, batch);
    }
    auto rows = testing::rows_of(batch);
    std::ranges::stable_sort(rows, {}, message::time_order);
    auto encoded = encode_block(rows);
    ASSERT_TRUE(encoded);
    const auto sections = std::make_shared<testing::MemorySections>(std::move(encoded->sections));
    auto names = Block::open(sections)->field_names().value();
    names.emplace_back("of no message");
    for (int question = 0; question < 20; ++question) {
      std::vector<GroupColumn> columns;
      const auto add = [&](const GroupColumn& column) {
        const bool known = std::ranges::any_of(columns, [&](const GroupColumn& other) {
          return other.column == column.column && other.field == column.field;
        });
        if (!known) columns.push_back(column);
      };
      for (std::uint64_t n = random() % 4; n > 0; --n) add({static_cast<Column>(random() % facet_of(Column::object))});
      if (random() % 3 == 0) add({Column::field, names[random() % names.size()]});
      if (random() % 2 == 0) add({Column::time, "", static_cast<std::int64_t>(random() % 2'000'000 + 1)});
      if (random() % 2 == 0) {
        const auto width_ns = static_cast<std::int64_t>(random() % 2'000'000'000 + 2'000);
        add({Column::time, "", 0, width_ns, static_cast<std::int64_t>(random() % 5'000'000)});
      }
      Bitmap among(rows.size(), random() % 2 == 0);
      for (std::size_t i = 0; i < rows.size(); ++i) among.set_if(i, random() % 3 == 0);
      auto block = Block::open(sections);
      ASSERT_TRUE(block);
      expect_groups(rows, columns, among, *block, grouped);
    }
  }
  EXPECT_GT(grouped.answered * 2, grouped.asked);
}

// What else messages have makes no other groups; the form of what is asked for does.
TEST(Groups, OfAFieldInMessagesOfManyShapes) {
  Batch batch;
  Builder builder(batch);
  for (int i = 0; i < 64; ++i) {
    const std::string other = "other " + std::to_string(i % 8);
    builder.start();
    ASSERT_TRUE(builder.add_field("job", i < 48 ? FieldForm::text : FieldForm::metadata, "web"));
    ASSERT_TRUE(builder.add_field(other, FieldForm::text, "x"));
    builder.finish(i);
  }
  auto encoded = encode_block(testing::rows_of(batch));
  auto block = Block::open(std::make_shared<testing::MemorySections>(std::move(encoded->sections)));
  Batch out;
  std::vector<std::uint64_t> times;
  const std::vector<GroupColumn> columns{{Column::field, "job"}};
  ASSERT_TRUE(block->groups(columns, Bitmap(64, true), out, times).value());
  EXPECT_EQ(times, (std::vector<std::uint64_t>{48, 16}));
}

TEST(Groups, OfASpanInNanoseconds) {
  std::mt19937_64 random(12);
  Batch batch;
  for (int i = 0; i < 200; ++i) testing::add_random_message(random, 7, batch);
  auto rows = testing::rows_of(batch);
  std::ranges::stable_sort(rows, {}, message::time_order);
  auto encoded = encode_block(rows);
  auto block = Block::open(std::make_shared<testing::MemorySections>(std::move(encoded->sections)));
  for (int i = 0; i < 100; ++i) {
    const auto edge = [&] {
      return rows[random() % rows.size()].time_us() * 1000 + static_cast<std::int64_t>(random() % 1000);
    };
    const std::int64_t first_ns = edge(), end_ns = edge();
    Bitmap among(rows.size(), true);
    ASSERT_TRUE(block->keep_between(first_ns, end_ns, among));
    EXPECT_EQ(among, Bitmap::where(rows.size(), [&](std::size_t row) {
                const std::int64_t ns = rows[row].time_us() * 1000 + rows[row].nanos();
                return ns >= first_ns && ns < end_ns;
              }));
  }
}

TEST(Groups, NamesAndTextsAreForRows) {
  Batch batch;
  testing::SiteMessages(3).make(100, 0, 1000, batch);
  auto encoded = encode_block(testing::rows_of(batch));
  auto block = Block::open(std::make_shared<testing::MemorySections>(std::move(encoded->sections)));
  Batch out;
  std::vector<std::uint64_t> times;
  for (const Column column : {Column::object, Column::text, Column::id}) {
    const std::vector<GroupColumn> columns{{column}};
    EXPECT_FALSE(block->groups(columns, Bitmap(100, true), out, times).value());
  }
}

}  // namespace
}  // namespace varve::message::block
