// SPDX-License-Identifier: Apache-2.0
// Two replicas take in, seal, settle and recover on threads of their own, while time runs and Redis comes and goes.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "engine/cassandra/testing/sealed_view.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::Timestamp;
using model::testing::kHour;
using model::testing::kMinute;
const std::vector<std::string> kSealedMetrics = {"cpu"};

TEST(ClusterConcurrencyTest, WhatIsAcknowledgedIsSealed) {
  constexpr int kWriters = 3, kAppends = 150;
  Cluster cluster{{.partitions = 2, .rollups = {{5 * kMinute, rollup::kForEver}, {kHour, rollup::kForEver}}}};
  const Timestamp start = cluster.clock.now_ms();
  ClusterReplica a{cluster, 1}, b{cluster, 2};
  std::array<Samples, kWriters> acknowledged;
  std::atomic<int> writing = kWriters;
  {
    std::vector<std::jthread> threads;
    for (int w = 0; w < kWriters; ++w) {
      threads.emplace_back([&, w] {
        std::mt19937 random(static_cast<unsigned>(w));
        ClusterReplica& replica = w % 2 == 0 ? a : b;
        for (int i = 0; i < kAppends; ++i) {
          const auto line = replica.group(kSealedMetrics, "h" + std::to_string(w));
          const Timestamp time = cluster.clock.now_ms() - static_cast<Timestamp>(random() % (5 * kHour));
          while (true) {  // the clock may have run too far meanwhile
            const auto status = replica.append(line, time, i);
            if (status && *status) break;
          }
          acknowledged[static_cast<std::size_t>(w)][time] = i;
        }
        --writing;
      });
    }
    for (ClusterReplica* replica : {&a, &b}) {
      threads.emplace_back([&, replica] {
        while (writing > 0) {
          (void)replica->turns();
          (void)replica->worker.settle();
        }
      });
      threads.emplace_back([&, replica] {
        while (writing > 0) {
          (void)replica->missed_touches.turn();
          (void)replica->pending.pending(*replica->series.tenant("t"), {});
          std::this_thread::yield();
        }
      });
    }
    threads.emplace_back([&] {
      std::mt19937 random(99);
      while (writing > 0) {
        cluster.clock.advance_ms(100);
        if (random() % 500 == 0) cluster.clock.advance_ms(static_cast<std::int64_t>(random() % 10) * kMinute);
        if (random() % 2000 == 0) cluster.redis.lose();
        if (random() % 100 == 0) a.trackers.away(random() % 3 == 0);
        std::this_thread::yield();
      }
    });
  }
  a.trackers.away(false);
  const Timestamp end = cluster.clock.now_ms();
  for (int i = 0; i < 4; ++i) {
    cluster.clock.advance_ms(kMinute);
    ASSERT_TRUE(a.missed_touches.turn());
    ASSERT_TRUE(b.missed_touches.turn());
  }
  for (int hour = 0; hour < 60; ++hour) {
    cluster.clock.advance_ms(kHour);
    ASSERT_TRUE(a.turns());
    ASSERT_TRUE(b.turns());
  }
  EXPECT_EQ(a.worker.counts()->pending, 0U);
  EXPECT_EQ(a.worker.counts()->rollup_blocks_pending, 0U);
  SealedView view(cluster);
  const model::TimeRange all{start - 10 * kHour, end + kHour};
  for (std::size_t w = 0; w < kWriters; ++w) {
    const auto cells = SealedView::cells("h" + std::to_string(w), kSealedMetrics);
    EXPECT_EQ(view.sealed(cells, 1, 0, all), acknowledged[w]);
    for (std::size_t level = 0; level < 2; ++level) {
      EXPECT_EQ(shown(view.windows(cells, 0, level, all)),
                shown(windows_of(acknowledged[w], cluster.options.rollups[level].width_ms)));
    }
  }
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
