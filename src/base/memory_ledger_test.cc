// SPDX-License-Identifier: Apache-2.0
#include "base/memory_ledger.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace varve {
namespace {

using Kind = MemoryLedger::Kind;
using Account = MemoryLedger::Account;

constexpr std::size_t kMiB = std::size_t{1} << 20;

class MemoryLedgerTest : public ::testing::Test {
 protected:
  // Two shares of 2 MiB for small ones, 12 MiB for the rest.
  const std::shared_ptr<MemoryLedger> ledger_ = std::make_shared<MemoryLedger>(16 * kMiB);
};

TEST_F(MemoryLedgerTest, TheRestIsForLargeOnesToTheLastByte) {
  Account large(ledger_, Kind::body);
  EXPECT_FALSE(large.resize(12 * kMiB + 1));
  EXPECT_EQ(ledger_->held(), 0U);
  EXPECT_TRUE(large.resize(12 * kMiB));
  EXPECT_EQ(ledger_->room(), 0U);
  EXPECT_FALSE(large.resize(12 * kMiB + 1));
  EXPECT_EQ(large.bytes(), 12 * kMiB);
  EXPECT_EQ(ledger_->held(Kind::body), 12 * kMiB);
  large.clear();
  EXPECT_EQ(ledger_->room(), 12 * kMiB);
}

TEST_F(MemoryLedgerTest, SmallOnesFindRoomBesideLargeOnes) {
  Account large(ledger_, Kind::query);
  ASSERT_TRUE(large.resize(12 * kMiB));
  Account body(ledger_, Kind::body);
  Account query(ledger_, Kind::query);
  Account answer(ledger_, Kind::answer);
  EXPECT_TRUE(body.resize(MemoryLedger::kSmallMax));
  EXPECT_FALSE(body.resize(MemoryLedger::kSmallMax + 1));  // no longer small
  EXPECT_TRUE(query.resize(kMiB));
  EXPECT_TRUE(answer.resize(kMiB));  // of one share with queries, which is full now
  EXPECT_FALSE(answer.resize(kMiB + 1));
  EXPECT_FALSE(Account(ledger_, Kind::query).resize(1));
  EXPECT_TRUE(Account(ledger_, Kind::body).resize(2 * kMiB - MemoryLedger::kSmallMax));  // bodies have their own
  EXPECT_EQ(ledger_->held(Kind::answer), kMiB);
}

TEST_F(MemoryLedgerTest, SmallOnesAreInTheRestOnceTheirShareIsFull) {
  std::vector<std::unique_ptr<Account>> small;
  for (int i = 0; i < 14; ++i) {
    small.push_back(std::make_unique<Account>(ledger_, Kind::body));
    EXPECT_TRUE(small.back()->resize(kMiB)) << i;
  }
  EXPECT_EQ(ledger_->room(), 0U);
  EXPECT_FALSE(Account(ledger_, Kind::body).resize(1));
  EXPECT_TRUE(Account(ledger_, Kind::query).resize(kMiB));
}

TEST_F(MemoryLedgerTest, OneThatGrowsMovesAndGivesItsSmallShareBack) {
  Account body(ledger_, Kind::body);
  ASSERT_TRUE(body.resize(kMiB));
  EXPECT_EQ(ledger_->room(), 12 * kMiB);
  ASSERT_TRUE(body.resize(5 * kMiB));
  EXPECT_EQ(ledger_->room(), 7 * kMiB);
  Account other(ledger_, Kind::body);
  Account another(ledger_, Kind::body);
  EXPECT_TRUE(other.resize(kMiB));
  EXPECT_TRUE(another.resize(kMiB));
  EXPECT_EQ(ledger_->room(), 7 * kMiB);
}

TEST_F(MemoryLedgerTest, OneThatWillBeLargeTakesNothingFromSmallOnes) {
  Account claims(ledger_, Kind::body);
  claims.expect_large();
  ASSERT_TRUE(claims.resize(1000));
  EXPECT_EQ(ledger_->room(), 12 * kMiB - 1000);
  claims.clear();
  ASSERT_TRUE(claims.resize(1000));
  EXPECT_EQ(ledger_->room(), 12 * kMiB);
}

TEST_F(MemoryLedgerTest, LessAlwaysFits) {
  Account large(ledger_, Kind::query);
  ASSERT_TRUE(large.resize(12 * kMiB));
  Account first(ledger_, Kind::query);
  Account second(ledger_, Kind::query);
  ASSERT_TRUE(first.resize(kMiB));
  ASSERT_TRUE(second.resize(kMiB));
  EXPECT_TRUE(large.become(Kind::answer, kMiB / 2));  // small now, but the share of small ones is full
  EXPECT_EQ(ledger_->held(Kind::query), 2 * kMiB);
  EXPECT_EQ(ledger_->held(Kind::answer), kMiB / 2);
  EXPECT_EQ(ledger_->held(), ledger_->held(Kind::query) + ledger_->held(Kind::answer));
}

TEST_F(MemoryLedgerTest, WithoutALedgerThereIsRoom) {
  Account account(nullptr, Kind::query);
  EXPECT_TRUE(account.resize(std::size_t{1} << 60));
  EXPECT_EQ(account.bytes(), std::size_t{1} << 60);
}

TEST_F(MemoryLedgerTest, ShowsWhatIsHeldAndWhoWasRefused) {
  Metrics metrics;
  MemoryLedger::register_metrics(ledger_, metrics);
  Account answer(ledger_, Kind::answer);
  ASSERT_TRUE(answer.resize(77));
  ledger_->note_refused();
  const std::string text = metrics.text();
  EXPECT_NE(text.find("varve_memory_bytes{kind=\"answer\"} 77\n"), std::string::npos) << text;
  EXPECT_NE(text.find("varve_memory_bytes{kind=\"body\"} 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("varve_memory_bytes{kind=\"query\"} 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("varve_http_shed_total 1\n"), std::string::npos) << text;
}

// Whatever they do, the sum stays within the limit, that of the numbers that are shown, too; in the end nothing is
// held.
TEST_F(MemoryLedgerTest, ManyThreads) {
  Metrics metrics;
  MemoryLedger::register_metrics(ledger_, metrics);
  std::atomic<int> left{4};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      Account accounts[] = {{ledger_, Kind::body}, {ledger_, Kind::query}, {ledger_, Kind::answer}};
      for (int i = 0; i < 20'000; ++i) {
        Account& account = accounts[random() % 3];
        const std::size_t bytes = random() % 4 == 0 ? random() % (8 * kMiB) : random() % (2 * kMiB);
        const std::size_t before = account.bytes();
        if (random() % 5 == 0) {
          account.clear();
        } else if (!account.become(static_cast<Kind>(random() % 3), bytes)) {
          ASSERT_EQ(account.bytes(), before);
          ASSERT_GT(bytes, before);
        }
      }
      --left;
    });
  }
  while (left > 0) {
    ASSERT_LE(ledger_->held(), ledger_->limit());
    double shown = 0;
    for (const MetricSample& sample : metrics.samples()) {
      if (sample.name == "varve_memory_bytes") shown += sample.value;
    }
    EXPECT_LE(shown, static_cast<double>(ledger_->limit()));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ledger_->held(), 0U);
  EXPECT_EQ(ledger_->room(), 12 * kMiB);
}

}  // namespace
}  // namespace varve
