// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/time_mark.h"

#include <gtest/gtest.h>

#include "engine/cassandra/testing/cluster.h"

namespace varve::engine::cassandra::testing {
namespace {

TEST(TimeMarkTest, TheLatestStays) {
  Cluster cluster;
  TimeMark a("varve", cluster.tables, cluster.rows), b("varve", cluster.tables, cluster.rows);
  TimeMark other("other", cluster.tables, cluster.rows);
  EXPECT_EQ(*a.read(), 0);
  ASSERT_TRUE(a.write(7'000));
  ASSERT_TRUE(b.write(5'000));
  EXPECT_EQ(*a.read(), 7'000);
  EXPECT_EQ(*b.read(), 7'000);
  EXPECT_EQ(*other.read(), 0);
  cluster.rows.refuse(true);
  EXPECT_EQ(a.read().error().code, Code::unavailable);
}

// It is no marker.
TEST(TimeMarkTest, NobodyTakesItForAProcessInTrouble) {
  Cluster cluster;
  ClusterReplica a(cluster, 1);
  TimeMark mark("varve", cluster.tables, cluster.rows);
  ASSERT_TRUE(mark.write(cluster.clock.now_ms()));
  EXPECT_FALSE(*a.missed_touches.any());
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
