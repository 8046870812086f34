// SPDX-License-Identifier: Apache-2.0
// The part of a store's contract about what it knows of series without reading them. Include beside store_contract.h.
#pragma once

#include "storage/testing/store_contract.h"

namespace varve::storage::testing {

TEST_P(StoreContract, series_stats_are_known) {
  const auto pair = store.group({"cpu", "mem"});
  const auto text = store.group({"text"}, {{"host", "b"}});
  ASSERT_TRUE(store.put(*pair, -5, {L(1), D(2.5)}));
  ASSERT_TRUE(store.put(*pair, 100'000'000, {D(1.5), D(3.5)}));
  ASSERT_TRUE(store.put(*text, 7, {S("x")}));
  everywhere([&] {
    const auto stats = [&](std::string_view metric) {
      return engine->series().series_stats(store.tenant(), store.find(metric))->at(0);
    };
    EXPECT_EQ(stats("cpu"), (SeriesStats{-5, 100'000'000, 2, 3}));  // long and double
    EXPECT_EQ(stats("mem"), (SeriesStats{-5, 100'000'000, 2, 2}));
    EXPECT_EQ(stats("text"), (SeriesStats{7, 7, 1, 4}));
    EXPECT_EQ(engine->series().series_stats(store.tenant("other"), store.find("text"))->at(0), SeriesStats{});
  });
}

TEST_P(StoreContract, tags_are_counted) {
  const auto a = store.group({"cpu", "mem"}, {{"host", "a"}, {"dc", "x"}});
  const auto b = store.group({"cpu"}, {{"dc", "x"}, {"host", "b"}});
  const auto other = store.group({"cpu"}, {{"host", "a"}}, "other");
  ASSERT_TRUE(store.put(*a, 1, {L(1), L(2)}));
  ASSERT_TRUE(store.put(*b, 1, {L(3)}));
  ASSERT_TRUE(store.put(*other, 1, {L(3)}));
  everywhere([&] {
    using Counts = std::vector<index::TagCount>;
    const auto counts = [&](std::string_view metric) {
      return engine->series().tag_counts(store.tenant(), metric, {}).value();
    };
    EXPECT_EQ(counts("cpu"), (Counts{{"dc", "x", 2}, {"host", "a", 1}, {"host", "b", 1}}));
    EXPECT_EQ(counts(""), (Counts{{"dc", "x", 3}, {"host", "a", 2}, {"host", "b", 1}}));
    EXPECT_EQ(counts("disk"), Counts{});
    const auto page = engine->series().tag_counts(store.tenant(), "cpu", {"dc", "x", 1});
    EXPECT_EQ(page.value(), (Counts{{"host", "a", 1}}));
    const auto tagged = engine->series().tagged_series(store.tenant(), "cpu", {"host", "a", 9}).value();
    ASSERT_EQ(tagged.size(), 1U);
    EXPECT_EQ(tagged[0].value, "b");
    EXPECT_EQ(tagged[0].series.size(), 1U);
  });
}

TEST_P(StoreContract, what_is_empty_is_forgotten_until_it_is_written) {
  const auto written = store.group({"m"}, {{"host", "a"}});
  const auto empty = store.group({"m", "n"}, {{"host", "b"}});
  ASSERT_TRUE(store.put(*written, 1, {L(1)}));
  const auto forget_all = [&] {
    for (const char* const metric : {"m", "n"}) engine->series().forget_empty(store.tenant(), store.find(metric));
  };
  forget_all();
  EXPECT_EQ(engine->series().metric_names(store.tenant(), {}).value(), std::vector<std::string>{"m"});
  EXPECT_EQ(engine->series().tag_values(store.tenant(), "m", "host", {}).value(), std::vector<std::string>{"a"});
  EXPECT_EQ(engine->series().series_count(store.tenant()), 1U);
  EXPECT_EQ(engine->series().series_count(), 1U);

  ASSERT_TRUE(store.put(*empty, 2, {L(2), L(3)}));
  everywhere([&] {
    forget_all();
    EXPECT_EQ(store.find("m").size(), 2U);
    EXPECT_EQ(store.read("n"), of({{2, L(3)}}));
  });

  const auto gone = store.find("n");
  ASSERT_TRUE(engine->samples().erase(store.tenant(), gone, {}, nullptr));
  engine->series().forget_empty(store.tenant(), gone);
  everywhere([&] { EXPECT_TRUE(store.find("n").empty()); });
  ASSERT_TRUE(store.put(*empty, 3, {L(4), L(5)}));
  everywhere([&] { EXPECT_EQ(store.read("n"), of({{3, L(5)}})); });
}

}  // namespace varve::storage::testing
