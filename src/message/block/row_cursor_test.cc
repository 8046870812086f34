// SPDX-License-Identifier: Apache-2.0
#include "message/block/row_cursor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>

#include "message/block/encode.h"
#include "message/block/testing/messages.h"

namespace varve::message::block {
namespace {

TEST(RowCursor, GivesEachRowOnceInBothOrders) {
  Batch batch;
  testing::SiteMessages(7).make(20'000, 0, 3'600'000'000, batch);
  auto rows = testing::rows_of(batch);
  auto encoded = encode_block(rows);
  ASSERT_TRUE(encoded);
  const auto sections = std::make_shared<testing::MemorySections>(std::move(encoded->sections));
  for (const bool newest_first : {false, true}) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, rows.size() + 1}) {
      const auto block = std::make_shared<Block>(Block::open(sections).value());
      Bitmap which(rows.size());
      std::vector<RowView> expected;
      for (std::size_t i = 0; i < rows.size(); i += step) which.set(i), expected.push_back(rows[i]);
      if (newest_first) std::ranges::reverse(expected);
      RowCursor cursor(block, which, newest_first);
      for (const RowView row : expected) {
        const auto found = cursor.next();
        ASSERT_TRUE(found && *found);
        EXPECT_TRUE(std::ranges::equal((*found)->span(), row.span()));
      }
      EXPECT_EQ(cursor.next().value(), std::nullopt);
    }
  }
}

}  // namespace
}  // namespace varve::message::block
