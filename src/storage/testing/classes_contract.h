// SPDX-License-Identifier: Apache-2.0
// The part of the contract of a store that is about series which are kept for another time than others
// (retention.classes). Include beside store_contract.h, and instantiate ClassesContract with engines that have these
// classes, that keep samples for kRawDays and windows of five minutes and an hour for kWindowDays, and whose clock can
// be moved.
#pragma once

#include <array>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/effort.h"
#include "storage/testing/hourly_sink.h"
#include "storage/testing/store_contract.h"

namespace varve::storage::testing {

inline constexpr std::int64_t kRawDays = 4, kWindowDays = 20;
// Conditions, and days.
inline constexpr std::array<std::pair<const char*, std::int64_t>, 3> kRetentionClasses = {
    {{"metric=brief*", 1}, {"tag.keep=long", 40}, {"tenant=gone", 2}}};

class ClassesContract : public StoreContract {
 protected:
  static constexpr std::int64_t kMinute = 60'000, kHour = 60 * kMinute, kDay = 24 * kHour;

  ClassesContract() : now(engine->now_ms() / kMinute * kMinute - 17) {}

  // Samples each minute of the hours up to `end`.
  void put_hours(const Group& group, model::Timestamp end, int hours = 1) {
    model::RowBatch batch;
    for (int i = 0; i < hours * 60; ++i) {
      batch.add(store.line(group), end - i * kMinute, std::vector<Value>(group.metrics.size(), L(1)));
    }
    ASSERT_TRUE(store.append(batch));
  }
  std::uint64_t samples_of(const std::string& metric, std::string_view tenant = "t") {
    return store.read(metric, {}, tenant).size();
  }
  // Windows and samples together.
  HourlySink::Hours hours_of(const std::string& metric, std::string_view tenant = "t") {
    HourlySink::Hours hours;
    const auto series = store.find(metric, tenant);
    HourlySink sink(std::max<std::size_t>(1, series.size()));
    EXPECT_TRUE(engine->samples().scan(store.tenant(tenant), series, {}, sink));
    for (std::size_t s = 0; s < series.size(); ++s) {
      for (const auto& [hour, found] : sink.hours(s)) {
        hours[hour].first += found.first;
        hours[hour].second += found.second;
      }
    }
    return hours;
  }
  std::uint64_t count_of(const std::string& metric, std::string_view tenant = "t") {
    std::uint64_t count = 0;
    for (const auto& [hour, found] : hours_of(metric, tenant)) count += found.first;
    return count;
  }
  // What has ended is in windows of each granularity then.
  void settle_in(std::int64_t by_ms) {
    ASSERT_TRUE(engine->advance_ms(by_ms));
    for (int round = 0; round < 3; ++round) {
      ASSERT_TRUE(engine->samples().settle());
      engine->advance_ms(kQuiet);
      settled_ms += kQuiet;
    }
    ASSERT_TRUE(engine->samples().settle());
    settled_ms += by_ms;
  }
  // Time passes until it has been so long since the test began.
  void settle_until(std::int64_t age_ms) { settle_in(age_ms - settled_ms - 3 * kQuiet); }

  static constexpr std::int64_t kQuiet = 10 * kMinute;
  const model::Timestamp now;
  std::int64_t settled_ms = 0;
};

TEST_P(ClassesContract, of_a_shorter_class_nothing_older_is_read) {
  put_hours(*store.group({"brief"}), now, 2);
  put_hours(*store.group({"m"}), now, 2);
  const auto look = [&](std::uint64_t left) {
    everywhere([&] {
      EXPECT_EQ(samples_of("brief"), left);
      EXPECT_EQ(count_of("brief"), left);
      EXPECT_EQ(samples_of("m"), 120U);
      EXPECT_EQ(count_of("m"), 120U);
      for (const auto one : store.find("brief")) {
        const auto known = engine->series().series_stats(store.tenant(), {&one, 1})->at(0);
        EXPECT_TRUE(known.points == 0 || known.first_ms >= engine->now_ms() - kDay);
      }
    });
  };
  look(120);
  settle_until(kDay - 90 * kMinute);
  look(90);
  settle_until(kDay - 15 * kMinute);
  look(15);
  settle_until(kDay);
  look(0);
  put_hours(*store.group({"brief"}), now + kDay);
  look(60);
}

TEST_P(ClassesContract, of_a_longer_class_samples_stay) {
  put_hours(*store.group({"long"}, {{"keep", "long"}}), now);
  put_hours(*store.group({"m"}), now);
  settle_until(10 * kDay);
  everywhere([&] {
    EXPECT_EQ(samples_of("long"), 60U);
    EXPECT_EQ(count_of("long"), 60U);
    EXPECT_EQ(samples_of("m"), 0U);
    EXPECT_EQ(count_of("m"), 60U) << "its windows";
  });
  settle_until(25 * kDay);
  everywhere([&] {
    EXPECT_EQ(samples_of("long"), 60U);
    EXPECT_EQ(count_of("long"), 60U);
    EXPECT_EQ(count_of("m"), 0U);
  });
  settle_until(40 * kDay - 30 * kMinute);
  everywhere([&] {
    EXPECT_EQ(samples_of("long"), 30U);
    EXPECT_EQ(count_of("long"), 30U);
  });
  settle_until(40 * kDay);
  everywhere([&] { EXPECT_EQ(count_of("long"), 0U); });
}

// What is older than raw.retention, but not than its class, is as any other sample.
TEST_P(ClassesContract, of_a_longer_class_samples_may_come_late) {
  const auto* const group = store.group({"long"}, {{"keep", "long"}});
  put_hours(*group, now - 10 * kDay);
  put_hours(*group, now - 10 * kDay - kHour);
  everywhere([&] { EXPECT_EQ(samples_of("long"), 120U); });
  settle_in(0);
  ASSERT_TRUE(store.put(*group, now - 10 * kDay - 90 * kMinute - 1, {L(1)}));
  ASSERT_TRUE(store.put(*group, now - 10 * kDay - 90 * kMinute, {L(1)}));  // over another one
  const auto look = [&] {
    everywhere([&] {
      EXPECT_EQ(samples_of("long"), 121U);
      EXPECT_EQ(count_of("long"), 121U);
    });
  };
  look();
  settle_in(0);
  look();
  settle_until(25 * kDay);  // longer than hot rows live
  look();
}

TEST_P(ClassesContract, of_several_classes_in_a_line_group_each_has_its_time) {
  put_hours(*store.group({"brief", "m"}), now);
  put_hours(*store.group({"brief2", "long", "brief3"}, {{"keep", "long"}}), now);
  settle_until(kDay);
  everywhere([&] {
    EXPECT_EQ(count_of("brief") + count_of("brief2") + count_of("brief3"), 0U);
    EXPECT_EQ(samples_of("m"), 60U);
    EXPECT_EQ(samples_of("long"), 60U);
  });
  settle_until(10 * kDay);
  everywhere([&] {
    EXPECT_EQ(count_of("brief") + count_of("brief2") + count_of("brief3"), 0U);
    EXPECT_EQ(count_of("m"), 60U);
    EXPECT_EQ(samples_of("long"), 60U);
  });
}

TEST_P(ClassesContract, a_time_to_live_counts_beside_the_class) {
  put_hours(*store.group({"long"}, {{"keep", "long"}}, "t", 86'400), now);
  put_hours(*store.group({"brief"}, {}, "t", 10 * 86'400), now);
  settle_until(kDay - 30 * kMinute);
  everywhere([&] {
    EXPECT_EQ(count_of("long"), 30U);
    EXPECT_EQ(count_of("brief"), 30U);
  });
}

TEST_P(ClassesContract, a_tenant_may_be_of_one_class) {
  put_hours(*store.group({"m"}, {{"host", "a"}}, "gone"), now);
  put_hours(*store.group({"m"}), now);
  settle_until(2 * kDay - 30 * kMinute);
  everywhere([&] {
    EXPECT_EQ(samples_of("m", "gone"), 30U);
    EXPECT_EQ(count_of("m", "gone"), 30U);
  });
  settle_until(2 * kDay);
  everywhere([&] {
    EXPECT_EQ(count_of("m", "gone"), 0U);
    EXPECT_EQ(samples_of("m"), 60U);
  });
}

// A series of a class in two groups, one of which has others that are kept for longer.
TEST_P(ClassesContract, a_series_is_of_one_class_in_all_its_groups) {
  put_hours(*store.group({"brief"}), now);
  put_hours(*store.group({"brief", "m"}), now - 30 * kMinute);
  settle_until(kDay - kHour);
  everywhere([&] { EXPECT_EQ(count_of("brief"), 60U); });
  settle_until(kDay - 15 * kMinute);
  everywhere([&] {
    EXPECT_EQ(samples_of("brief"), 15U);
    EXPECT_EQ(count_of("brief"), 15U);
  });
}

// Everything at random, and a model that only knows the times.
TEST_P(ClassesContract, at_random_as_a_model_says) {
  std::mt19937_64 random(7);
  const auto pick = [&random](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  const std::map<std::string, std::int64_t> kept = {
      {"brief1", kDay}, {"brief2", kDay}, {"brief3", kDay}, {"long", 40 * kDay}};
  const std::vector<const Group*> groups = {store.group({"brief1"}), store.group({"brief2", "m"}),
                                            store.group({"long", "brief3"}, {{"keep", "long"}}),
                                            store.group({"long"}, {{"keep", "long"}})};
  std::map<std::string, std::map<model::Timestamp, std::int64_t>> written;
  const int rounds = varve::testing::effort(60);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const model::Timestamp minute = engine->now_ms() / kMinute * kMinute - 17;
    for (int request = 0; request < 4;
         ++request) {  // of a group each: of equal times in one, nobody says which is last
      const Group& group = *groups[static_cast<std::size_t>(pick(4))];
      model::RowBatch batch;
      for (int i = 0; i < 10; ++i) {
        const model::Timestamp time = minute - pick(pick(3) == 0 ? 10 * 24 * 60 : 60) * kMinute;
        const std::int64_t value = pick(1000);
        batch.add(store.line(group), time, std::vector<Value>(group.metrics.size(), L(value)));
        for (const std::string& metric : group.metrics) written[metric][time] = value;
      }
      ASSERT_TRUE(store.append(batch));
    }
    if (pick(3) == 0) engine->advance_ms(pick(40 * 60) * kMinute);
    if (pick(3) == 0) {
      ASSERT_TRUE(engine->samples().settle());
    }
    if (pick(12) == 0) store.restart();
    if (pick(6) == 0) settle_in(0);
    for (const auto& [metric, kept_ms] : kept) {
      Samples samples;
      HourlySink::Hours hours;
      for (const auto& [time, value] : written[metric]) {
        if (time < engine->now_ms() - kept_ms) continue;
        samples.emplace(time, OwnedValue(L(value)));
        auto& [count, sum] = hours[HourlySink::hour(time)];
        ++count;
        sum += static_cast<double>(value);
      }
      ASSERT_EQ(store.read(metric), samples) << metric;
      ASSERT_EQ(hours_of(metric), hours) << metric;
    }
  }
}

}  // namespace varve::storage::testing
