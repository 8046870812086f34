// SPDX-License-Identifier: Apache-2.0
#include "server/memory_trim.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "server/process.h"

namespace varve::server {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::int64_t kSecond = 1'000'000'000;

MemoryLook at(std::int64_t second, std::int64_t cpu_ms, std::uint64_t resident_mib, std::uint64_t used_mib) {
  return {second * kSecond, cpu_ms * 1'000'000, resident_mib * kMiB, used_mib * kMiB};
}

TEST(TrimPolicy, AnIdleProcessGivesBackWhatItDoesNotUse) {
  TrimPolicy policy;
  EXPECT_FALSE(policy.is_due(at(0, 0, 1000, 100))) << "how busy it is, is not known yet";
  EXPECT_FALSE(policy.is_due(at(10, 9'000, 1000, 100))) << "busy";
  EXPECT_TRUE(policy.is_due(at(20, 9'100, 1000, 100)));
}

TEST(TrimPolicy, LittleIsKept) {
  TrimPolicy policy;
  EXPECT_FALSE(policy.is_due(at(0, 0, 100, 88)));
  EXPECT_FALSE(policy.is_due(at(10, 0, 100, 88))) << "of little";
  EXPECT_FALSE(policy.is_due(at(20, 0, 8'100, 8'000))) << "of much";
  EXPECT_FALSE(policy.is_due(at(30, 0, 50, 60))) << "some of it is not in RAM";
  EXPECT_TRUE(policy.is_due(at(40, 0, 9'100, 8'000)));
}

TEST(TrimPolicy, WhatWasForNothingIsNotRepeatedSoon) {
  TrimPolicy policy;
  const auto first = at(10, 0, 1000, 100);
  EXPECT_FALSE(policy.is_due(at(0, 0, 1000, 100)));
  EXPECT_TRUE(policy.is_due(first));
  policy.note_gain(first, 990 * kMiB);
  EXPECT_FALSE(policy.is_due(at(20, 0, 990, 100)));
  EXPECT_FALSE(policy.is_due(at(609, 0, 990, 100)));
  const auto again = at(610, 0, 990, 100);
  EXPECT_TRUE(policy.is_due(again));
  policy.note_gain(again, 200 * kMiB);
  EXPECT_TRUE(policy.is_due(at(620, 0, 400, 100)));
}

// It was done while a wide answer was being sent, and then that was over.
TEST(TrimPolicy, WhatBecomesFreeLaterDoesNotWait) {
  TrimPolicy policy;
  const auto sending = at(10, 0, 1400, 1200);
  EXPECT_FALSE(policy.is_due(at(0, 0, 1400, 1200)));
  EXPECT_TRUE(policy.is_due(sending));
  policy.note_gain(sending, 1380 * kMiB);
  EXPECT_FALSE(policy.is_due(at(20, 0, 1380, 1100)));
  EXPECT_TRUE(policy.is_due(at(30, 0, 1380, 580)));
}

#ifndef VARVE_SANITIZED  // sanitizers have allocators of their own
// Of a thread's arena, also when larger things have come and gone before.
TEST(MallocThresholds, TheEndOfAnArenaGoesBack) {
  set_malloc_thresholds();
  std::thread([] {
    std::vector<char>(24 * kMiB, 'x').clear();
    std::vector<std::vector<char>> list;
    list.reserve(640);
    EXPECT_GT(resident_bytes(), 0U);  // what it needs is not in the way at the end
    for (int i = 0; i < 640; ++i) list.emplace_back(64 << 10, 'x');
    const std::uint64_t held = resident_bytes();
    while (!list.empty()) list.pop_back();
    EXPECT_LT(resident_bytes() + 30 * kMiB, held);
  }).join();
}
#endif

}  // namespace
}  // namespace varve::server
