// SPDX-License-Identifier: Apache-2.0
// A store that rolls up, on a clock of the test's.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/jumping_clock.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/sums.h"
#include "model/testing/lengths.h"

namespace varve::engine::rocksdb::testing {

using model::testing::kDay;
using model::testing::kHour;
using model::testing::kMinute;
inline constexpr model::Timestamp kStart = 20'000 * kDay;

// What was written, by metric and time.
using Written = std::map<std::string, std::map<model::Timestamp, double>>;

// Sixty rows into random groups, a third of them up to three days old, the others up to an hour. Tells the model.
template <class Pick>
model::RowBatch random_rows(const std::vector<storage::testing::Group*>& groups, const Pick& pick,
                            model::Timestamp now_ms, Written& written) {
  model::RowBatch batch;
  for (int i = 0; i < 60; ++i) {
    const auto& group = *groups[pick(static_cast<std::uint32_t>(groups.size()))];
    const auto seconds = pick(3) == 0 ? pick(3 * 86'400) : pick(3600);
    const model::Timestamp time = now_ms - static_cast<model::Timestamp>(seconds) * 1000;
    std::vector<model::Value> values;
    for (const auto& metric : group.metrics) {
      const double v = static_cast<double>(pick(1000)) / 4;
      values.push_back(model::Value::of_double(v));
      written[metric][time] = v;
    }
    batch.add(group.line, time, values);
  }
  return batch;
}

class RollupStore : public ::testing::Test {
 protected:
  static Options options() {
    Options o;
    o.rollups.levels = {{5 * kMinute, rollup::kForEver}, {kHour, rollup::kForEver}, {kDay, rollup::kForEver}};
    o.rollups.counter_suffixes = {"bytes"};
    o.slot_quiet_ms = 1000 * kDay;  // rounds of their own would make the tests depend on their luck
    return o;
  }
  explicit RollupStore(const Options& options = RollupStore::options(), model::Timestamp now = kStart + 10 * kDay)
      : clock(now), engine(options, clock), store(engine) {}

  struct Read {
    Sums sums;
    std::size_t windows = 0;
    std::size_t samples = 0;
  };
  Read read(const std::string& metric, std::int64_t width, model::TimeRange range, bool windows = true,
            bool extremes = true) {
    SumSink sink(width, range, extremes);
    storage::ScanOptions scan;
    scan.range = range;
    scan.windows = windows;
    EXPECT_TRUE(engine.samples().scan(store.tenant(), store.find(metric), scan, sink));
    return {std::move(sink.sums), sink.windows, sink.samples};
  }
  void settle() { ASSERT_TRUE(engine.samples().settle()); }
  void settle_in(std::int64_t ms) {
    clock.advance_ms(ms);
    settle();
  }
  std::vector<std::string> names() { return engine.series().metric_names(store.tenant(), {}).value(); }

  varve::testing::JumpingClock clock;
  RocksdbEngine engine;
  storage::testing::Fixture store;
};

}  // namespace varve::engine::rocksdb::testing
