// SPDX-License-Identifier: Apache-2.0
// What is dropped of groups that are stored for longer than some of their series are kept.
#include <gtest/gtest.h>

#include "engine/cassandra/settle/dropper.h"
#include "engine/cassandra/testing/cluster.h"
#include "engine/cassandra/testing/sealed_view.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;

ClusterOptions with_two_days() {
  rollup::RetentionRule rule{.name = "c", .retention_ms = 2 * kDay};
  EXPECT_TRUE(rollup::read_retention_conditions("metric=kept", rule));
  return {.raw_retention_ms = kDay, .retention_rules = {rule}};
}

class DropperClasses : public ::testing::Test {
 protected:
  void append(model::Timestamp time, std::int64_t value) {
    cluster.clock.advance_ms(1);
    const auto status = a.append(a.group({"cpu", "kept"}, "h"), time, value);
    ASSERT_TRUE(status && *status);
  }
  // Until it has looked at all hours that there may be.
  void drop() {
    for (std::int64_t hours = 0; hours < kHotKeptMs / kHour + 12; hours += 12) {
      ASSERT_TRUE(a.dropper.run([] { return true; }));
    }
  }
  void turns_in(std::int64_t ms) {
    a.live(ms);
    ASSERT_TRUE(a.turns());
  }
  std::size_t hot() { return cluster.rows.size(cluster.tables.raw); }
  ShownWindows windows() {
    return shown(view.windows(SealedView::cells("h", {"cpu", "kept"}), 0, 0, {now - kDay, now + kDay}));
  }

  Cluster cluster{with_two_days()};
  ClusterReplica a{cluster, 1};
  SealedView view{cluster};
  const model::Timestamp now = cluster.clock.now_ms();
};

// A rollup block that is made once more is made of sealed rows, which lack what came late, and of the hot ones.
TEST_F(DropperClasses, NothingGoesWhileSealedRowsOfTheLongestAreAboutToGo) {
  append(now, 3);
  turns_in(kHour + cluster.options.quiet_ms + kMinute);
  turns_in(cluster.rollup_blocks_ms[0]);
  drop();
  turns_in(3 * kDay - 6 * kHour);  // sealed rows of series in no class alone would be gone
  drop();
  EXPECT_EQ(hot(), 0U);
  append(now + 1, 4);
  for (int i = 0; i < 2; ++i) {
    turns_in(kHour + cluster.options.quiet_ms + kMinute);
    drop();
    EXPECT_EQ(hot(), 1U);
    EXPECT_EQ(windows(), (ShownWindows{{now, "2/7/3/4"}}));
    cluster.redis.lose();  // all that the journal names is worked on again
    ASSERT_TRUE(a.missed_touches.turn());
  }
}

// The rows of two groups with one series are stored for several times: it counts in the windows of those that stay.
TEST(SeriesOfSeveralClasses, CountInTheGroupThatIsStoredForLonger) {
  rollup::RetentionRule rule{.name = "c", .retention_ms = 30 * kDay};
  ASSERT_TRUE(rollup::read_retention_conditions("metric=kept", rule));
  for (const bool wide_first : {false, true}) {
    Cluster cluster{{.raw_retention_ms = kDay, .retention_rules = {rule}}};
    ClusterReplica a{cluster, 1};
    SealedView view{cluster};
    const model::Timestamp now = cluster.clock.now_ms();
    const std::vector<std::string> wide = {"cpu", "kept"}, narrow = {"cpu"};
    const auto append = [&](const std::vector<std::string>& metrics, model::Timestamp time, std::int64_t value) {
      cluster.clock.advance_ms(1);
      const auto status = a.append(a.group(metrics, "h"), time, value);
      ASSERT_TRUE(status && *status);
    };
    const auto turns = [&] {
      for (int i = 0; i < 3; ++i) {
        a.live(kHour + cluster.options.quiet_ms + kMinute);
        ASSERT_TRUE(a.turns());
      }
    };
    append(wide_first ? wide : narrow, now, 3);
    append(wide_first ? narrow : wide, now, 3);
    turns();
    a.live(cluster.rollup_blocks_ms[0]);
    turns();
    const auto shown_now = [&] {
      rollup::PartPool none;
      const model::TimeRange all{now - kDay, now + kDay};
      return shown(rollup::merged(view.windows(SealedView::cells("h", wide), 0, 0, all),
                                  view.windows(SealedView::cells("h", narrow), 0, 0, all), none));
    };
    EXPECT_EQ(shown_now(), (ShownWindows{{now, "1/3/3/3"}}));
    a.live(3 * kDay);  // sealed rows of the narrow one are gone
    append(wide, now + 1, 5);
    turns();
    EXPECT_EQ(shown_now(), (ShownWindows{{now, "2/8/3/5"}})) << wide_first;
  }
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
