// SPDX-License-Identifier: Apache-2.0
// Threads of two replicas announce, ask, forget and listen at once.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/cassandra/series/testing/replica.h"

namespace varve::engine::cassandra::testing {
namespace {

// Time goes on by itself while threads run.
TEST(SeriesConcurrency, WhatWasAcknowledgedIsFound) {
  constexpr int kWriters = 2, kHosts = 60;
  Shared shared;
  Replica a(shared), b(shared);
  std::atomic<int> acknowledged[kWriters] = {};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      for (int i = 0; i < kHosts; ++i) {
        // Both of them in turn, and the same metrics from both writers.
        Replica& replica = (i + w) % 2 == 0 ? a : b;
        EXPECT_TRUE(replica.append(replica.group({"m" + std::to_string(w), "shared"}, "h" + std::to_string(i))));
        acknowledged[w] = i + 1;
        shared.clock.advance_ms(1);
      }
    });
  }
  for (Replica* replica : {&a, &b}) {
    threads.emplace_back([&, replica] {
      while (!stop) EXPECT_TRUE(replica->listen());
    });
    threads.emplace_back([&, replica] {
      while (!stop) {
        for (int w = 0; w < kWriters; ++w) {
          const auto least = static_cast<std::size_t>(acknowledged[w].load());
          const auto found = replica->hosts("m" + std::to_string(w));
          EXPECT_TRUE(found && found->size() >= least);
        }
      }
    });
  }
  for (int w = 0; w < kWriters; ++w) threads[static_cast<std::size_t>(w)].join();
  stop = true;
  for (std::size_t t = kWriters; t < threads.size(); ++t) threads[t].join();
  EXPECT_EQ(a.hosts("shared")->size(), std::size_t{kHosts});
  EXPECT_EQ(b.hosts("shared")->size(), std::size_t{kHosts});
}

TEST(SeriesConcurrency, ManyWhoAskTheSameReadItOnce) {
  Shared shared;
  Replica a(shared), b(shared);
  ASSERT_TRUE(a.append(a.group({"cpu"}, "a")));
  const auto tenant = b.find_tenant("t");
  std::atomic<int> waiting{0};
  constexpr int kThreads = 8;
  shared.rows.before_read([&](const RowRead& read) -> Status {
    if (read.table != &shared.tables.series_sets) return {};
    while (waiting < kThreads) std::this_thread::yield();  // until all of them ask
    return {};
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      ++waiting;
      EXPECT_EQ(b.hosts("cpu").value(), std::vector<std::string>{"a"});
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(shared.rows.counts(shared.tables.series_sets).reads, 16U);
}

// Writers and a deleter of the same series: in the end what was written last is there.
TEST(SeriesConcurrency, WrittenAndForgottenAtOnce) {
  Shared shared;
  Replica a(shared), b(shared);
  const auto group = a.group({"cpu", "mem"}, "a");
  ASSERT_TRUE(a.append(group));
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) {
      // One that is overtaken by deletes again and again is refused, and the client tries again.
      Status appended = a.append(group);
      while (!appended && appended.error().code == Code::unavailable) appended = a.append(group);
      EXPECT_TRUE(appended);
      shared.clock.advance_ms(1);
    }
    stop = true;
  });
  std::thread listener([&] {
    while (!stop) EXPECT_TRUE(a.listen());
  });
  while (!stop) b.erase("cpu", "a");
  writer.join();
  listener.join();
  shared.clock.advance_ms(1000);
  ASSERT_TRUE(a.listen());
  ASSERT_TRUE(a.append(group));
  EXPECT_EQ(*b.hosts("cpu"), std::vector<std::string>{"a"});
  EXPECT_EQ(*b.hosts("mem"), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
