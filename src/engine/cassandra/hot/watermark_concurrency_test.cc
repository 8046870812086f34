// SPDX-License-Identifier: Apache-2.0
// Appends begin and end on several threads while both replicas renew.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "engine/cassandra/testing/watermark_replica.h"

namespace varve::engine::cassandra::testing {
namespace {

TEST(WatermarkConcurrencyTest, ItIsBelowAllThatIsUnderWay) {
  Cluster cluster;
  WatermarkReplica a{cluster, 1}, b{cluster, 2};
  for (WatermarkReplica* replica : {&a, &b}) ASSERT_TRUE(replica->watermark.renew());
  constexpr int kThreads = 3, kAppends = 2000;
  std::atomic<int> good = 0, writing = kThreads;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        WatermarkReplica& own = t % 2 == 0 ? a : b;
        for (int i = 0; i < kAppends; ++i) {
          const auto append = own.begin();
          if (!append) continue;
          std::this_thread::yield();
          EXPECT_LE(a.watermark.reached_us(), append->first_us);
          EXPECT_LE(b.watermark.reached_us(), append->first_us);
          if (own.watermark.end(*append)) ++good;
        }
        --writing;
      });
    }
    for (WatermarkReplica* replica : {&a, &b}) {
      threads.emplace_back([&, replica] {
        while (writing > 0) {
          cluster.clock.advance_ms(1);
          EXPECT_TRUE(replica->watermark.renew());
        }
      });
    }
  }
  EXPECT_GT(good, 0);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
