// SPDX-License-Identifier: Apache-2.0
#include "query/under_way.h"

#include <gtest/gtest.h>

#include "storage/testing/memory_store.h"

namespace varve::query {
namespace {

using Memory = MemoryLedger::Kind;

class UnderWayTest : public ::testing::Test {
 protected:
  Result<std::shared_ptr<UnderWay>> begin() {
    return UnderWay::begin(engine_, shown_as("t", "test", "names", "m"), &gone_);
  }
  bool kill() { return engine_.running().kill("t", engine_.running().list("t").at(0).id); }

  storage::testing::MemoryStore store_;
  ManualClock clock_;
  std::shared_ptr<MemoryLedger> ledger_ = std::make_shared<MemoryLedger>(std::size_t{16} << 20);
  Engine engine_{store_, store_, clock_, {.timeout = std::chrono::milliseconds(100)}, ledger_};
  std::atomic<bool> gone_{false};
};

TEST_F(UnderWayTest, IsListedUntilItsAnswerGoes) {
  auto query = begin().value();
  ASSERT_TRUE(query->budget().charge(5000));
  EXPECT_EQ(engine_.running().list("t").at(0).bytes, 5000U);
  EXPECT_GE(ledger_->held(Memory::query), 5000U);
  clock_.advance_ms(50);
  ASSERT_TRUE(query->answered(700));
  clock_.advance_ms(1000);  // it is sent for longer than a query may take
  const RunningQuery shown = engine_.running().list("t").at(0);
  EXPECT_EQ(shown.bytes, 700U);
  EXPECT_EQ(shown.text, "names");
  EXPECT_EQ(shown.metrics, std::vector<std::string>{"m"});
  EXPECT_EQ(shown.seconds, 1.05);
  EXPECT_EQ(shown.read.micros, 50'000);
  EXPECT_EQ(ledger_->held(Memory::query), 0U);
  EXPECT_EQ(ledger_->held(Memory::answer), 700U);
  query->sent(600);
  EXPECT_EQ(ledger_->held(Memory::answer), 100U);
  query.reset();
  EXPECT_EQ(ledger_->held(), 0U);
  EXPECT_TRUE(engine_.running().list("t").empty());
}

TEST_F(UnderWayTest, WhatWasReadCountsOnceItIsAnswered) {
  const auto query = begin().value();
  query->ticket().count().samples(7);
  EXPECT_EQ(engine_.running().read_in_all().samples, 0U);
  ASSERT_TRUE(query->answered(0));
  EXPECT_EQ(engine_.running().read_in_all().samples, 7U);
}

TEST_F(UnderWayTest, KilledAtWork) {
  const auto query = begin().value();
  EXPECT_TRUE(kill());
  EXPECT_TRUE(gone_);
  const auto error = query->explain(query->check()).error();
  EXPECT_EQ(error.code, Code::limit);
  EXPECT_EQ(error.message, "the query was killed by an operator");
  EXPECT_EQ(query->answered(5).error().code, Code::limit);
  EXPECT_FALSE(query->ticket().on_kill([] {}));
}

TEST_F(UnderWayTest, KilledWhileItsAnswerIsSent) {
  auto query = begin().value();
  ASSERT_TRUE(query->answered(5));
  ASSERT_TRUE(query->ticket().on_kill([&] { query.reset(); }));  // who is told may end it at once
  EXPECT_TRUE(kill());
  EXPECT_EQ(query, nullptr);
  EXPECT_FALSE(gone_);  // the next request of this client may have it
  EXPECT_EQ(ledger_->held(), 0U);
}

TEST_F(UnderWayTest, TooLong) {
  const auto query = begin().value();
  clock_.advance_ms(100);
  EXPECT_TRUE(query->check());
  clock_.advance_ms(1);
  EXPECT_EQ(query->check().error().code, Code::timeout);
}

TEST_F(UnderWayTest, NoneBeginsWithoutMemory) {
  MemoryLedger::Account all(ledger_, Memory::query);
  MemoryLedger::Account share[2] = {{ledger_, Memory::query}, {ledger_, Memory::query}};
  ASSERT_TRUE(all.resize(ledger_->room()));
  EXPECT_TRUE(begin());  // it is small
  ASSERT_TRUE(share[0].resize(std::size_t{1} << 20));
  ASSERT_TRUE(share[1].resize(std::size_t{1} << 20));
  EXPECT_EQ(begin().error().code, Code::unavailable);
  EXPECT_TRUE(engine_.running().list("t").empty());
  EXPECT_EQ(ledger_->refused(), 1U);
}

TEST_F(UnderWayTest, AnAnswerMayOutliveItsEngine) {
  std::shared_ptr<UnderWay> query;
  {
    const Engine engine(store_, store_, clock_, {}, ledger_);
    query = UnderWay::begin(engine, shown_as("t", "test", ""), nullptr).value();
    ASSERT_TRUE(query->answered(10));
  }
  EXPECT_EQ(ledger_->held(Memory::answer), 10U);
  query.reset();
  EXPECT_EQ(ledger_->held(), 0U);
}

// The whole way of a query: what it held is its answer's, and goes with that.
TEST_F(UnderWayTest, TheEnginesAnswerHoldsItsQuery) {
  for (int i = 0; i < 5000; ++i) store_.put("t", "m", {{"host", "a"}}, i, model::Value::of_long(i));
  Request request = shown_as("t", "test", "all", "m");
  {
    auto answer = engine_.run(request, nullptr);
    ASSERT_TRUE(answer);
    EXPECT_EQ(ledger_->held(Memory::query), 0U);
    EXPECT_EQ(ledger_->held(Memory::answer), count_bytes(*answer));
    EXPECT_GE(ledger_->held(Memory::answer), 5000U * 16);
    const std::size_t before = ledger_->held(Memory::answer);
    const std::size_t group = bytes_held(answer->metrics[0].groups[0]);
    let_go(*answer, answer->metrics[0].groups[0]);
    EXPECT_EQ(before - ledger_->held(Memory::answer), group);
    EXPECT_EQ(engine_.running().list("t").size(), 1U);
  }
  EXPECT_EQ(ledger_->held(), 0U);
  MemoryLedger::Account all(ledger_, Memory::body);
  ASSERT_TRUE(all.resize(ledger_->room()));
  MemoryLedger::Account share(ledger_, Memory::query);
  ASSERT_TRUE(share.resize((std::size_t{1} << 20) + (std::size_t{1} << 18)));
  for (int i = 0; i < 60'000; ++i) store_.put("t", "m", {{"host", "a"}}, i, model::Value::of_long(i));
  const auto refused = engine_.run(request, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
  EXPECT_EQ(ledger_->held(Memory::answer), 0U);
}

}  // namespace
}  // namespace varve::query
