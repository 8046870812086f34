// SPDX-License-Identifier: Apache-2.0
// What the appender and the watermark have to do with each other.
#include <utility>

#include "engine/cassandra/hot/watermark.h"
#include "engine/cassandra/testing/appender_fixture.h"

namespace varve::engine::cassandra::testing {
namespace {

using WatermarkOfAppendsTest = AppenderTest;

TEST_F(WatermarkOfAppendsTest, AnAppendIsWaitedForUntilItIsAcknowledged) {
  const auto line = a.group({"cpu"}, "h");
  std::int64_t while_written = 0;
  cluster.clock.advance_ms(1000);
  cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
    if (&change.table != &cluster.tables.raw) return {};
    cluster.clock.advance_ms(5000);
    for (int i = 0; i < 2; ++i) {
      for (ClusterReplica* replica : {&a, &b}) EXPECT_TRUE(replica->watermark.renew());
    }
    while_written = *b.watermark.value();
    return {};
  });
  ASSERT_TRUE(is_good(a.append(line, now, 1)));
  EXPECT_LE(while_written, (now + 1000) * 1000);
  cluster.rows.before_write({});
  for (ClusterReplica* replica : {&a, &b}) EXPECT_TRUE(replica->watermark.renew());
  EXPECT_GT(*b.watermark.value(), (now + 1000) * 1000);
}

TEST_F(WatermarkOfAppendsTest, WhatFailsIsNotWaitedFor) {
  const auto line = a.group({"cpu"}, "h");
  cluster.rows.fail_writes_after(0);
  EXPECT_FALSE(is_good(a.append(line, now, 1)));
  cluster.rows.let_write();
  a.live(2000);
  EXPECT_TRUE(b.watermark.renew());
  EXPECT_EQ(*b.watermark.value(), cluster.clock.now_ms() * 1000);
}

TEST_F(WatermarkOfAppendsTest, ALeaseThatRanOutRefusesWhatIsWritten) {
  const auto line = a.group({"cpu"}, "h");
  for (const bool renewed : {false, true}) {
    bool once = true;
    cluster.rows.before_write([&](const MemoryRows::Change& change) -> Status {
      if (&change.table != &cluster.tables.raw || !std::exchange(once, false)) return {};
      cluster.clock.advance_ms(Watermark::kLeaseMs + 1);
      if (renewed) {
        EXPECT_TRUE(a.watermark.renew());
      }
      return {};
    });
    EXPECT_EQ(code_of(a.append(line, now, 1)), Code::unavailable) << renewed;
    EXPECT_FALSE(once);
    EXPECT_TRUE(is_good(a.append(line, now, 1))) << renewed;
  }
  a.renews = false;
  cluster.clock.advance_ms(Watermark::kLeaseMs + 1);
  const auto written = cluster.rows.counts(cluster.tables.raw).rows_written;
  EXPECT_EQ(code_of(a.append(line, now, 1)), Code::unavailable);
  EXPECT_EQ(cluster.rows.counts(cluster.tables.raw).rows_written, written) << "it is not even tried";
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
