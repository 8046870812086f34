// SPDX-License-Identifier: Apache-2.0
#include "http/body_buffer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "http/handler.h"

namespace varve::http {
namespace {

void append(BodyBuffer& buffer, std::string_view text) {
  ASSERT_LE(text.size(), buffer.space());
  std::memcpy(buffer.data() + buffer.end, text.data(), text.size());
  buffer.end += text.size();
}
std::string_view held(BodyBuffer& buffer) { return {buffer.data() + buffer.begin, buffer.size()}; }

TEST(BlockPool, Sizes) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  EXPECT_EQ(block_size(1), 1U);
  EXPECT_EQ(block_size(3000), 4096U);
  EXPECT_EQ(block_size(kMiB), kMiB);
  EXPECT_EQ(block_size(kMiB + 1), kMiB + kMiB / 8);
  EXPECT_LE(block_size(kMiB + kBodyPadding), MemoryLedger::kSmallMax);  // a body of 1 MiB is a small one
  EXPECT_EQ(block_size(64 * kMiB + 1), 72 * kMiB);
  EXPECT_EQ(block_size(128 * kMiB), 128 * kMiB);
}

TEST(BlockPool, GivesTheSameBlockAgainAndKeepsNoMoreThanItMay) {
  BlockPool pool(8192);
  Block block = pool.get(3000);
  EXPECT_EQ(block.size, 4096U);
  const char* address = block.data.get();
  pool.put(std::move(block));
  EXPECT_EQ(pool.kept(), 4096U);
  EXPECT_EQ(pool.get(4000).data.get(), address);
  EXPECT_EQ(pool.kept(), 0U);
  pool.put({std::make_unique<char[]>(16384), 16384});
  EXPECT_EQ(pool.kept(), 0U);
}

TEST(BodyBuffer, BorrowsAndGivesBack) {
  const auto ledger = std::make_shared<MemoryLedger>(10'000);  // 7500 of them for what has no share
  BlockPool pool(1 << 20);
  {
    BodyBuffer buffer(ledger, pool, 256);
    EXPECT_EQ(buffer.space(), 256 - kBodyPadding);
    append(buffer, "head body");
    buffer.begin = 5;
    ASSERT_TRUE(buffer.make_room(4000));
    EXPECT_EQ(held(buffer), "body");
    EXPECT_EQ(ledger->held(), 4096U);
    EXPECT_GE(buffer.space(), 3996U);
    EXPECT_FALSE(buffer.make_room(9000));
    EXPECT_EQ(held(buffer), "body");
    EXPECT_EQ(ledger->held(), 4096U);
    buffer.begin += 2;
    buffer.shrink();
    EXPECT_EQ(held(buffer), "dy");
    EXPECT_EQ(ledger->held(), 0U);
    ASSERT_TRUE(buffer.make_room(4000));
  }
  EXPECT_EQ(ledger->held(), 0U);
}

TEST(BodyBuffer, MakesRoomInPlaceWhereItCan) {
  const auto ledger = std::make_shared<MemoryLedger>(0);
  BlockPool pool(0);
  BodyBuffer buffer(ledger, pool, 256);
  append(buffer, std::string(150, 'a') + "bc");
  buffer.begin = 150;
  ASSERT_TRUE(buffer.make_room(100));
  EXPECT_EQ(held(buffer), "bc");
  EXPECT_EQ(buffer.begin, 0U);
}

}  // namespace
}  // namespace varve::http
