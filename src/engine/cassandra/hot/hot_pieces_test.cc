// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/hot_pieces.h"

#include <gtest/gtest.h>

namespace varve::engine::cassandra {
namespace {

using model::Value;

struct Group : model::LineGroup {
  Group(std::uint32_t number, std::uint16_t series) {
    id = model::GroupId{number};
    count = series;
  }
};
const Group kA(7, 1), kB(3, 2);

// "group@slot: time=first value …", a piece each.
std::vector<std::string> shown(const std::vector<HotPiece>& pieces) {
  std::vector<std::string> out;
  for (const HotPiece& piece : pieces) {
    std::string text = std::to_string(model::to_int(piece.group)) + "@" + std::to_string(piece.slot) + ":";
    const auto* at = reinterpret_cast<const std::byte*>(piece.value.data());
    const auto* const end = at + piece.value.size();
    while (at != end) {
      const std::size_t bytes = model::check_row(at, end);
      if (bytes == 0) return {"not a row"};
      const model::RowView row{at};
      EXPECT_EQ(model::to_int(row.group()), 0U);
      text += " " + std::to_string(row.time()) + "=" + std::to_string(row.value(0).as_long());
      at += bytes;
    }
    out.push_back(text);
  }
  return out;
}

TEST(HotPiecesTest, AreByGroupAndSlotInTheOrderOfTheBatch) {
  model::RowBatch batch;
  batch.add(kA, 1500, Value::of_long(1));
  batch.add(kB, 1200, std::vector{Value::of_long(2), Value::of_long(3)});
  batch.add(kA, 2000, Value::of_long(4));
  batch.add(kA, 1100, Value::of_long(5));
  batch.add(kA, -1, Value::of_long(6));
  EXPECT_EQ(shown(hot_pieces(batch, 1000)),
            (std::vector<std::string>{"3@1000: 1200=2", "7@-1000: -1=6", "7@1000: 1500=1 1100=5", "7@2000: 2000=4"}));
}

TEST(HotPiecesTest, LongOnesAreCut) {
  model::RowBatch batch;
  for (int i = 0; i < 5; ++i) batch.add(kA, i, Value::of_long(i));
  batch.add(kA, 5, Value::of_string(std::string(100, 'x')));  // longer than a piece may be: alone
  const std::size_t row = model::RowView{batch.bytes().data()}.bytes();
  const auto pieces = hot_pieces(batch, 1000, 2 * row);
  ASSERT_EQ(pieces.size(), 4U);
  EXPECT_EQ(pieces[2].value.size(), row);
  EXPECT_EQ(pieces[3].value.size(), 16U + 4 + 100);
  EXPECT_TRUE(hot_pieces(model::RowBatch{}, 1000).empty());
}

}  // namespace
}  // namespace varve::engine::cassandra
