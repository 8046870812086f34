// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/compaction_switch.h"

#include <gtest/gtest.h>

namespace varve::engine::rocksdb {
namespace {

// Flushes until compactions are on again; 0: they are not.
std::uint64_t flushes_until_on(CompactionSwitch& compactions) {
  for (std::uint64_t n = 1; n <= 2 * CompactionSwitch::kFlushesMost; ++n) {
    if (compactions.flushed()) return n;
  }
  return 0;
}

TEST(Compactions, are_on_while_nothing_fails) {
  CompactionSwitch compactions;
  EXPECT_TRUE(compactions.is_on());
  EXPECT_EQ(flushes_until_on(compactions), 0U);
  EXPECT_TRUE(compactions.is_on());
}

TEST(Compactions, that_fail_again_wait_longer) {
  CompactionSwitch compactions;
  for (std::uint64_t wait = 16; wait <= 4096; wait *= 2) {
    compactions.failed(false);
    EXPECT_FALSE(compactions.is_on());
    EXPECT_EQ(flushes_until_on(compactions), wait);
    EXPECT_TRUE(compactions.is_on());
  }
  compactions.failed(false);
  EXPECT_EQ(flushes_until_on(compactions), 4096U);
  EXPECT_EQ(flushes_until_on(compactions), 0U) << "they are on";
  compactions.failed(false);
  EXPECT_EQ(flushes_until_on(compactions), 16U) << "they went well for as long as they had waited";
}

TEST(Compactions, that_read_damage_wait_longer) {
  CompactionSwitch compactions;
  compactions.failed(false);
  ASSERT_EQ(flushes_until_on(compactions), 16U);
  for (std::uint64_t wait = 256; wait <= 4096; wait *= 2) {
    compactions.failed(true);
    EXPECT_FALSE(compactions.is_on());
    EXPECT_EQ(flushes_until_on(compactions), wait);
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
