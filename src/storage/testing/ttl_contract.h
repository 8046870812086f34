// SPDX-License-Identifier: Apache-2.0
// The part of the contract of a store that is about times to live. Include beside store_contract.h.
//
// Where an engine's clock cannot be moved, what is over is what was put too late.
#pragma once

#include "storage/testing/hourly_sink.h"
#include "storage/testing/store_contract.h"

namespace varve::storage::testing {

inline constexpr std::int64_t kMinuteMs = 60'000;
inline constexpr std::int64_t kHourMs = HourlySink::kHourMs;
inline constexpr std::uint32_t kHourS = 3600;

TEST_P(StoreContract, samples_are_there_as_long_as_their_group_says) {
  const std::int64_t now = engine->now_ms();
  const auto mortal = store.group({"m", "n"}, {{"host", "a"}}, "t", kHourS);
  const auto ever = store.group({"e"});
  const model::Timestamp over = now - 2 * kHourMs, soon = now - kHourMs + 5 * kMinuteMs, late = now - 1000;
  for (const model::Timestamp time : {over, soon, late}) {
    ASSERT_TRUE(store.put(*mortal, time, {L(time), D(0.5)}));
    ASSERT_TRUE(store.put(*ever, time, {L(1)}));
  }
  everywhere([&] {
    EXPECT_EQ(store.read("m"), of({{soon, L(soon)}, {late, L(late)}}));
    EXPECT_EQ(store.read("n"), of({{soon, D(0.5)}, {late, D(0.5)}}));
    EXPECT_TRUE(store.read("m", {over - 1, soon}).empty());
    EXPECT_EQ(store.read("e").size(), 3U);
    const auto known = engine->series().series_stats(store.tenant(), store.find("m"))->at(0);
    EXPECT_LE(known.first_ms, soon);
    EXPECT_GT(known.first_ms, over);
    EXPECT_EQ(known.last_ms, late);
  });
  if (!engine->advance_ms(6 * kMinuteMs)) return;
  everywhere([&] {
    EXPECT_EQ(store.read("m"), of({{late, L(late)}}));
    EXPECT_EQ(store.read("n"), of({{late, D(0.5)}}));
  });
  engine->advance_ms(kHourMs);
  everywhere([&] {
    EXPECT_TRUE(store.read("m").empty());
    EXPECT_TRUE(store.read("n").empty());
    EXPECT_EQ(store.read("e").size(), 3U);
    const auto left = store.find("m");  // may be forgotten
    EXPECT_EQ(engine->series().series_stats(store.tenant(), left).value(), std::vector<SeriesStats>(left.size()));
  });
  // It is the same series again, and its group is still the same.
  const model::Timestamp again = engine->now_ms() - 1;
  ASSERT_TRUE(store.put(*mortal, again, {L(7), D(7.5)}));
  everywhere([&] { EXPECT_EQ(store.read("m"), of({{again, L(7)}})); });
}

TEST_P(StoreContract, a_group_has_others_of_the_same_series_for_each_time_to_live) {
  const auto ever = store.group({"n", "m"});
  const auto hour = store.group({"n", "m"}, {{"host", "a"}}, "t", kHourS);
  EXPECT_NE(hour->line.id, ever->line.id);
  EXPECT_EQ(engine->series().group_of_ttl(ever->line.id, kHourS).value(), hour->line.id);
  EXPECT_EQ(engine->series().group_of_ttl(hour->line.id, kHourS).value(), hour->line.id);
  EXPECT_EQ(engine->series().group_of_ttl(hour->line.id, 0).value(), ever->line.id);
  const auto day = engine->series().group_of_ttl(hour->line.id, 24 * kHourS);
  EXPECT_EQ(store.group({"n", "m"}, {{"host", "a"}}, "t", 24 * kHourS)->line.id, *day);
}

TEST_P(StoreContract, samples_of_one_series_live_as_long_as_each_was_put_for) {
  const std::int64_t now = engine->now_ms();
  const auto ever = store.group({"m"});
  const auto hour = store.group({"m"}, {{"host", "a"}}, "t", kHourS);
  const auto day = store.group({"m"}, {{"host", "a"}}, "t", 24 * kHourS);
  const model::Timestamp old = now - 3 * kHourMs, young = now - 30 * kMinuteMs;
  ASSERT_TRUE(store.put(*ever, old, {L(1)}));
  ASSERT_TRUE(store.put(*day, old + 1, {L(2)}));
  ASSERT_TRUE(store.put(*hour, old + 2, {L(3)}));
  ASSERT_TRUE(store.put(*hour, young, {L(4)}));
  ASSERT_TRUE(store.put(*ever, young + 1, {L(5)}));
  ASSERT_TRUE(store.put(*day, young + 2, {L(6)}));
  EXPECT_EQ(store.find("m").size(), 1U);
  everywhere([&] {
    EXPECT_EQ(store.read("m"), of({{old, L(1)}, {old + 1, L(2)}, {young, L(4)}, {young + 1, L(5)}, {young + 2, L(6)}}));
  });
  if (!engine->advance_ms(kHourMs)) return;
  everywhere(
      [&] { EXPECT_EQ(store.read("m"), of({{old, L(1)}, {old + 1, L(2)}, {young + 1, L(5)}, {young + 2, L(6)}})); });
  engine->advance_ms(24 * kHourMs);
  everywhere([&] { EXPECT_EQ(store.read("m"), of({{old, L(1)}, {young + 1, L(5)}})); });
}

TEST_P(StoreContract, of_those_that_are_there_the_last_write_wins) {
  const model::Timestamp t = engine->now_ms() - 10 * kMinuteMs;
  const auto ever = store.group({"m"});
  const auto hour = store.group({"m", "n"}, {{"host", "a"}}, "t", kHourS);
  const auto day = store.group({"m"}, {{"host", "a"}}, "t", 24 * kHourS);
  const auto put = [&](const Group* group, model::Timestamp time, std::int64_t value) {
    ASSERT_TRUE(store.put(*group, time, group == hour ? std::vector{L(value), L(0)} : std::vector{L(value)}));
  };
  const auto put_all = [&](model::Timestamp from) {
    put(ever, from, 1), put(hour, from, 2);
    put(hour, from + 1, 1), put(ever, from + 1, 2);
    put(day, from + 2, 1), put(hour, from + 2, 2);
    put(ever, from + 3, 1), put(day, from + 3, 2), put(hour, from + 3, 3);
    put(hour, from + 4, 1), put(ever, from + 4, 2), put(day, from + 4, 3);
    put(day, from + 5, 1), put(ever, from + 5, 2), put(hour, from + 5, 3);
  };
  put_all(t);
  const Samples first = of({{t, L(2)}, {t + 1, L(2)}, {t + 2, L(2)}, {t + 3, L(3)}, {t + 4, L(3)}, {t + 5, L(3)}});
  everywhere([&] { EXPECT_EQ(store.read("m"), first); });
  put(ever, t, 10);  // over what is settled
  put(hour, t + 1, 11);
  Samples second = first;
  second[t] = OwnedValue(L(10));
  second[t + 1] = OwnedValue(L(11));
  everywhere([&] { EXPECT_EQ(store.read("m"), second); });
  if (!engine->advance_ms(kHourMs)) return;
  everywhere([&] {
    EXPECT_EQ(store.read("m"),
              of({{t, L(10)}, {t + 1, L(2)}, {t + 2, L(1)}, {t + 3, L(2)}, {t + 4, L(3)}, {t + 5, L(2)}}));
  });
  engine->advance_ms(24 * kHourMs);
  everywhere([&] {
    EXPECT_EQ(store.read("m"), of({{t, L(10)}, {t + 1, L(2)}, {t + 3, L(1)}, {t + 4, L(2)}, {t + 5, L(2)}}));
  });
}

TEST_P(StoreContract, windows_and_statistics_are_without_what_is_over) {
  constexpr int kMinutes = 40 * 60;
  const std::int64_t now = engine->now_ms();
  const model::Timestamp begin = now - kMinutes * kMinuteMs - 17;  // nothing is over at the edge of a window
  // Two series that live for 20 hours, one of which has other samples that live on, and one that lives on.
  const auto pure = store.group({"pure", "pure2"}, {{"host", "a"}}, "t", 20 * kHourS);
  const auto mixed = store.group({"mixed"}, {{"host", "a"}}, "t", 20 * kHourS);
  const auto rest = store.group({"mixed", "ever"});
  for (int from = 0; from < kMinutes; from += 600) {
    model::RowBatch batch;
    for (int i = from; i < from + 600; ++i) {
      const model::Timestamp time = begin + i * kMinuteMs;
      batch.add(store.line(*pure), time, std::vector{L(i), L(1)});
      if (i % 2 == 0) batch.add(store.line(*mixed), time, L(i));
      if (i % 2 == 1) batch.add(store.line(*rest), time, std::vector{L(i), L(i)});
    }
    ASSERT_TRUE(store.append(batch));
  }
  const auto want = [&](bool lives_on, int step, int first) {
    HourlySink::Hours hours;
    for (int i = first; i < kMinutes; i += step) {
      const model::Timestamp time = begin + i * kMinuteMs;
      if (!lives_on && time < engine->now_ms() - 20 * kHourMs) continue;
      auto& [count, sum] = hours[HourlySink::hour(time)];
      ++count;
      sum += i;
    }
    return hours;
  };
  const auto look = [&] {
    std::vector<model::SeriesId> series;
    for (const char* metric : {"pure", "mixed", "ever"}) {
      for (const auto one : store.find(metric)) series.push_back(one);
    }
    ASSERT_EQ(series.size(), 3U);
    HourlySink sink(3);
    ScanOptions options;
    options.threads = 3;
    ASSERT_TRUE(engine->samples().scan(store.tenant(), series, options, sink));
    EXPECT_EQ(sink.hours(0), want(false, 1, 0));
    auto both = want(false, 2, 0);
    for (const auto& [hour, counted] : want(true, 2, 1)) {
      both[hour].first += counted.first;
      both[hour].second += counted.second;
    }
    EXPECT_EQ(sink.hours(1), both);
    EXPECT_EQ(sink.hours(2), want(true, 2, 1));
    EXPECT_GE(sink.windows(), expects_windows ? 20U : 0U);
  };
  // A clock that goes on by itself must not come past a sample while one looks: each is 17 ms before a minute.
  look();
  if (!engine->advance_ms(10 * kMinuteMs)) return;  // what was written a moment ago is not sealed everywhere
  expects_windows = engine->makes_windows();
  ASSERT_TRUE(engine->samples().settle());
  look();
  engine->advance_ms(7 * kHourMs);
  everywhere(look);
}

}  // namespace varve::storage::testing
