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

// What has come is charged, not what is expected; and it is copied once.
TEST(BodyBuffer, ReachesAheadWithoutACharge) {
  const auto ledger = std::make_shared<MemoryLedger>(1'000'000);
  BlockPool pool(1 << 20);
  {
    BodyBuffer buffer(ledger, pool, 256);
    append(buffer, "body");
    ASSERT_TRUE(buffer.make_room(3000, 60'000));
    EXPECT_EQ(ledger->held(), 4096U);
    EXPECT_EQ(buffer.space(), 4096 - kBodyPadding - 4) << "no more than is charged";
    const char* const address = buffer.data();
    append(buffer, std::string(buffer.space(), 'x'));
    ASSERT_TRUE(buffer.make_room(20'000, 60'000));
    EXPECT_EQ(buffer.data(), address);
    EXPECT_EQ(ledger->held(), 32'768U);
    EXPECT_EQ(held(buffer).substr(0, 6), "bodyxx");
    EXPECT_FALSE(buffer.make_room(900'000, 900'000));
    EXPECT_EQ(ledger->held(), 32'768U);
    EXPECT_EQ(buffer.space(), 32'768 - kBodyPadding - buffer.size());
    ASSERT_TRUE(buffer.make_room(70'000, 70'000));
    EXPECT_EQ(held(buffer).substr(0, 6), "bodyxx");
    EXPECT_EQ(ledger->held(), 131'072U);
  }
  EXPECT_EQ(ledger->held(), 0U);
}

TEST(BodyBuffer, ReachesNoFurtherThanManyTimesWhatHasCome) {
  const auto ledger = std::make_shared<MemoryLedger>(1'000'000);
  BlockPool pool(std::size_t{64} << 20);
  EXPECT_TRUE(BodyBuffer(ledger, pool, 256).make_room(1000, std::size_t{1} << 40));
  EXPECT_LE(pool.kept(), 256U * 1024);
}

// The pages of a block that was used before are there: it is charged whole, or another one is taken.
TEST(BodyBuffer, AUsedBlockIsChargedWhole) {
  const auto ledger = std::make_shared<MemoryLedger>(100'000);  // 75,000 of them for what has no share
  BlockPool pool(1 << 20);
  pool.put({std::make_unique<char[]>(65'536), 65'536});
  {
    BodyBuffer first(ledger, pool, 256);
    ASSERT_TRUE(first.make_room(3000, 60'000));
    EXPECT_EQ(ledger->held(), 65'536U);
    EXPECT_EQ(first.space(), 65'536 - kBodyPadding);
    pool.put({std::make_unique<char[]>(65'536), 65'536});
    BodyBuffer second(ledger, pool, 256);
    ASSERT_TRUE(second.make_room(3000, 60'000));
    EXPECT_EQ(ledger->held(), 65'536U + 4096);
    EXPECT_EQ(pool.kept(), 65'536U);
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
