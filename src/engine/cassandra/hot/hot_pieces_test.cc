// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/hot_pieces.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

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

GroupName name_of(model::GroupId group) {
  GroupName name;
  name.hash.bytes.fill(0);
  name.hash.bytes[0] = static_cast<std::uint8_t>(model::to_int(group) << 3U);  // a shard each
  name.hash.bytes[15] = 1;
  name.prefix_bits = 64;
  return name;
}
HotBatch pieces_of(const model::RowBatch& batch, unsigned bits = 64, std::size_t bytes_max = kHotRowBytesMax) {
  return hot_pieces(
      batch, 1000,
      [bits](std::span<const model::GroupId> groups) {
        std::vector<GroupName> names;
        for (const model::GroupId group : groups) names.push_back(name_of(group));
        for (GroupName& name : names) {
          name.prefix_bits = bits;
          if (bits == 5) name.hash.bytes[0] &= 7U;  // all in one
        }
        return names;
      },
      bytes_max);
}

// "shard@slot: time=first value … / …", a piece each, sections apart.
std::vector<std::string> shown(const HotBatch& batch) {
  std::vector<std::string> out;
  for (const HotPiece& piece : batch.pieces) {
    std::string text = std::to_string(piece.prefix.shard) + "@" + std::to_string(piece.slot) + ":";
    std::string_view left = piece.value;
    while (!left.empty()) {
      if (left.data() != piece.value.data()) text += " /";
      const auto length = load_le<std::uint32_t>(reinterpret_cast<const std::byte*>(left.data()) + kGroupHashBytes);
      const auto* at = reinterpret_cast<const std::byte*>(left.data()) + kSectionHeadBytes;
      const auto* const end = at + length;
      while (at != end) {
        const std::size_t bytes = model::check_row(at, end);
        if (bytes == 0) return {"not a row"};
        const model::RowView row{at};
        EXPECT_EQ(model::to_int(row.group()), 0U);
        text += " " + std::to_string(row.time()) + "=" + std::to_string(row.value(0).as_long());
        at += bytes;
      }
      left.remove_prefix(kSectionHeadBytes + length);
    }
    out.push_back(text);
  }
  return out;
}

TEST(HotPiecesTest, AreByPrefixAndSlotInTheOrderOfTheBatch) {
  model::RowBatch batch;
  batch.add(kA, 1500, Value::of_long(1));
  batch.add(kB, 1200, std::vector{Value::of_long(2), Value::of_long(3)});
  batch.add(kA, 2000, Value::of_long(4));
  batch.add(kA, 1100, Value::of_long(5));
  batch.add(kA, -1, Value::of_long(6));
  const HotBatch hot = pieces_of(batch);
  EXPECT_EQ(shown(hot),
            (std::vector<std::string>{"3@1000: 1200=2", "7@-1000: -1=6", "7@1000: 1500=1 1100=5", "7@2000: 2000=4"}));
  ASSERT_EQ(hot.sections.size(), 4U);
  EXPECT_EQ(hot.sections[0].group, kB.id);
  EXPECT_EQ(hot.sections[3].slot, 2000);
  EXPECT_EQ(shown(pieces_of(batch, 5)),
            (std::vector<std::string>{"0@-1000: -1=6", "0@1000: 1200=2 / 1500=1 1100=5", "0@2000: 2000=4"}));
}

TEST(HotPiecesTest, LongOnesAreCut) {
  model::RowBatch batch;
  for (int i = 0; i < 5; ++i) batch.add(kA, i, Value::of_long(i));
  batch.add(kA, 5, Value::of_string(std::string(100, 'x')));  // longer than a piece may be: alone
  batch.add(kB, 6, std::vector{Value::of_long(6), Value::of_long(6)});
  const std::size_t row = model::RowView{batch.bytes().data()}.bytes();
  const HotBatch hot = pieces_of(batch, 5, kSectionHeadBytes + 2 * row);
  EXPECT_EQ(hot.sections.size(), 2U);
  std::vector<std::size_t> sizes;
  for (const HotPiece& piece : hot.pieces) sizes.push_back(piece.value.size());
  model::RowBatch one;
  one.add(kB, 6, std::vector{Value::of_long(6), Value::of_long(6)});
  const std::size_t wide = one.bytes().size();
  EXPECT_EQ(sizes[0], kSectionHeadBytes + wide);
  ASSERT_EQ(hot.pieces.size(), 5U);
  EXPECT_EQ(sizes[1], kSectionHeadBytes + 2 * row);
  EXPECT_EQ(sizes[3], kSectionHeadBytes + row);
  EXPECT_EQ(sizes[4], kSectionHeadBytes + 16U + 4 + 100);
  EXPECT_TRUE(pieces_of(model::RowBatch{}).pieces.empty());
}

}  // namespace
}  // namespace varve::engine::cassandra
