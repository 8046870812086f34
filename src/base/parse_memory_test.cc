// SPDX-License-Identifier: Apache-2.0
#include "base/parse_memory.h"

#include <gtest/gtest.h>

namespace varve {
namespace {

constexpr std::size_t kKiB = 1024;

TEST(ParseMemory, IsHeldWhileItLives) {
  const auto ledger = std::make_shared<MemoryLedger>(4096 * kKiB);
  EXPECT_TRUE(ParseMemory::charge(1 << 30)) << "nobody counts";
  {
    const ParseMemory outer(ledger);
    EXPECT_TRUE(ParseMemory::charge(60 * kKiB));
    EXPECT_EQ(ledger->held(), 0U) << "little is free";
    EXPECT_TRUE(ParseMemory::charge(60 * kKiB));
    EXPECT_EQ(ledger->held(MemoryLedger::Kind::query), 64 * kKiB);
    {
      const ParseMemory inner(ledger);
      EXPECT_TRUE(ParseMemory::charge(1000 * kKiB));
      EXPECT_EQ(ledger->held(), (64 + 960) * kKiB);
      EXPECT_FALSE(ParseMemory::charge(4096 * kKiB));
    }
    EXPECT_EQ(ledger->held(), 64 * kKiB);
    EXPECT_TRUE(ParseMemory::charge(10 * kKiB));
  }
  EXPECT_EQ(ledger->held(), 0U);
}

TEST(ParseMemory, WithoutALedgerAllIsGranted) {
  const ParseMemory memory(nullptr);
  EXPECT_TRUE(ParseMemory::charge(std::size_t{1} << 40));
}

}  // namespace
}  // namespace varve
