// SPDX-License-Identifier: Apache-2.0
// Two replicas take in, seal and make, while both die now and then, the store fails, and Redis goes away, or comes back
// empty. At any time what is not pending is sealed; and in the end everything is, or is in the windows where samples
// live for some hours only.
#include <gtest/gtest.h>

#include <random>

#include "base/testing/effort.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/testing/sealed_view.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra::testing {
namespace {

using model::TimeRange;
using model::Timestamp;

using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;
constexpr int kHosts = 4;
constexpr int kGroupsOfFewBits = 1024;  // of a tenant; tables/hot_rows.h
const std::vector<std::string> kBothMetrics = {"cpu", "mem"}, kOneMetric = {"cpu"};

ClusterOptions for_ever() {
  return {.partitions = 2,
          .rollups = {{5 * kMinute, rollup::kForEver}, {kHour, rollup::kForEver}, {kDay, rollup::kForEver}}};
}
ClusterOptions for_hours() {
  ClusterOptions options = for_ever();
  options.raw_retention_ms = 6 * kHour;
  options.rollups[0].retention_ms = 2 * kDay;
  return options;
}

struct ClusterModel {
  ClusterModel(unsigned seed, const ClusterOptions& options) : random(seed), cluster(options) {
    for (auto& replica : replicas) replica = fresh();
  }

  // Some know so many groups that their hash prefixes have more bits.
  std::unique_ptr<ClusterReplica> fresh() {
    auto replica = std::make_unique<ClusterReplica>(cluster, ++sources);
    for (int i = chance(30) ? 0 : kGroupsOfFewBits; i < kGroupsOfFewBits; ++i) {
      replica->group(kOneMetric, "x" + std::to_string(i));
    }
    return replica;
  }
  bool chance(unsigned percent) { return random() % 100 < percent; }
  ClusterReplica& any() { return *replicas[random() % replicas.size()]; }
  void advance(std::int64_t ms) { cluster.clock.advance_ms(ms); }

  // Some never call back: their process is dead.
  void replace_dead() {
    for (auto& replica : replicas) {
      if (!replica->rows.dead()) continue;
      graves.push_back(std::move(replica));
      graves.back()->kill();
      replica = fresh();
      if (redis_away) replica->trackers.away(true);
    }
  }

  // As clients do: again, until it is acknowledged. Hosts from 2 on send to two groups, at one time equal values.
  void append() {
    const int host = static_cast<int>(random() % (is_short ? 2 : kHosts));
    const bool shared = host >= 2;
    const bool wide = !shared || chance(50);
    const Timestamp now = cluster.clock.now_ms();
    Samples batch;
    for (unsigned i = 0; i <= random() % 3; ++i) {
      std::int64_t past = chance(30) ? 10 * kHour : kHour;
      if (is_short && chance(40)) past = chance(20) ? 6 * kDay : 40 * kHour;
      Timestamp time = now - static_cast<Timestamp>(random() % static_cast<std::uint64_t>(past));
      // A late sample that replaces another one counts as one more.
      if (is_short && samples["h" + std::to_string(host)]["cpu"].contains(time)) continue;
      if (shared) time = model::window_start(time, kMinute);
      batch[time] = shared ? time % 97 : static_cast<int>(random() % 1000);
    }
    if (chance(10)) {  // hours that become due, and are sealed, together
      for (int hour = 1; hour < 9 && !is_short; ++hour) {
        const Timestamp time = model::window_start(now, kMinute) - hour * kHour;
        batch[time] = shared ? time % 97 : hour;
      }
    }
    if (batch.empty()) return;
    for (int tries = 0;; ++tries) {
      ASSERT_LT(tries, 50) << "nothing is taken in any more";
      advance(1);
      ClusterReplica& replica = any();
      const auto line = replica.group(wide ? kBothMetrics : kOneMetric, "h" + std::to_string(host));
      model::LineGroup group;
      line.set(group);
      model::RowBatch rows;
      for (const auto& [time, value] : batch) {
        rows.add(group, time, std::vector<model::Value>(line.count, model::Value::of_long(value)));
      }
      if (tries == 0 && chance(10)) cluster.rows.fail_writes_after(random() % 8);
      if (tries == 0 && chance(5)) replica.rows.kill_after(random() % 8);
      if (tries == 0 && chance(5)) replica.trackers.away_after(0);
      const auto status = replica.append(rows);
      heal(replica);
      replace_dead();
      if (status && *status) break;
    }
    for (const auto& [time, value] : batch) {
      samples["h" + std::to_string(host)]["cpu"][time] = value;
      if (wide) samples["h" + std::to_string(host)]["mem"][time] = value;
    }
  }
  void heal(ClusterReplica& replica) {
    cluster.rows.let_write();
    replica.rows.let_live();
    replica.trackers.away_after(-1);
    replica.trackers.away(redis_away);
  }

  void work() {
    ClusterReplica& replica = any();
    if (chance(10)) cluster.rows.fail_writes_after(random() % 6);
    if (chance(10)) replica.rows.kill_after(random() % 6, true);
    if (chance(10)) replica.trackers.away_after(static_cast<int>(random() % 12));
    if (chance(30)) {
      drop(replica);
    } else if (chance(10)) {
      (void)replica.worker.settle();
    } else {
      (void)replica.worker.turn(static_cast<std::uint32_t>(random() % cluster.options.partitions), [] { return true; });
    }
    heal(replica);
    replace_dead();
  }

  // Whatever fails of it, and with what the other replica has published a while ago.
  void drop(ClusterReplica& replica) {
    if (chance(90)) (void)replica.watermark.renew();
    (void)replica.dropper.run([] { return true; });
  }

  void redis() {
    switch (random() % 4) {
      case 0: cluster.redis.lose(); break;
      case 1:
        redis_away = !redis_away;
        for (auto& replica : replicas) replica->trackers.away(redis_away);
        break;
      default:
        for (auto& replica : replicas) (void)replica->missed_touches.turn();
    }
  }

  // What is not pending is there, whoever is asked.
  void look() {
    ClusterReplica& replica = any();
    const auto pending = replica.pending.pending(*replica.series.tenant("t"), {});
    ASSERT_TRUE(pending) << pending.error().message;
    const TimeRanges open = distrusted({pending->slots, {{}, {}, {}}}, 1, widths, kHour);
    std::vector<TimeRanges> distrust;
    for (std::size_t level = 0; level < widths.size(); ++level) {
      distrust.push_back(distrusted(*pending, level, widths, kHour));
    }
    const Timestamp now = cluster.clock.now_ms();
    if (!is_short) expect_readable(replica, pending->slots);
    expect_sealed([&](Timestamp time) {
      const Timestamp end = model::window_start(time, kHour) + kHour;
      return !overlaps(open, {time, time + 1}) && !is_over(end, cluster.options.raw_retention_ms, now);
    });
    for (std::size_t level = 0; level < widths.size(); ++level) {
      const std::int64_t retention = cluster.options.rollups[level].retention_ms;
      expect_rollup_blocks(level, [&](Timestamp start) {
        if (is_over(start, retention, now)) return false;
        return !overlaps(distrust[level], {start, start + 1});
      });
    }
  }

  static bool is_over(Timestamp end, std::int64_t retention_ms, Timestamp now) {
    return retention_ms < rollup::kForEver && end + retention_ms <= now;
  }

  Samples sealed(const std::string& host, const std::string& metric) {
    const std::uint16_t column = metric == "cpu" ? 0 : 1;
    Samples out = view.sealed(SealedView::cells(host, kBothMetrics), 2, column, all);
    if (column == 0) out.merge(view.sealed(SealedView::cells(host, kOneMetric), 1, 0, all));
    return out;
  }
  // All that was acknowledged, as a question reads it.
  void expect_readable(ClusterReplica& replica, const std::vector<Timestamp>& hot) {
    for (const auto& [host, metrics] : samples) {
      std::map<std::string, Samples> found;
      for (const auto& names : {kBothMetrics, kOneMetric}) {
        const GroupRef group{SealedView::cells(host, names), names.size()};
        const SlotsWanted wanted{&group, all, {0}, hot};
        const auto lists = replica.reader.read({&wanted, 1}, {});
        ASSERT_TRUE(lists) << lists.error().message;
        for (const SlotData& data : (*lists)[0]) {
          for (std::uint16_t column = 0; column < names.size(); ++column) {
            found[names[column]].merge(samples_of(data, column));
          }
        }
      }
      ASSERT_EQ(found, metrics) << host;
    }
  }
  template <class Trusted>
  void expect_sealed(const Trusted& trusted) {
    for (const auto& [host, metrics] : samples) {
      for (const auto& [metric, expected] : metrics) {
        const Samples found = sealed(host, metric);
        for (const auto& [time, value] : expected) {
          if (!trusted(time)) continue;
          const auto at = found.find(time);
          ASSERT_TRUE(at != found.end()) << host << " " << metric << " at " << time << " is not sealed";
          ASSERT_EQ(at->second, value) << host << " " << metric << " at " << time;
        }
      }
    }
  }
  template <class Trusted>
  void expect_rollup_blocks(std::size_t level, const Trusted& trusted) {
    for (const auto& [host, metrics] : samples) {
      for (const auto& [metric, expected] : metrics) {
        const unsigned column = metric == "cpu" ? 0 : 1;
        auto found = view.windows(SealedView::cells(host, kBothMetrics), column, level, all);
        rollup::PartPool none;
        if (column == 0) {
          found = rollup::merged(found, view.windows(SealedView::cells(host, kOneMetric), 0, level, all), none);
        }
        ShownWindows is = shown(found), should = shown(windows_of(expected, widths[level]));
        std::erase_if(is, [&](const auto& window) { return !trusted(window.first); });
        std::erase_if(should, [&](const auto& window) { return !trusted(window.first); });
        ASSERT_EQ(is, should) << host << " " << metric << " of " << widths[level];
      }
    }
  }

  // Rows of sealed samples that have several slots.
  std::size_t strata_stored() {
    std::size_t found = 0;
    EXPECT_TRUE(cluster.rows.read_all(cluster.tables.sealed, {}, [&](const RowView& row) -> Status {
      VARVE_ASSIGN_OR_RETURN(const Timestamp key, timestamp_of(row.cells.back()));
      found += key % kHour != 0;
      return {};
    }));
    return found;
  }

  // Redis and store are there, and nobody dies any more.
  void end() {
    redis_away = false;
    cluster.rows.let_write();
    for (auto& replica : replicas) replica->trackers.away(false);
    for (int i = 0; i < 4; ++i) {
      advance(kMinute);
      for (auto& replica : replicas) ASSERT_TRUE(replica->missed_touches.turn());
    }
    EXPECT_EQ(cluster.missed_touches(), 0U);
    for (int hour = 0; hour < 3 * 48; ++hour) {
      advance(kHour / 3);
      ClusterReplica& replica = any();
      ASSERT_TRUE(replica.turns());
      ASSERT_TRUE(replica.watermark.renew());
      ASSERT_TRUE(replica.dropper.run([] { return true; }));
    }
    dropped += replicas[0]->dropper.slots_dropped() + replicas[1]->dropper.slots_dropped();
    if (!is_short) expect_readable(any(), {});
    for (int days = 0; days < 99; ++days) {
      advance(kDay);
      ASSERT_TRUE(any().turns());
    }
    EXPECT_EQ(any().worker.counts()->pending, 0U);
    EXPECT_EQ(any().worker.counts()->rollup_blocks_pending, 0U);
    EXPECT_EQ(cluster.rows.size(cluster.tables.raw), 0U) << "there are only sealed rows";
    expect_sealed([&](Timestamp) { return !is_short; });
    strata += strata_stored();
    days_merged += cluster.rows.counts(cluster.tables.sealed).rows_erased;
    for (std::size_t level = is_short ? 1 : 0; level < widths.size(); ++level) {
      expect_rollup_blocks(level, [](Timestamp) { return true; });
    }
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) {
      const unsigned what = random() % 100;
      if (what < 40) {
        append();
      } else if (what < 60) {
        const bool is_long = !is_short && chance(8);  // until days have ended
        advance(static_cast<std::int64_t>(random() % 40) * (is_long ? kHour : kMinute));
      } else if (what < 85) {
        work();
      } else if (what < 93) {
        redis();
      } else {
        look();
      }
    }
  }

  std::mt19937 random;
  const std::vector<std::int64_t> widths = {5 * kMinute, kHour, kDay};
  Cluster cluster;
  const bool is_short = cluster.options.raw_retention_ms < rollup::kForEver;
  SealedView view{cluster};
  const TimeRange all{cluster.clock.now_ms() - 10 * kDay, cluster.clock.now_ms() + 50 * kDay};
  std::int64_t sources = 0;
  bool redis_away = false;
  std::uint64_t dropped = 0;    // slots, by those that live in the end
  std::size_t strata = 0;       // in the end
  std::size_t days_merged = 0;  // into one row
  std::array<std::unique_ptr<ClusterReplica>, 2> replicas;
  std::vector<std::unique_ptr<ClusterReplica>> graves;
  std::map<std::string, std::map<std::string, Samples>> samples;  // by host and metric: what was acknowledged
};

void run_models(const ClusterOptions& options, int steps) {
  std::size_t strata = 0, days = 0;
  for (unsigned seed = 1; seed <= unsigned{varve::testing::effort(40)}; ++seed) {
    SCOPED_TRACE(seed);
    ClusterModel model(seed, options);
    model.run(steps);
    if (::testing::Test::HasFatalFailure()) return;
    model.end();
    if (::testing::Test::HasFailure()) return;
    EXPECT_GT(model.dropped, 0U);
    strata += model.strata;
    days += model.days_merged;
  }
  EXPECT_EQ(strata > 0, options.raw_retention_ms >= rollup::kForEver);
  EXPECT_EQ(days > 0, options.raw_retention_ms >= rollup::kForEver);
}

TEST(ClusterModelTest, EverythingEndsSealed) { run_models(for_ever(), 250); }

// Some come before the edge of their retention and are worked on after it, some long after it.
TEST(ClusterModelTest, WindowsOutliveSamplesOfSomeHours) { run_models(for_hours(), 500); }

}  // namespace
}  // namespace varve::engine::cassandra::testing
