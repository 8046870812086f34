// SPDX-License-Identifier: Apache-2.0
// How counters grew, through the store: whatever of a range is read as windows says the same as the samples did.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/rocksdb/testing/rollup_store.h"
#include "storage/testing/counter_sink.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using storage::testing::CounterSink;
using storage::testing::Growth;
using storage::testing::Samples;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

class CounterRollup : public testing::RollupStore {
 protected:
  CounterRollup() : RollupStore(with_counters()) {}
  static Options with_counters() {
    Options o = options();
    o.rollups.counters = storage::testing::test_counters();
    o.rollups.counter_suffixes = {"bytes_grown"};
    return o;
  }

  struct Grown {
    Growth growth;
    std::set<std::int64_t> widths;
    std::size_t samples = 0;
  };
  // Of the metric, also with samples around the range, as a query asks.
  Grown grown(const std::string& metric, std::int64_t width_ms, model::TimeRange range) {
    CounterSink sink(1, width_ms, true);
    storage::ScanOptions scan;
    for (const model::TimeRange part : {range, model::TimeRange{range.first - kHour, range.first},
                                        model::TimeRange{range.last, range.last + kHour}}) {
      scan.range = part;
      EXPECT_TRUE(engine.samples().scan(store.tenant(), store.find(metric), scan, sink));
      scan.windows = false;
    }
    return {storage::testing::within(sink.growth(0), range), sink.widths, sink.samples};
  }
  void put(const storage::testing::Group& group, Timestamp time, std::int64_t value) {
    ASSERT_TRUE(store.put(group, time, {Value::of_long(value)}));
    written[time] = storage::testing::OwnedValue(Value::of_long(value));
  }
  // A sample a minute, from `from` on, not at the full minute.
  void put_polls(const storage::testing::Group& group, Timestamp from, std::int64_t length_ms) {
    for (Timestamp t = from; t < from + length_ms; t += kMinute) put(group, t + 17'000, (t - kStart) * 3 + t % 7);
  }
  Growth expected(std::int64_t width_ms, model::TimeRange range) {
    return storage::testing::within(storage::testing::growth_of(written, width_ms, true), range);
  }

  Samples written;
};

constexpr model::TimeRange kSecondDay{kStart + kDay, kStart + 2 * kDay};

TEST_F(CounterRollup, ADayIsReadAsOneWindow) {
  const auto group = store.group({"m_grown"});
  put_polls(*group, kStart + 20 * kHour, 32 * kHour);
  const Growth days = expected(kDay, kSecondDay);
  ASSERT_EQ(days.size(), 1U);
  EXPECT_EQ(days[0].covered_ms, kDay);
  EXPECT_EQ(grown("m_grown", kDay, kSecondDay).growth, days);
  settle();
  for (const std::int64_t width : {kDay, kHour, 5 * kMinute}) {
    const Grown found = grown("m_grown", width, kSecondDay);
    EXPECT_EQ(found.growth, expected(width, kSecondDay));
    EXPECT_EQ(found.widths, std::set<std::int64_t>{width});
    EXPECT_EQ(found.samples, std::size_t{kDay / kMinute + 120}) << "counted in windows, and those around";
  }
  engine.restart();
  EXPECT_EQ(grown("m_grown", kDay, kSecondDay).growth, days);
  // What is asked of its own values stays as it is.
  EXPECT_EQ(read("m_grown", kHour, kSecondDay).windows, 24U);
  testing::expect_equal(read("m_grown", kHour, kSecondDay).sums, read("m_grown", kHour, kSecondDay, false).sums);
}

// The first sample of an hour that comes late changes the last window of the hour before, which is not sealed again.
TEST_F(CounterRollup, ALateSampleIsSeenByTheSlotBefore) {
  const auto group = store.group({"m_grown"});
  put_polls(*group, kStart + kDay, 3 * kHour);
  put_polls(*group, kStart + kDay + 3 * kHour + 2 * kMinute, 3 * kHour);
  settle();
  const auto before = grown("m_grown", 5 * kMinute, kSecondDay).growth;
  EXPECT_EQ(before, expected(5 * kMinute, kSecondDay));
  put(*group, kStart + kDay + 3 * kHour, 777);
  EXPECT_EQ(grown("m_grown", 5 * kMinute, kSecondDay).growth, expected(5 * kMinute, kSecondDay));
  settle();
  const auto after = grown("m_grown", 5 * kMinute, kSecondDay);
  EXPECT_EQ(after.growth, expected(5 * kMinute, kSecondDay));
  EXPECT_NE(after.growth, before);
  EXPECT_EQ(after.widths, std::set<std::int64_t>{5 * kMinute});
  EXPECT_EQ(grown("m_grown", kDay, kSecondDay).growth, expected(kDay, kSecondDay));
}

TEST_F(CounterRollup, WindowsKeepWhatTheyKnowWhereSamplesAreGone) {
  const auto group = store.group({"m_grown"});
  put_polls(*group, kStart + 20 * kHour, 10 * kHour);
  settle();
  engine.options().raw_retention_ms = 2 * kDay;
  engine.restart();
  clock.advance_ms(kHour);  // retention is looked after once an hour
  settle();
  ASSERT_TRUE(store.read("m_grown").empty());
  const model::TimeRange all{kStart, kStart + 3 * kDay};
  const auto check = [&](const char* what) {
    SCOPED_TRACE(what);
    for (const std::int64_t width : {kDay, kHour, 5 * kMinute}) {
      EXPECT_EQ(grown("m_grown", width, all).growth, expected(width, all)) << width;
    }
  };
  check("dropped");
  // In the midst nobody can tell, behind the end it is one more sample.
  const Samples known = written;
  put(*group, kStart + kDay + kHour + 7 * kMinute, 5);
  written = known;
  put(*group, kStart + 30 * kHour + kMinute, kDay);
  put(*group, kStart + 30 * kHour + 2 * kMinute, kDay + 1000);
  for (int look = 0; look < 3; ++look) {
    check("late");
    if (look == 1) engine.restart();
    settle_in(kHour);
  }
}

TEST_F(CounterRollup, SlotsThatWereSealedWithoutSummariesAreReadAsSamples) {
  engine.options().rollups.counters = nullptr;
  engine.restart();
  const auto group = store.group({"m_grown"});
  put_polls(*group, kStart + kDay, 4 * kHour);
  settle();
  engine.options().rollups.counters = storage::testing::test_counters();
  engine.restart();
  store.restart();
  EXPECT_TRUE(grown("m_grown", kHour, kSecondDay).widths.empty());
  EXPECT_EQ(grown("m_grown", kHour, kSecondDay).growth, expected(kHour, kSecondDay));
  // One of them is sealed again.
  put(*group, kStart + kDay + kHour, 5);
  settle();
  EXPECT_EQ(grown("m_grown", kHour, kSecondDay).widths, std::set<std::int64_t>{kHour});
  EXPECT_EQ(grown("m_grown", kHour, kSecondDay).growth, expected(kHour, kSecondDay));
  EXPECT_TRUE(grown("m_grown", kDay, kSecondDay).widths.empty()) << "the day lacks the other hours";
  EXPECT_EQ(grown("m_grown", kDay, kSecondDay).growth, expected(kDay, kSecondDay));
}

TEST_F(CounterRollup, ADeltaCounterHasUnknownExtremesAllTheSame) {
  const auto group = store.group({"bytes_grown"});
  put_polls(*group, kStart + kDay, 4 * kHour);
  settle();
  EXPECT_EQ(grown("bytes_grown", kHour, kSecondDay).widths, std::set<std::int64_t>{kHour});
  EXPECT_EQ(grown("bytes_grown", kHour, kSecondDay).growth, expected(kHour, kSecondDay));
  const Read known = read("bytes_grown", 30 * kMinute, kSecondDay);
  EXPECT_EQ(known.samples, 240U) << "they know the extremes";
  EXPECT_EQ(known.windows, 0U);
  EXPECT_EQ(read("bytes_grown", kHour, kSecondDay, true, false).windows, 4U);
  engine.options().raw_retention_ms = 2 * kDay;
  engine.restart();
  settle_in(kHour);
  EXPECT_TRUE(std::isnan(read("bytes_grown", kHour, kSecondDay).sums.at(kSecondDay.first).max));
}

TEST_F(CounterRollup, DeletesCutWindows) {
  const auto group = store.group({"m_grown"});
  put_polls(*group, kStart + kDay, 6 * kHour);
  settle();
  const model::TimeRange erased{kStart + kDay + 50 * kMinute, kStart + kDay + 3 * kHour + 4 * kMinute};
  ASSERT_TRUE(engine.samples().erase(store.tenant(), store.find("m_grown"), erased, nullptr));
  std::erase_if(written, [&](const auto& sample) { return erased.contains(sample.first); });
  for (const std::int64_t width : {kDay, kHour, 5 * kMinute}) {
    EXPECT_EQ(grown("m_grown", width, kSecondDay).growth, expected(width, kSecondDay)) << width;
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
