// SPDX-License-Identifier: Apache-2.0
// Series that are kept for another time than others: what queries see of them, and what is given back.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/testing/effort.h"
#include "engine/rocksdb/testing/rollup_store.h"
#include "storage/testing/hourly_sink.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using storage::testing::Group;
using storage::testing::HourlySink;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using Names = std::vector<std::string>;

rollup::RetentionRule rule_of(std::string_view conditions, std::int64_t retention_ms) {
  rollup::RetentionRule rule{.name = "c", .retention_ms = retention_ms};
  EXPECT_TRUE(rollup::read_retention_conditions(conditions, rule));
  return rule;
}

Options with_classes(std::vector<rollup::RetentionRule> rules) {
  Options o;
  o.raw_retention_ms = 4 * kDay;
  o.rollups.levels = {{5 * kMinute, 20 * kDay}, {kHour, 20 * kDay}, {kDay, 30 * kDay}};
  o.slot_quiet_ms = 1000 * kDay;  // only settle() does anything
  o.merge_quiet_ms = 1000 * kDay;
  o.retention_classes = std::move(rules);
  return o;
}

class RetentionClassesTest : public testing::RollupStore {
 protected:
  RetentionClassesTest()
      : RetentionClassesTest(
            {rule_of("metric=brief*", kDay), rule_of("tag.keep=long", 40 * kDay), rule_of("tenant=gone", 2 * kDay)}) {}
  explicit RetentionClassesTest(std::vector<rollup::RetentionRule> rules)
      : RollupStore(with_classes(std::move(rules)), kStart + kHour) {}

  // A sample each minute of an hour.
  void put_hour(const Group& group, Timestamp from) {
    model::RowBatch batch;
    for (int i = 0; i < 60; ++i) {
      const std::vector<Value> values(group.metrics.size(), Value::of_long(1));
      batch.add(store.line(group), from + i * kMinute, values);
    }
    ASSERT_TRUE(store.append(batch));
  }
  std::uint64_t stored(std::string_view tenant = "t") {
    std::uint64_t samples = 0;
    for (const auto& slot : engine.store().slots(store.tenant(tenant), 1000)) samples += slot.samples;
    return samples;
  }
  // Windows and samples together.
  std::uint64_t count_of(const std::string& metric, std::string_view tenant = "t") {
    const auto series = store.find(metric, tenant);
    HourlySink sink(std::max<std::size_t>(1, series.size()));
    EXPECT_TRUE(engine.samples().scan(store.tenant(tenant), series, {}, sink));
    std::uint64_t count = 0;
    for (const auto& [hour, found] : sink.hours(0)) count += found.first;
    return count;
  }
  std::size_t samples_of(const std::string& metric) { return store.read(metric).size(); }
  void restart_with(std::vector<rollup::RetentionRule> rules) {
    engine.options().retention_classes = std::move(rules);
    store.restart();
  }
};

// Head, run, sealed: at no moment more than what is within its time, to the sample.
TEST_F(RetentionClassesTest, ExactToTheSample) {
  const auto brief = store.group({"brief"});
  put_hour(*brief, kStart);
  clock.advance_ms(kDay - kHour);  // a day after the first one
  EXPECT_EQ(samples_of("brief"), 60U);
  clock.advance_ms(1);
  EXPECT_EQ(samples_of("brief"), 59U);
  EXPECT_EQ(count_of("brief"), 59U);
  settle();
  EXPECT_EQ(samples_of("brief"), 59U);
  EXPECT_EQ(count_of("brief"), 59U);
  settle_in(30 * kMinute);
  EXPECT_EQ(samples_of("brief"), 29U);
  EXPECT_EQ(count_of("brief"), 29U) << "windows of which a part is over are not read";
  EXPECT_EQ(stored(), 60U);
  engine.restart();
  EXPECT_EQ(count_of("brief"), 29U);
}

TEST_F(RetentionClassesTest, AShorterClassIsGivenBack) {
  put_hour(*store.group({"brief"}), kStart);
  put_hour(*store.group({"m"}), kStart);
  settle_in(kHour);
  EXPECT_EQ(stored(), 120U);
  settle_in(kDay - kHour - 1);
  const auto windows = engine.store().storage_bytes().rollup;
  EXPECT_EQ(stored(), 120U) << "the slot's last sample could still be there";
  settle_in(kMinute);
  EXPECT_EQ(stored(), 60U);
  EXPECT_EQ(samples_of("m"), 60U);
  EXPECT_EQ(names(), Names{"m"});
  settle_in(2 * kDay);  // level slots are longer
  EXPECT_LT(engine.store().storage_bytes().rollup, windows);
  // What comes late is over at once, and what is new is not.
  const auto brief = store.group({"brief"});
  put_hour(*brief, kStart);
  put_hour(*brief, clock.now_ms());
  settle_in(2 * kHour);
  EXPECT_EQ(count_of("brief"), 60U);
  engine.restart();
  EXPECT_EQ(count_of("brief"), 60U);
  EXPECT_EQ(count_of("m"), 60U);
}

TEST_F(RetentionClassesTest, SlotsStayForALongerClass) {
  put_hour(*store.group({"m"}, {{"keep", "long"}}), kStart);
  put_hour(*store.group({"m2"}), kStart);
  settle_in(5 * kDay);
  EXPECT_EQ(samples_of("m"), 60U);
  EXPECT_EQ(samples_of("m2"), 0U) << "raw.retention";
  EXPECT_EQ(count_of("m2"), 60U) << "its windows";
  EXPECT_EQ(stored(), 120U);
  // What comes late is in windows of all.
  ASSERT_TRUE(store.put(*store.group({"m2"}), kStart + 30'000, {Value::of_long(1)}));
  EXPECT_EQ(count_of("m2"), 61U);
  settle();
  EXPECT_EQ(count_of("m2"), 61U);
  EXPECT_EQ(samples_of("m2"), 0U);
  settle_in(20 * kDay);
  EXPECT_EQ(samples_of("m"), 60U);
  EXPECT_EQ(count_of("m"), 60U);
  settle_in(6 * kDay);
  EXPECT_EQ(stored(), 60U) << "windows of the other are over, too";
  EXPECT_EQ(names(), Names{"m"});
  engine.restart();
  EXPECT_EQ(samples_of("m"), 60U);
  settle_in(10 * kDay);
  EXPECT_EQ(stored(), 0U);
  EXPECT_EQ(names(), Names{});
}

// Its slots go whole, nobody else's stay for it, and its own do not stay for classes that its series cannot have.
TEST_F(RetentionClassesTest, ATenantOfOneClass) {
  engine.options().retention_classes.front() = rule_of("tenant=gone", 2 * kDay);
  store.restart();
  const auto group = store.group({"m"}, {{"keep", "long"}}, "gone");
  put_hour(*group, kStart);
  put_hour(*store.group({"m"}, {{"host", "a"}}, "other"), kStart);
  settle_in(2 * kDay - kHour);
  EXPECT_EQ(count_of("m", "gone"), 60U);
  EXPECT_EQ(stored("gone"), 60U);
  settle_in(kHour);
  EXPECT_EQ(stored("gone"), 0U);
  EXPECT_EQ(count_of("m", "gone"), 0U);
  EXPECT_EQ(count_of("m", "other"), 60U);
}

// A line group goes when its last series is over; what is over of it is not read.
TEST_F(RetentionClassesTest, SeveralClassesInALineGroup) {
  put_hour(*store.group({"m", "brief"}), kStart);
  settle_in(kDay + kHour);
  EXPECT_EQ(count_of("brief"), 0U);
  EXPECT_EQ(samples_of("m"), 60U);
  EXPECT_EQ(names(), Names{"m"});
  settle_in(4 * kDay);
  EXPECT_EQ(count_of("brief"), 0U);
  EXPECT_EQ(count_of("m"), 60U);
}

// The list counts for what is there already.
TEST_F(RetentionClassesTest, AnotherListAtAStart) {
  restart_with({});
  put_hour(*store.group({"m"}), kStart);
  put_hour(*store.group({"n"}), kStart);
  settle_in(3 * kDay);
  EXPECT_EQ(stored(), 120U);
  restart_with({rule_of("metric=m", kDay)});
  EXPECT_EQ(samples_of("m"), 0U);
  EXPECT_EQ(count_of("m"), 0U);
  settle();
  EXPECT_EQ(stored(), 60U);
  restart_with({rule_of("metric=m", kDay), rule_of("metric=n", kDay)});
  settle();
  EXPECT_EQ(stored(), 0U);
  put_hour(*store.group({"n"}), kStart + 2 * kDay + kHour);
  settle();
  restart_with({rule_of("metric=n", 10 * kDay)});
  settle_in(5 * kDay);
  EXPECT_EQ(samples_of("n"), 60U) << "a longer class";
}

TEST_F(RetentionClassesTest, ATimeToLiveCountsBesideIt) {
  put_hour(*store.group({"m"}, {{"keep", "long"}}, "t", 86'400), kStart);
  put_hour(*store.group({"brief"}, {}, "t", 10 * 86'400), kStart);
  settle_in(30 * kMinute + 23 * kHour);
  EXPECT_EQ(count_of("m"), 30U);
  EXPECT_EQ(count_of("brief"), 30U);
  settle_in(kHour);
  EXPECT_EQ(stored(), 0U);
}

// A series in no class, some of whose samples live shorter, in a slot that stays for another: its windows are read.
TEST_F(RetentionClassesTest, ATimeToLiveInASlotThatStays) {
  put_hour(*store.group({"m"}, {{"keep", "long"}}), kStart);
  const auto mortal = store.group({"n"}, {}, "t", 10 * 86'400);
  put_hour(*mortal, kStart);
  put_hour(*store.group({"n"}, {}), kStart + 1);
  settle_in(5 * kDay);
  EXPECT_EQ(count_of("n"), 120U);
  settle_in(6 * kDay);
  EXPECT_EQ(count_of("n"), 60U);
  EXPECT_EQ(samples_of("m"), 60U);
}

// Series of a class leave the index, and what is left of them in slots goes all the same.
TEST_F(RetentionClassesTest, WhatIsOverLeavesTheIndex) {
  engine.options().gone_series_min = 20;
  engine.options().leave_every_ms = 0;
  engine.options().leave_grace_ms = 0;
  store.restart();
  constexpr unsigned kBriefPods = 30;
  put_hour(*store.group({"m"}), kStart);
  for (unsigned pod = 0; pod < kBriefPods; ++pod) {
    put_hour(*store.group({"brief"}, {{"pod", std::to_string(pod)}}), kStart - kHour / 2);
  }
  settle_in(kHour);
  EXPECT_EQ(stored(), 60U * (1 + kBriefPods));
  settle_in(kDay - kHour - kMinute / 2);  // all of them are, and their last slot is not
  EXPECT_EQ(names(), Names{"m"});
  EXPECT_EQ(stored(), 60U + 30 * kBriefPods);
  settle_in(kHour);
  EXPECT_EQ(stored(), 60U);
  EXPECT_EQ(samples_of("m"), 60U);
  put_hour(*store.group({"brief"}, {{"pod", "0"}}), clock.now_ms());
  EXPECT_EQ(engine.store().series_defined(), 1 + kBriefPods + 1) << "it is another one";
  settle_in(2 * kHour);
  engine.restart();
  EXPECT_EQ(count_of("brief"), 60U);
  EXPECT_EQ(count_of("m"), 60U);
}

// Slots that have been made a stratum.
TEST_F(RetentionClassesTest, InStrata) {
  engine.options().raw_retention_ms = 100 * kDay;
  store.restart();
  const auto brief = store.group({"brief"});
  const auto other = store.group({"m"});
  for (int hour = 0; hour < 48; ++hour) {
    put_hour(*brief, kStart + hour * kHour);
    put_hour(*other, kStart + hour * kHour);
  }
  clock.advance_ms(kDay);
  settle_in(kDay - kHour);
  EXPECT_EQ(samples_of("brief"), 24U * 60);
  EXPECT_EQ(count_of("brief"), 24U * 60);
  settle_in(12 * kHour);
  EXPECT_EQ(samples_of("brief"), 12U * 60);
  EXPECT_EQ(count_of("brief"), 12U * 60);
  settle_in(kDay);
  EXPECT_EQ(count_of("brief"), 0U);
  EXPECT_EQ(stored(), 48U * 60);
  EXPECT_EQ(samples_of("m"), 48U * 60);
}

// Everything at random, and a model that only knows the times.
TEST_F(RetentionClassesTest, AsAModelSays) {
  std::mt19937_64 random(99);
  const auto pick = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<Group*> groups;
  groups.push_back(store.group({"brief1"}));
  groups.push_back(store.group({"brief2", "m"}));
  groups.push_back(store.group({"long", "brief3"}, {{"keep", "long"}}));
  groups.push_back(store.group({"long"}, {{"keep", "long"}}));
  groups.push_back(store.group({"m"}));
  const std::map<std::string, std::int64_t> kept = {
      {"brief1", kDay}, {"brief2", kDay}, {"brief3", kDay}, {"long", 40 * kDay}, {"m", 20 * kDay}};
  testing::Written model;
  const int rounds = varve::testing::effort(400);
  for (int round = 0; round < rounds; ++round) {
    ASSERT_TRUE(store.append(testing::random_rows(groups, pick, clock.now_ms(), model)));
    if (pick(3) == 0) clock.advance_ms(pick(40 * 3600) * 1000LL);
    if (pick(4) == 0) settle();
    if (pick(12) == 0) store.restart();
    if (pick(10) == 0) {
      const auto& [metric, samples] = *std::next(model.begin(), pick(static_cast<std::uint32_t>(model.size())));
      const Timestamp first = clock.now_ms() - pick(3 * 86'400) * 1000LL;
      const model::TimeRange range{first, first + pick(86'400) * 1000LL + 1};
      ASSERT_TRUE(engine.samples().erase(store.tenant(), store.find(metric), range, nullptr));
      std::erase_if(model[metric], [&](const auto& one) { return range.contains(one.first); });
    }
    for (const auto& [metric, samples] : model) {
      const Timestamp alive = clock.now_ms() - kept.at(metric);
      const std::int64_t width = std::array{kMinute, 5 * kMinute, kHour, kDay}[pick(4)];
      const Timestamp first = kStart + (static_cast<Timestamp>(pick(60 * 24)) - 100) * kHour;
      const model::TimeRange range{first, first + static_cast<Timestamp>(1 + pick(40 * 24)) * kHour};
      // Of series of no class samples go before their windows, slot by slot.
      if (metric == "m" && (width == kMinute || range.first < alive)) continue;
      testing::Sums want;
      for (const auto& [time, v] : samples) {
        if (range.contains(time) && time >= alive) want[model::window_start(time, width)].add(time, 1, v, v, v);
      }
      testing::expect_equal(read(metric, width, range).sums, want);
      if (::testing::Test::HasFailure()) {
        GTEST_FAIL() << metric << " in round " << round << ", width " << width << ", from " << range.first - kStart;
      }
    }
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
