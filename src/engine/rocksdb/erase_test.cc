// SPDX-License-Identifier: Apache-2.0
// Deletes with rollups: what is gone is gone from every window of every granularity, what stays is there as before.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>

#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::TimeRange;
using model::Timestamp;
using model::Value;
using testing::expect_equal;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using testing::Sums;

// Runs are written anew, and as far as it goes only the blocks that hold something of what is deleted.
class Erase : public testing::RollupStore, public ::testing::WithParamInterface<std::size_t> {
 protected:
  Erase() : RollupStore(editing(GetParam())) {}
  static Options editing(std::size_t part) {
    Options o = options();
    o.edit_part = part;
    return o;
  }
  void erase(const std::string& metric, TimeRange range) {
    const auto report = engine.samples().erase(store.tenant(), store.find(metric), range, nullptr);
    ASSERT_TRUE(report) << report.error().message;
  }
  // A day of minutes; the value tells the minute.
  void put_day(const storage::testing::Group& group, std::int64_t day = 0) {
    model::RowBatch batch;
    for (Timestamp t = 0; t < kDay; t += kMinute) {
      const std::vector<Value> values(group.metrics.size(), Value::of_double(static_cast<double>(t / kMinute) / 4));
      batch.add(group.line, kStart + day * kDay + t, values);
    }
    ASSERT_TRUE(store.append(batch));
  }
  static constexpr TimeRange kFirstDay{kStart, kStart + kDay};
  static constexpr TimeRange kHole{kStart + 90 * kMinute + 1, kStart + 7 * kHour + 12 * kMinute};

  // The first day of put_day() without the hole.
  static Sums left(std::int64_t width, TimeRange hole = kHole) {
    Sums sums;
    for (Timestamp t = kStart; t < kStart + kDay; t += kMinute) {
      const auto v = static_cast<double>((t - kStart) / kMinute) / 4;
      if (!hole.contains(t)) sums[model::window_start(t, width)].add(t, 1, v, v, v);
    }
    return sums;
  }
  static inline const std::vector<std::int64_t> kWidths = {5 * kMinute, kHour, kDay};

  // Windows and samples of the day say the same, and are these.
  void expect_left(const std::string& metric, TimeRange hole = kHole) {
    for (const std::int64_t width : kWidths) {
      SCOPED_TRACE(metric + " by " + std::to_string(width));
      expect_equal(read(metric, width, kFirstDay).sums, left(width, hole));
      expect_equal(read(metric, width, kFirstDay, false).sums, left(width, hole));
    }
  }
};

// The day's window is made; an hour that had nothing gets samples, which stand beside it until they are added. A delete
// elsewhere in the day folds the window again, without them.
TEST_P(Erase, what_came_late_is_counted_once) {
  const auto group = store.group({"m"});
  const auto put = [&](Timestamp time) { ASSERT_TRUE(store.put(*group, kStart + time, {Value::of_double(1)})); };
  const auto expect = [&](std::uint64_t count, const char* when) {
    for (const std::int64_t width : kWidths) {
      std::uint64_t found = 0;
      for (const auto& [start, sum] : read("m", width, kFirstDay).sums) found += sum.count;
      EXPECT_EQ(found, count) << width << ' ' << when;
    }
  };
  for (const std::int64_t minute : {0, 1, 2, 65, 66}) put(minute * kMinute);
  settle();
  ASSERT_EQ(read("m", kDay, kFirstDay).windows, 1U);
  put(5 * kHour);
  put(5 * kHour + kMinute);
  expect(7, "late, in memory");
  erase("m", {kStart + kMinute, kStart + 2 * kMinute});
  expect(6, "after the delete");
  put(5 * kHour);  // again
  expect(6, "replaced");
  settle();
  expect(6, "settled");
  put(65 * kMinute);
  erase("m", {kStart + 66 * kMinute, kStart + 67 * kMinute});
  expect(5, "late in an hour that is in the window");
  settle();
  expect(5, "settled again");
  engine.restart();
  expect(5, "after a restart");
}

TEST_P(Erase, windows_of_every_granularity_follow) {
  const auto group = store.group({"m", "n"});
  put_day(*group);
  settle();
  ASSERT_EQ(read("m", kDay, kFirstDay).windows, 1U);
  erase("m", kHole);
  expect_left("m");
  // Nothing need be sealed first: what is left was folded in the same step.
  EXPECT_EQ(read("m", kDay, kFirstDay).windows, 1U);
  EXPECT_EQ(read("m", kHour, kFirstDay).windows, 24U - 5U);
  EXPECT_EQ(read("n", kDay, kFirstDay).windows, 1U);
  expect_left("n", {0, 0});
  engine.restart();
  expect_left("m");
  settle();
  expect_left("m");
  EXPECT_EQ(read("m", kDay, kFirstDay).windows, 1U);
  expect_left("n", {0, 0});
}

TEST_P(Erase, what_is_not_sealed_yet) {
  const auto group = store.group({"m"});
  put_day(*group);
  erase("m", kHole);
  expect_left("m");
  settle();
  EXPECT_EQ(read("m", kDay, kFirstDay).windows, 1U);
  expect_left("m");
}

TEST_P(Erase, late_samples_that_are_not_sealed_yet) {
  const auto group = store.group({"m"});
  const auto again = store.group({"m", "n"});
  put_day(*group);
  settle();
  ASSERT_TRUE(store.put(*group, kStart + 2 * kHour, {Value::of_double(9999)}));  // in the hole
  ASSERT_TRUE(store.put(*again, kStart + 3 * kHour, {Value::of_double(9999), Value::of_double(1)}));
  ASSERT_TRUE(store.put(*again, kStart + kHour, {Value::of_double(15), Value::of_double(1)}));  // the same as before
  erase("m", kHole);
  expect_left("m");
  settle();
  expect_left("m");
  EXPECT_EQ(read("n", kHour, kFirstDay, false).sums.size(), 2U);
  EXPECT_EQ(read("n", kHour, kFirstDay).sums.size(), 2U);
}

TEST_P(Erase, the_same_times_are_written_again) {
  const auto group = store.group({"m"});
  put_day(*group);
  settle();
  erase("m", {});
  EXPECT_TRUE(read("m", kHour, kFirstDay).sums.empty());
  for (const std::int64_t width : kWidths) EXPECT_TRUE(read("m", width, kFirstDay).sums.empty());
  put_day(*group);
  expect_left("m", {0, 0});
  settle();
  expect_left("m", {0, 0});
  EXPECT_EQ(read("m", kDay, kFirstDay).windows, 1U);
}

TEST_P(Erase, what_is_written_after_the_beginning_stays) {
  const auto group = store.group({"m"});
  put_day(*group);
  settle();
  engine.options().at_step = [this, group](std::string_view step) {  // which outlives this test
    if (step == "erase.begin") {
      EXPECT_TRUE(store.put(*group, kStart + 3 * kHour, {Value::of_double(77)}));
    }
    return Status{};
  };
  engine.restart();
  erase("m", kHole);
  Sums want = left(kHour);
  want[kStart + 3 * kHour].add(kStart + 3 * kHour, 1, 77, 77, 77);
  expect_equal(read("m", kHour, kFirstDay).sums, want);
  settle();
  expect_equal(read("m", kHour, kFirstDay).sums, want);
  expect_equal(read("m", kHour, kFirstDay, false).sums, want);
  EXPECT_EQ(read("m", kDay, kFirstDay).windows, 1U);
}

// Every step lets a spill in between: the head is full after a few rows.
TEST_P(Erase, what_is_spilled_meanwhile_stays) {
  engine.options().log_bytes_max = 3000;
  const auto group = store.group({"m"});
  put_day(*group);
  settle();
  engine.options().at_step = [this, group](std::string_view step) {
    for (int i = 0; i < 120 && step == "erase.begin"; ++i) {
      EXPECT_TRUE(store.put(*group, kStart + i * kMinute, {Value::of_double(-1)}));
    }
    return Status{};
  };
  engine.restart();
  erase("m", {kStart, kStart + 30 * kMinute});
  settle();
  const auto got = read("m", kHour, {kStart, kStart + 2 * kHour}).sums;
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got.at(kStart).sum, -60);
  EXPECT_EQ(got.at(kStart + kHour).count, 60U);
  expect_equal(got, read("m", kHour, {kStart, kStart + 2 * kHour}, false).sums);
}

TEST_P(Erase, texts_and_counters) {
  const auto texts = store.group({"t"});
  const auto counter = store.group({"if_bytes"});
  for (Timestamp t = 0; t < 3 * kHour; t += kMinute) {
    ASSERT_TRUE(store.put(*texts, kStart + t, {Value::of_string(std::to_string(t))}));
  }
  put_day(*counter);
  settle();
  erase("t", {kStart, kStart + 100 * kMinute});
  erase("if_bytes", kHole);
  const auto check = [&] {
    EXPECT_EQ(store.read("t").size(), 80U);
    const auto got = read("if_bytes", kHour, kFirstDay, true, false);
    EXPECT_EQ(got.windows, 19U);
    expect_equal(got.sums, left(kHour), false);
  };
  check();
  settle();
  check();
}

TEST_P(Erase, where_retention_has_dropped_the_samples) {
  engine.options().raw_retention_ms = 2 * kDay;
  engine.restart();
  const auto group = store.group({"m", "n"});
  put_day(*group);
  clock.advance_ms(kHour);
  settle();
  ASSERT_EQ(read("m", kHour, kFirstDay, false).samples, 0U);
  erase("m", kHole);
  const auto check = [&] {
    // 01:00 and 07:00 are covered in part and cannot be made again of less: they stay as they are.
    const TimeRange hours{kStart + 2 * kHour, kStart + 7 * kHour};
    expect_equal(read("m", kHour, kFirstDay).sums, left(kHour, hours));
    // So does the window of 5 minutes at each edge.
    expect_equal(read("m", 5 * kMinute, kFirstDay).sums,
                 left(5 * kMinute, {kStart + 95 * kMinute, kStart + 7 * kHour + 10 * kMinute}));
    expect_equal(read("m", kDay, kFirstDay).sums, left(kDay, hours));  // of the hours that are left
    for (const auto width : kWidths) expect_equal(read("n", width, kFirstDay).sums, left(width, {0, 0}));
  };
  check();
  engine.restart();
  settle();
  check();
  erase("m", kFirstDay);
  for (const auto width : kWidths) EXPECT_TRUE(read("m", width, kFirstDay).sums.empty());
}

TEST_P(Erase, late_samples_into_a_slot_whose_samples_are_gone) {
  engine.options().raw_retention_ms = 2 * kDay;
  engine.restart();
  const auto group = store.group({"m"});
  put_day(*group);
  clock.advance_ms(kHour);
  settle();
  ASSERT_TRUE(store.put(*group, kStart + 3 * kHour + 1, {Value::of_double(1000)}));
  ASSERT_TRUE(store.put(*group, kStart + 9 * kHour + 1, {Value::of_double(1000)}));
  erase("m", {kStart + 3 * kHour, kStart + 4 * kHour});
  clock.advance_ms(kHour);
  settle();
  auto want = left(kHour, {kStart + 3 * kHour, kStart + 4 * kHour});
  want[kStart + 9 * kHour].add(kStart + 9 * kHour, 1, 1000, 1000, 1000);
  expect_equal(read("m", kHour, kFirstDay).sums, want);
  EXPECT_EQ(read("m", kDay, kFirstDay).sums.at(kStart).count, 24U * 60 - 60 + 1);
}

TEST_P(Erase, samples_that_outlive_their_finer_windows) {
  engine.options().rollups.levels = {{5 * kMinute, 2 * kDay}, {kHour, 3 * kDay}, {kDay, rollup::kForEver}};
  engine.restart();
  const auto group = store.group({"m"});
  put_day(*group);
  settle();
  clock.advance_ms(kHour);
  settle();  // the finer windows are over
  ASSERT_EQ(read("m", kDay, kFirstDay).windows, 1U);
  erase("m", kHole);
  expect_left("m");
  EXPECT_EQ(read("m", kDay, kFirstDay).windows, 1U);
}

TEST_P(Erase, coarse_windows_that_are_up_to_date_stay_so) {
  const auto group = store.group({"m"});
  const auto other = store.group({"o"});
  for (int day = 0; day < 4; ++day) {
    put_day(*group, day);
    put_day(*other, day);
  }
  settle();
  const auto made = std::make_shared<std::atomic<int>>(0);
  engine.options().at_step = [made](std::string_view step) {
    *made += step == "coarse.begin" ? 1 : 0;
    return Status{};
  };
  engine.restart();
  erase("m", kHole);
  const TimeRange days{kStart, kStart + 4 * kDay};
  EXPECT_EQ(read("m", kDay, days).windows, 4U);
  EXPECT_EQ(read("o", kDay, days).windows, 4U);
  settle();
  EXPECT_EQ(*made, 0);
  EXPECT_EQ(read("o", kDay, days).windows, 4U);
}

TEST_P(Erase, room_comes_back) {
  std::mt19937 random(3);
  const auto group = store.group({"goes", "stays"});
  model::RowBatch batch;
  for (Timestamp t = 0; t < kDay; t += 1000) {
    const auto v = static_cast<double>(random()) * 1e-3;
    batch.add(group->line, kStart + t, std::vector{Value::of_double(v), Value::of_double(1)});
  }
  ASSERT_TRUE(store.append(batch));
  settle();
  const auto before = engine.store().storage_bytes().sealed;
  erase("goes", {});
  settle();
  EXPECT_LT(engine.store().storage_bytes().sealed, before / 4);
  EXPECT_EQ(store.read("stays").size(), 86'400U);
}

// Random work: windows and samples always agree with the model.
TEST_P(Erase, random_life) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&](std::uint32_t below) { return random() % below; };
    const std::string prefix = "s" + std::to_string(seed);
    const auto name = [&](std::uint32_t i) { return prefix + std::string(1, static_cast<char>('a' + i)); };
    std::vector<storage::testing::Group*> groups;
    groups.push_back(store.group({name(0), name(1)}));
    groups.push_back(store.group({name(0)}));
    groups.push_back(store.group({name(1), name(2)}));
    testing::Written model;
    const auto some_range = [&] {
      static const std::vector<std::int64_t> kAligns = {1, 1000, 5 * kMinute, kHour, kDay};
      const auto align = kAligns[pick(5)];
      const Timestamp first =
          model::window_start(clock.now_ms() - static_cast<Timestamp>(pick(4 * 86'400)) * 1000, align);
      return TimeRange{first, first + align * (1 + static_cast<Timestamp>(pick(3 * 86'400'000)) / align)};
    };
    for (int step = 0; step < 90; ++step) {
      SCOPED_TRACE(step);
      const auto what = pick(12);
      if (what < 4) {
        ASSERT_TRUE(store.append(testing::random_rows(groups, pick, clock.now_ms(), model)));
      } else if (what < 6) {
        settle();
      } else if (what < 7) {
        clock.advance_ms(static_cast<std::int64_t>(pick(20)) * kHour);
      } else if (what == 7 && pick(3) == 0) {
        engine.restart();
      } else if (what < 10) {
        const auto metric = name(pick(3));
        const auto range = some_range();
        erase(metric, range);
        std::erase_if(model[metric], [&](const auto& sample) { return range.contains(sample.first); });
      }
      for (std::uint32_t m = 0; m < 3; ++m) {
        const std::int64_t width =
            std::vector<std::int64_t>{5 * kMinute, 30 * kMinute, kHour, 2 * kHour, kDay}[pick(5)];
        const TimeRange range = pick(2) == 0 ? some_range() : TimeRange{kStart - 10 * kDay, kStart + 100 * kDay};
        Sums want;
        for (const auto& [time, v] : model[name(m)]) {
          if (range.contains(time)) want[model::window_start(time, width)].add(time, 1, v, v, v);
        }
        expect_equal(read(name(m), width, range).sums, want);
        expect_equal(read(name(m), width, range, false).sums, want);
      }
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, Erase, ::testing::Values(1, 1000),
                         [](const auto& part) { return part.param == 1 ? "edits" : "rewrites"; });

}  // namespace
}  // namespace varve::engine::rocksdb
