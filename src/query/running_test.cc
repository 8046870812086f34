// SPDX-License-Identifier: Apache-2.0
#include "query/running.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <set>
#include <thread>

namespace varve::query {
namespace {

Request request_of(std::string tenant, std::string metric) {
  Request request;
  request.tenant = std::move(tenant);
  request.api = "test";
  request.text = std::string(kQueryTextMax + 5, 'x');
  request.metrics.emplace_back().metric = std::move(metric);
  return request;
}

class RunningTest : public ::testing::Test {
 protected:
  RunningQueries running_;
  ManualClock clock_{1000};
  Budget budget_{1 << 20};
};

TEST_F(RunningTest, ListedWhileItRuns) {
  const Request request = request_of("t", "cpu");
  std::optional<RunningQueries::Ticket> ticket(std::in_place, running_, request, budget_, clock_, nullptr);
  ticket->count().samples(3);
  ticket->count().samples(4);
  ASSERT_TRUE(budget_.charge(77));
  clock_.advance_ms(250);
  const auto list = running_.list("t");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].api, "test");
  EXPECT_EQ(list[0].text.size(), kQueryTextMax);
  EXPECT_EQ(list[0].metrics, std::vector<std::string>{"cpu"});
  EXPECT_EQ(list[0].started_ms, 1000);
  EXPECT_EQ(list[0].seconds, 0.25);
  EXPECT_EQ(list[0].read.samples, 7U);
  EXPECT_EQ(list[0].bytes, 77U);
  ticket.reset();
  EXPECT_TRUE(running_.list("t").empty());
  EXPECT_FALSE(running_.kill("t", list[0].id));
}

TEST_F(RunningTest, OldestFirstAndEachItsId) {
  const Request request = request_of("t", "m");
  std::deque<RunningQueries::Ticket> tickets;
  for (int i = 0; i < 100; ++i)
    tickets.emplace_back(running_, request, budget_, clock_, nullptr).count().samples(1U + static_cast<unsigned>(i));
  std::set<std::string> ids;
  std::uint64_t last = 0;
  for (const auto& query : running_.list("t")) {
    EXPECT_EQ(query.read.samples, ++last);
    EXPECT_EQ(query.id.size(), 16U);
    ids.insert(query.id);
  }
  EXPECT_EQ(ids.size(), 100U);
}

TEST_F(RunningTest, KillSetsTheFlagOfOne) {
  const Request request = request_of("t", "m");
  std::atomic<bool> flag{false};
  const RunningQueries::Ticket first(running_, request, budget_, clock_, &flag);
  const RunningQueries::Ticket second(running_, request, budget_, clock_, nullptr);
  const auto list = running_.list("t");
  EXPECT_TRUE(running_.kill("t", list[1].id));
  EXPECT_FALSE(flag);
  EXPECT_TRUE(*second.cancelled());
  EXPECT_TRUE(running_.kill("t", list[0].id));
  EXPECT_TRUE(flag);
  EXPECT_TRUE(first.killed());
  EXPECT_FALSE(running_.kill("t", ""));
}

TEST_F(RunningTest, EachTenantItsOwn) {
  const Request a = request_of("a", "m");
  const Request b = request_of("b", "m");
  const RunningQueries::Ticket of_a(running_, a, budget_, clock_, nullptr);
  const RunningQueries::Ticket of_b(running_, b, budget_, clock_, nullptr);
  ASSERT_EQ(running_.list("a").size(), 1U);
  EXPECT_TRUE(running_.list("").empty());
  EXPECT_FALSE(running_.kill("b", running_.list("a")[0].id));
  EXPECT_FALSE(of_a.killed());
}

TEST_F(RunningTest, OnlyAKilledQuerySaysSo) {
  const Request request = request_of("t", "m");
  std::atomic<bool> gone{false};
  const RunningQueries::Ticket ticket(running_, request, budget_, clock_, &gone);
  const Status cancelled = fail(Code::cancelled, "c");
  EXPECT_EQ(ticket.explain(cancelled).error().message, "c");  // the client hung up
  ASSERT_TRUE(running_.kill("t", running_.list("t")[0].id));
  EXPECT_EQ(ticket.explain(cancelled).error().message, "the query was killed by an operator");
  EXPECT_EQ(ticket.explain(cancelled).error().code, Code::limit);
  EXPECT_EQ(ticket.explain(Status(fail(Code::timeout, "t"))).error().message, "t");
  EXPECT_TRUE(ticket.explain(Status()));
}

// Each query runs until it is killed, from another thread.
TEST_F(RunningTest, ManyThreads) {
  const Request request = request_of("t", "m");
  std::atomic<int> left{3 * 300};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i, --left) {
        RunningQueries::Ticket ticket(running_, request, budget_, clock_, nullptr);
        ticket.count().samples(1);
        ticket.cancelled()->wait(false);
      }
    });
  }
  while (left > 0) {
    for (const auto& query : running_.list("t")) running_.kill("t", query.id);
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(running_.list("t").empty());
}

}  // namespace
}  // namespace varve::query
