// SPDX-License-Identifier: Apache-2.0
#include "message/sorted_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "message/builder.h"

namespace varve::message {
namespace {

// Of random times, many of them equal, with the arrival as it says; the pid tells which one it is.
void add_rows(Batch& batch, std::size_t count, std::mt19937& random, std::int64_t& number) {
  Builder builder(batch);
  for (std::size_t i = 0; i < count; ++i) {
    builder.start();
    builder.set(Column::pid, number++);
    const std::string text(random() % 700, 'x');  // is copied by finish()
    ASSERT_TRUE(builder.set(Column::text, text));
    builder.finish(static_cast<std::int64_t>(random() % 50), static_cast<unsigned>(random() % 3));
  }
}

TEST(SortedRows, AreInOrderOfTimeAndStayAsTheyWereWhereItIsEqual) {
  std::mt19937 random(7);
  for (const std::size_t pieces : {0UL, 1UL, 2UL, 5UL}) {
    std::vector<Batch> batches(pieces);
    std::vector<std::span<const std::byte>> spans;
    std::vector<RowView> expected;
    std::int64_t number = 0;
    for (Batch& batch : batches) {
      add_rows(batch, 200, random, number);
      spans.push_back(batch.bytes());
      const std::byte* const end = batch.bytes().data() + batch.bytes().size();
      for (const std::byte* at = batch.bytes().data(); at != end; at += RowView{at}.bytes()) expected.push_back({at});
    }
    std::ranges::stable_sort(expected, {}, time_order);
    EXPECT_TRUE(std::ranges::equal(sorted_rows(spans), expected, {}, &RowView::at, &RowView::at)) << pieces;
  }
}

TEST(SortedRows, EmptyPiecesHoldNone) {
  const std::vector<std::span<const std::byte>> pieces(3);
  EXPECT_TRUE(sorted_rows(pieces).empty());
}

}  // namespace
}  // namespace varve::message
