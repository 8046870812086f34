// SPDX-License-Identifier: Apache-2.0
#include "query/budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace varve::query {
namespace {

using Memory = MemoryLedger::Kind;
constexpr std::size_t kMiB = std::size_t{1} << 20;

class BudgetTest : public ::testing::Test {
 protected:
  // 12 MiB are for what is not small.
  const std::shared_ptr<MemoryLedger> ledger_ = std::make_shared<MemoryLedger>(16 * kMiB);
};

TEST_F(BudgetTest, ItsOwnLimit) {
  Budget budget(1000, ledger_);
  EXPECT_TRUE(budget.charge(1000));
  const Status over = budget.charge(1);
  EXPECT_EQ(over.error().code, Code::limit);
  EXPECT_LE(ledger_->held(Memory::query), 1000U);
  EXPECT_EQ(ledger_->refused(), 0U);
}

TEST_F(BudgetTest, TheLedgersLimit) {
  Budget budget(100 * kMiB, ledger_);
  EXPECT_TRUE(budget.charge(12 * kMiB));
  EXPECT_EQ(ledger_->held(Memory::query), 12 * kMiB);
  EXPECT_EQ(budget.charge(1).error().code, Code::unavailable);
  // It has lost what it could not charge, so room that comes later does not mend it.
  budget.release(10 * kMiB);
  EXPECT_EQ(budget.charge(0).error().code, Code::unavailable);
  EXPECT_EQ(budget.become_answer(5).error().code, Code::unavailable);
  EXPECT_EQ(ledger_->refused(), 1U);
}

TEST_F(BudgetTest, AsksForMoreAtATime) {
  Budget budget(100 * kMiB, ledger_);
  EXPECT_TRUE(budget.charge(1));
  const std::size_t held = ledger_->held(Memory::query);
  EXPECT_GT(held, 10'000U);
  EXPECT_TRUE(budget.charge(9'999));
  EXPECT_EQ(ledger_->held(Memory::query), held);
}

TEST_F(BudgetTest, AnAnswerIsOfItsOwnKindAndGoesBitByBit) {
  {
    Budget budget(100 * kMiB, ledger_);
    ASSERT_TRUE(budget.charge(8 * kMiB));
    ASSERT_TRUE(budget.become_answer(3 * kMiB));
    EXPECT_EQ(ledger_->held(Memory::query), 0U);
    EXPECT_EQ(ledger_->held(Memory::answer), 3 * kMiB);
    ASSERT_TRUE(budget.charge(kMiB));
    EXPECT_GE(ledger_->held(Memory::answer), 4 * kMiB);
    budget.release(2 * kMiB);
    budget.trim();
    EXPECT_EQ(ledger_->held(Memory::answer), 2 * kMiB);
    EXPECT_EQ(budget.used(), 2 * kMiB);
    EXPECT_EQ(budget.become_answer(13 * kMiB).error().code, Code::unavailable);
  }
  EXPECT_EQ(ledger_->held(), 0U);
}

TEST_F(BudgetTest, ManyThreads) {
  {
    Budget budget(kMiB * 100, ledger_);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 2000; ++i) {
          ASSERT_TRUE(budget.charge(1024));
          if (i % 2 == 0) budget.release(1024);
          if (i % 100 == 0) budget.trim();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(budget.used(), 4U * 1000 * 1024);
    EXPECT_GE(ledger_->held(Memory::query), budget.used());
  }
  EXPECT_EQ(ledger_->held(), 0U);
}

}  // namespace
}  // namespace varve::query
