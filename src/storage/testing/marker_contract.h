// SPDX-License-Identifier: Apache-2.0
// The contract of staleness markers. To be included beside store_contract.h.
#pragma once

#include <numeric>

#include "storage/testing/hourly_sink.h"
#include "storage/testing/store_contract.h"

namespace varve::storage::testing {

inline const model::Value kMarker = model::Value::of_stale_marker();

// Of the metric's only series; nothing if it is not there.
inline SeriesStats stats_of(Engine& engine, Fixture& store, std::string_view metric) {
  const auto series = store.find(metric);
  return series.empty() ? SeriesStats() : engine.series().series_stats(store.tenant(), series).value()[0];
}

// How many numbers it has, by windows or statistics where there are any.
inline std::uint64_t count_of(Engine& engine, Fixture& store, std::string_view metric) {
  const auto series = store.find(metric);
  if (series.empty()) return 0;
  HourlySink sink(series.size());
  EXPECT_TRUE(engine.samples().scan(store.tenant(), series, {}, sink));
  return std::accumulate(sink.hours(0).begin(), sink.hours(0).end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& hour) { return sum + hour.second.first; });
}

TEST_P(StoreContract, who_does_not_ask_sees_none) {
  const auto group = store.group({"m", "n"});
  ASSERT_TRUE(store.put(*group, 20, {L(1), D(0.5)}));
  ASSERT_TRUE(store.mark(*group, 10));
  ASSERT_TRUE(store.put(*group, 30, {L(2), D(1.5)}));
  ASSERT_TRUE(store.mark(*group, 40));
  everywhere([&] {
    EXPECT_EQ(store.read("m"), of({{20, L(1)}, {30, L(2)}}));
    EXPECT_EQ(store.read_with_markers("m"), of({{10, kMarker}, {20, L(1)}, {30, L(2)}, {40, kMarker}}));
    EXPECT_EQ(store.read_with_markers("n"), of({{10, kMarker}, {20, D(0.5)}, {30, D(1.5)}, {40, kMarker}}));
    EXPECT_EQ(store.read_with_markers("m", {30, 40}), of({{30, L(2)}}));
    EXPECT_EQ(store.read_with_markers("m", {40, 41}), of({{40, kMarker}}));
    EXPECT_TRUE(store.read("m", {40, 41}).empty());
    EXPECT_EQ(stats_of(*engine, store, "m"), (SeriesStats{20, 30, 2, SeriesStats::bit_of(model::ValueType::long_)}));
    EXPECT_EQ(count_of(*engine, store, "m"), 2U);
  });
}

TEST_P(StoreContract, markers_and_values_replace_each_other) {
  const auto group = store.group({"m"});
  for (const model::Timestamp time : {1, 2, 3, 4}) ASSERT_TRUE(store.put(*group, time, {L(time)}));
  ASSERT_TRUE(store.mark(*group, 5));
  ASSERT_TRUE(store.mark(*group, 2));
  ASSERT_TRUE(store.put(*group, 5, {L(50)}));
  everywhere([&] {
    EXPECT_EQ(store.read_with_markers("m"), of({{1, L(1)}, {2, kMarker}, {3, L(3)}, {4, L(4)}, {5, L(50)}}));
    EXPECT_EQ(store.read("m"), of({{1, L(1)}, {3, L(3)}, {4, L(4)}, {5, L(50)}}));
    EXPECT_EQ(count_of(*engine, store, "m"), 4U);
  });
  // What is sealed is written over, too.
  ASSERT_TRUE(store.mark(*group, 3));
  ASSERT_TRUE(store.put(*group, 2, {D(2.5)}));
  ASSERT_TRUE(store.mark(*group, 5));
  ASSERT_TRUE(store.mark(*group, 1));
  ASSERT_TRUE(store.put(*group, 1, {L(10)}));
  everywhere([&] {
    EXPECT_EQ(store.read_with_markers("m"), of({{1, L(10)}, {2, D(2.5)}, {3, kMarker}, {4, L(4)}, {5, kMarker}}));
    EXPECT_EQ(stats_of(*engine, store, "m").types,
              SeriesStats::bit_of(model::ValueType::long_) | SeriesStats::bit_of(model::ValueType::double_));
  });
  EXPECT_EQ(stats_of(*engine, store, "m").points, 3U);
}

TEST_P(StoreContract, markers_and_values_replace_each_other_between_groups) {
  const auto pair = store.group({"m", "n"});
  const auto alone = store.group({"m"});
  ASSERT_TRUE(store.put(*pair, 1, {L(1), L(2)}));
  ASSERT_TRUE(store.mark(*alone, 1));
  ASSERT_TRUE(store.mark(*pair, 2));
  ASSERT_TRUE(store.put(*alone, 2, {L(3)}));
  everywhere([&] {
    EXPECT_EQ(store.read_with_markers("m"), of({{1, kMarker}, {2, L(3)}}));
    EXPECT_EQ(store.read_with_markers("n"), of({{1, L(2)}, {2, kMarker}}));
    EXPECT_EQ(store.read("m"), of({{2, L(3)}}));
    EXPECT_EQ(count_of(*engine, store, "m"), 1U);
  });
  ASSERT_TRUE(store.put(*pair, 1, {L(4), L(5)}));
  ASSERT_TRUE(store.mark(*alone, 2));
  everywhere([&] {
    EXPECT_EQ(store.read_with_markers("m"), of({{1, L(4)}, {2, kMarker}}));
    EXPECT_EQ(count_of(*engine, store, "m"), 1U);
  });
}

// A marker that comes late changes what was rolled up.
TEST_P(StoreContract, windows_are_of_values) {
  const auto group = store.group({"m"});
  for (model::Timestamp minute = 0; minute < 180; ++minute) {
    ASSERT_TRUE(store.put(*group, minute * model::kMinuteMs, {L(minute)}));
  }
  everywhere([&] { EXPECT_EQ(count_of(*engine, store, "m"), 180U); });
  ASSERT_TRUE(store.mark(*group, 7 * model::kMinuteMs));
  for (model::Timestamp minute = 60; minute < 120; ++minute) ASSERT_TRUE(store.mark(*group, minute * model::kMinuteMs));
  everywhere([&] {
    EXPECT_EQ(count_of(*engine, store, "m"), 119U);
    EXPECT_EQ(store.read("m").size(), 119U);
    EXPECT_EQ(store.read_with_markers("m").size(), 180U);
  });
  ASSERT_TRUE(store.put(*group, 61 * model::kMinuteMs, {L(1)}));
  everywhere([&] { EXPECT_EQ(count_of(*engine, store, "m"), 120U); });
}

TEST_P(StoreContract, deletes_take_markers_along) {
  const auto group = store.group({"m", "n"});
  ASSERT_TRUE(store.put(*group, 1, {L(1), L(2)}));
  ASSERT_TRUE(store.mark(*group, 2));
  ASSERT_TRUE(store.put(*group, 3, {L(3), L(4)}));
  ASSERT_TRUE(store.mark(*group, 4));
  everywhere([] {});
  ASSERT_TRUE(store.mark(*group, 5));
  const model::Timestamp alone = 50 * model::kHourMs;  // in a slot of its own
  ASSERT_TRUE(store.mark(*group, alone));
  ASSERT_TRUE(engine->samples().erase(store.tenant(), store.find("m"), {alone, alone + 1}, nullptr));
  everywhere([&] { EXPECT_TRUE(store.read_with_markers("m", {alone, alone + 1}).empty()); });
  EXPECT_EQ(store.read_with_markers("n", {alone, alone + 1}), of({{alone, kMarker}}));
  ASSERT_TRUE(engine->samples().erase(store.tenant(), store.find("n"), {alone, alone + 1}, nullptr));
  const auto erased = engine->samples().erase(store.tenant(), store.find("m"), {2, 5}, nullptr);
  ASSERT_TRUE(erased);
  EXPECT_EQ(erased->samples, 1U);
  everywhere([&] {
    EXPECT_EQ(store.read_with_markers("m"), of({{1, L(1)}, {5, kMarker}}));
    EXPECT_EQ(store.read_with_markers("n"), of({{1, L(2)}, {2, kMarker}, {3, L(4)}, {4, kMarker}, {5, kMarker}}));
  });
}

// Who was deleted and then goes away must not come back by that.
TEST_P(StoreContract, markers_alone_are_nothing) {
  const auto group = store.group({"m"});
  const auto names = [&] { return engine->series().metric_names(store.tenant(), {}).value(); };
  ASSERT_TRUE(store.put(*group, 1, {L(1)}));
  ASSERT_TRUE(store.mark(*group, 2));
  const auto series = store.find("m");
  ASSERT_TRUE(engine->samples().erase(store.tenant(), series, {0, 2}, nullptr));
  ASSERT_TRUE(engine->samples().settle());
  EXPECT_EQ(stats_of(*engine, store, "m").points, 0U);
  engine->series().forget_empty(store.tenant(), series);
  EXPECT_EQ(names(), std::vector<std::string>{});
  EXPECT_FALSE(engine->series().has_series(store.tenant(), "m", {{"host", "a"}}).value());
  ASSERT_TRUE(store.mark(*group, 3));
  EXPECT_EQ(names(), std::vector<std::string>{});
  // With the next value the series is there, and had ended before.
  ASSERT_TRUE(store.put(*group, 5, {L(5)}));
  everywhere([&] {
    EXPECT_EQ(store.read_with_markers("m"), of({{2, kMarker}, {5, L(5)}}));
    EXPECT_EQ(names(), std::vector<std::string>{"m"});
    EXPECT_TRUE(engine->series().has_series(store.tenant(), "m", {{"host", "a"}}).value());
    EXPECT_FALSE(engine->series().has_series(store.tenant(), "m", {}).value());
    EXPECT_FALSE(engine->series().has_series(store.tenant(), "m", {{"host", "b"}}).value());
  });
}

// A batch may have both: the markers of a series that comes back are its.
TEST_P(StoreContract, a_batch_may_bring_a_series_back_with_its_markers) {
  const auto gone = store.group({"m"}), other = store.group({"o"});
  ASSERT_TRUE(store.put(*gone, 1, {L(1)}));
  ASSERT_TRUE(store.put(*other, 1, {L(1)}));
  const auto series = store.find("m");
  ASSERT_TRUE(engine->samples().erase(store.tenant(), series, {}, nullptr));
  ASSERT_TRUE(engine->samples().settle());
  engine->series().forget_empty(store.tenant(), series);
  model::RowBatch batch;
  batch.add_stale_markers(store.line(*gone), 2);
  batch.add(store.line(*other), 2, L(2));
  ASSERT_TRUE(store.append(batch));
  EXPECT_TRUE(store.find("m").empty());
  EXPECT_EQ(store.read("o"), of({{1, L(1)}, {2, L(2)}}));
  batch.clear();
  batch.add_stale_markers(store.line(*gone), 4);
  batch.add(store.line(*gone), 3, L(3));
  ASSERT_TRUE(store.append(batch));
  everywhere([&] { EXPECT_EQ(store.read_with_markers("m"), of({{3, L(3)}, {4, kMarker}})); });
}

TEST_P(StoreContract, markers_live_as_long_as_their_group_says) {
  const std::int64_t now = engine->now_ms();
  const auto hour = store.group({"m"}, {{"host", "a"}}, "t", 3600);
  ASSERT_TRUE(store.mark(*hour, now - 2 * model::kHourMs));
  ASSERT_TRUE(store.put(*hour, now - 2000, {L(1)}));
  ASSERT_TRUE(store.mark(*hour, now - 1000));
  everywhere([&] { EXPECT_EQ(store.read_with_markers("m"), of({{now - 2000, L(1)}, {now - 1000, kMarker}})); });
  if (!engine->advance_ms(2 * model::kHourMs)) return;
  everywhere([&] { EXPECT_TRUE(store.read_with_markers("m").empty()); });
}

}  // namespace varve::storage::testing
