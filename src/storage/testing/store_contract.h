// SPDX-License-Identifier: Apache-2.0
// The contract of a store, as tests: every engine passes them. Include in one test file of an engine and write
//   INSTANTIATE_TEST_SUITE_P(Rocksdb, StoreContract, ::testing::Values(MakeEngine(…)));
// Each case looks at the samples when they have just been put, after settle(), and after a restart.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <thread>

#include "storage/testing/store_fixture.h"

namespace varve::storage::testing {

class StoreContract : public ::testing::TestWithParam<MakeEngine> {
 protected:
  StoreContract() : engine(GetParam()()), store(*engine) {}

  using Value = model::Value;
  static Value L(std::int64_t v) { return Value::of_long(v); }
  static Value D(double v) { return Value::of_double(v); }
  static Value S(std::string_view v) { return Value::of_string(v); }
  static Samples of(std::initializer_list<std::pair<model::Timestamp, Value>> list) {
    Samples samples;
    for (const auto& [time, value] : list) samples.emplace(time, OwnedValue(value));
    return samples;
  }

  // Looks now, settled, and started anew.
  template <class Look>
  void everywhere(const Look& look) {
    {
      SCOPED_TRACE("as put");
      look();
    }
    ASSERT_TRUE(engine->samples().settle());
    {
      SCOPED_TRACE("settled");
      look();
    }
    store.restart();
    SCOPED_TRACE("restarted");
    look();
  }

  std::unique_ptr<Engine> engine;
  Fixture store;
  bool expects_windows = false;
};

TEST_P(StoreContract, an_empty_store_answers) {
  EXPECT_EQ(engine->series().series_count(), 0U);
  EXPECT_TRUE(store.read("nothing").empty());
  EXPECT_TRUE(engine->samples().settle());
}

TEST_P(StoreContract, values_come_back_bit_for_bit) {
  const auto group = store.group({"l", "d"});
  const double nan_payload = std::bit_cast<double>(0x7ff8000000abcdefULL);
  const std::vector<double> doubles = {
      0.0, -0.0, 1.5, 5e-324, 1.7976931348623157e308, 0.1, nan_payload, std::numeric_limits<double>::infinity(), 12.0};
  const std::vector<std::int64_t> longs = {
      0, -1, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), 1LL << 53, 7, 8,
      9, 10};
  Samples want_longs;
  Samples want_doubles;
  for (std::size_t i = 0; i < doubles.size(); ++i) {
    const auto time = static_cast<model::Timestamp>(i) * 1000;
    ASSERT_TRUE(store.put(*group, time, {L(longs[i]), D(doubles[i])}));
    want_longs[time] = OwnedValue(L(longs[i]));
    want_doubles[time] = OwnedValue(D(doubles[i]));
  }
  everywhere([&] {
    EXPECT_EQ(store.read("l"), want_longs);
    EXPECT_EQ(store.read("d"), want_doubles);
  });
}

TEST_P(StoreContract, strings_come_back_byte_for_byte) {
  const auto group = store.group({"s"});
  const std::string binary("a\0\xff\n", 4);
  const std::string large(100'000, 'x');
  ASSERT_TRUE(store.put(*group, 1, {S("")}));
  ASSERT_TRUE(store.put(*group, 2, {S(binary)}));
  ASSERT_TRUE(store.put(*group, 3, {S(large)}));
  everywhere([&] { EXPECT_EQ(store.read("s"), of({{1, S("")}, {2, S(binary)}, {3, S(large)}})); });
}

TEST_P(StoreContract, the_last_write_wins) {
  const auto group = store.group({"m", "n"});
  ASSERT_TRUE(store.put(*group, 10, {L(1), L(100)}));
  ASSERT_TRUE(store.put(*group, 20, {L(2), L(200)}));
  ASSERT_TRUE(store.put(*group, 10, {L(3), L(300)}));
  everywhere([&] { EXPECT_EQ(store.read("m"), of({{10, L(3)}, {20, L(2)}})); });
  ASSERT_TRUE(store.put(*group, 20, {D(4.5), L(400)}));  // over what is sealed, and of another type
  everywhere([&] { EXPECT_EQ(store.read("m"), of({{10, L(3)}, {20, D(4.5)}})); });
  EXPECT_EQ(store.read("n"), of({{10, L(300)}, {20, L(400)}}));
}

TEST_P(StoreContract, the_last_write_wins_between_groups) {
  const auto pair = store.group({"m", "n"});
  const auto alone = store.group({"m"});
  ASSERT_TRUE(store.put(*alone, 10, {L(1)}));
  ASSERT_TRUE(store.put(*pair, 10, {L(2), L(20)}));
  ASSERT_TRUE(store.put(*pair, 11, {L(3), L(30)}));
  ASSERT_TRUE(store.put(*alone, 11, {L(4)}));
  everywhere([&] {
    EXPECT_EQ(store.read("m"), of({{10, L(2)}, {11, L(4)}}));
    EXPECT_EQ(store.read("n"), of({{10, L(20)}, {11, L(30)}}));
  });
  ASSERT_TRUE(store.put(*alone, 10, {L(5)}));
  ASSERT_TRUE(store.put(*pair, 12, {L(6), L(60)}));
  everywhere([&] { EXPECT_EQ(store.read("m"), of({{10, L(5)}, {11, L(4)}, {12, L(6)}})); });
}

TEST_P(StoreContract, any_order_any_age) {
  const auto group = store.group({"m"});
  const std::vector<model::Timestamp> times = {
      5'000'000'000'000, 0, -1, 3'600'000, 3'599'999, -3'600'000, model::kTimestampMin, model::kTimestampMax, 1};
  Samples want;
  for (const auto time : times) {
    ASSERT_TRUE(store.put(*group, time, {L(time)}));
    want[time] = OwnedValue(L(time));
  }
  everywhere([&] { EXPECT_EQ(store.read("m"), want); });
}

TEST_P(StoreContract, a_range_is_half_open) {
  const auto group = store.group({"m"});
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(store.put(*group, i * 3'000'000, {D(i + 0.5)}));
  everywhere([&] {
    EXPECT_EQ(store.read("m", {3'000'000, 9'000'000}), of({{3'000'000, D(1.5)}, {6'000'000, D(2.5)}}));
    EXPECT_TRUE(store.read("m", {3'000'001, 6'000'000}).empty());
    EXPECT_EQ(store.read("m", {27'000'000, 27'000'001}), of({{27'000'000, D(9.5)}}));
  });
}

TEST_P(StoreContract, tenants_do_not_see_one_another) {
  const auto one = store.group({"m"}, {{"host", "a"}}, "one");
  const auto two = store.group({"m"}, {{"host", "a"}}, "two");
  ASSERT_TRUE(store.put(*one, 1, {L(1)}));
  ASSERT_TRUE(store.put(*two, 1, {L(2)}));
  everywhere([&] {
    EXPECT_EQ(store.read("m", {}, "one"), of({{1, L(1)}}));
    EXPECT_EQ(store.read("m", {}, "two"), of({{1, L(2)}}));
    Collector sink(1);
    const auto of_two = store.find("m", "two");
    ASSERT_TRUE(engine->samples().scan(store.tenant("one"), of_two, {}, sink));
    EXPECT_TRUE(sink.samples().empty());
    EXPECT_EQ(engine->series().tenants().value(), (std::vector<std::string>{"one", "two"}));
  });
}

TEST_P(StoreContract, statistics_equal_the_samples) {
  const auto group = store.group({"l", "d"});
  double sum = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(store.put(*group, i * 1000, {L(i - 50), D(i * 0.25)}));
    sum += i * 0.25;
  }
  ASSERT_TRUE(engine->samples().settle());
  const auto look = [&](std::string_view metric, double min, double max, double want_sum) {
    const auto series = store.find(metric);
    Collector sink(1, true);
    ASSERT_TRUE(engine->samples().scan(store.tenant(), series, {}, sink));
    // An engine may decode; if it gives statistics they are those of all samples.
    if (sink.chunk_stats().empty()) {
      EXPECT_EQ(sink.samples().size(), 100U);
      return;
    }
    ASSERT_EQ(sink.chunk_stats().size(), 1U);
    const auto& stats = sink.chunk_stats()[0];
    EXPECT_EQ(stats.count, 100U);
    EXPECT_EQ(stats.first_time, 0);
    EXPECT_EQ(stats.last_time, 99'000);
    EXPECT_EQ(stats.min, min);
    EXPECT_EQ(stats.max, max);
    EXPECT_DOUBLE_EQ(stats.sum, want_sum);
  };
  look("l", -50, 49, -50);
  look("d", 0, 24.75, sum);
}

TEST_P(StoreContract, what_is_erased_is_gone_to_the_sample) {
  const auto pair = store.group({"m", "n"});
  const auto text = store.group({"s"});
  const auto other = store.group({"m"}, {{"host", "b"}});
  const auto foreign = store.group({"m"}, {{"host", "a"}}, "u");
  Samples want_m;
  Samples want_n;
  Samples want_s;
  for (int i = -20; i < 20; ++i) {
    const model::Timestamp time = i * 1'000'000;
    ASSERT_TRUE(store.put(*pair, time, {L(i), D(i + 0.5)}));
    ASSERT_TRUE(store.put(*text, time, {S("text " + std::to_string(i))}));
    ASSERT_TRUE(store.put(*other, time, {L(-i)}));
    ASSERT_TRUE(store.put(*foreign, time, {L(i)}));
    if (time < -5'000'000 || time >= 7'000'001) want_m[time] = OwnedValue(L(i));
    want_n[time] = OwnedValue(D(i + 0.5));
    if (time < 0 || time >= 3'000'000) want_s[time] = OwnedValue(S("text " + std::to_string(i)));
  }
  // Numbers are asked for each time: they are those of one run.
  const auto of = [&](const std::string& host) {
    return *engine->series().select(store.tenant(), "m", {{"host", index::Matcher::Kind::any_of, {host}}});
  };
  const auto report = engine->samples().erase(store.tenant(), of("a"), {-5'000'000, 7'000'001}, nullptr);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->samples, 13U);
  EXPECT_GE(report->slots, 1U);
  ASSERT_TRUE(engine->samples().erase(store.tenant(), store.find("s"), {0, 3'000'000}, nullptr));
  const auto read = [&](const std::string& host) {
    Collector sink(1);
    EXPECT_TRUE(engine->samples().scan(store.tenant(), of(host), {}, sink));
    EXPECT_EQ(sink.fault, "");
    return sink.samples();
  };
  everywhere([&] {
    EXPECT_EQ(read("a"), want_m);
    EXPECT_EQ(store.read("n"), want_n);
    EXPECT_EQ(store.read("s"), want_s);
    EXPECT_EQ(read("b").size(), 40U);
    EXPECT_EQ(store.read("m", {}, "u").size(), 40U);
  });
  // Once more, of what is sealed; then the same times are written again.
  ASSERT_TRUE(engine->samples().erase(store.tenant(), of("a"), {}, nullptr));
  EXPECT_TRUE(read("a").empty());
  ASSERT_TRUE(store.put(*pair, 0, {L(7), D(8)}));
  want_n[0] = OwnedValue(D(8));
  everywhere([&] {
    EXPECT_EQ(read("a"), StoreContract::of({{0, L(7)}}));
    EXPECT_EQ(store.read("n"), want_n);
  });
  const auto nothing = engine->samples().erase(store.tenant(), of("a"), {1, 1'000'000'000}, nullptr);
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->samples, 0U);
  EXPECT_EQ(nothing->slots, 0U);
}

TEST_P(StoreContract, a_series_in_two_groups_is_erased_in_both) {
  const auto pair = store.group({"m", "n"});
  const auto alone = store.group({"m"});
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(store.put(*pair, i, {L(i), L(i)}));
  for (int i = 5; i < 15; ++i) ASSERT_TRUE(store.put(*alone, i, {L(100 + i)}));
  ASSERT_TRUE(engine->samples().erase(store.tenant(), store.find("m"), {3, 12}, nullptr));
  everywhere([&] {
    EXPECT_EQ(store.read("m"), of({{0, L(0)}, {1, L(1)}, {2, L(2)}, {12, L(112)}, {13, L(113)}, {14, L(114)}}));
    EXPECT_EQ(store.read("n").size(), 10U);
  });
  ASSERT_TRUE(store.put(*alone, 4, {L(44)}));
  ASSERT_TRUE(store.put(*pair, 5, {L(55), L(56)}));
  everywhere([&] {
    EXPECT_EQ(store.read("m", {3, 12}), of({{4, L(44)}, {5, L(55)}}));
    EXPECT_EQ(store.read("n", {4, 6}), of({{4, L(4)}, {5, L(56)}}));
  });
}

TEST_P(StoreContract, a_whole_tenant_is_erased_and_no_other) {
  const auto one = store.group({"m", "n"}, {{"host", "a"}}, "one");
  const auto two = store.group({"m"}, {{"host", "a"}}, "two");
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(store.put(*one, i * 3'000'000, {L(i), L(i)}));
    ASSERT_TRUE(store.put(*two, i * 3'000'000, {L(i)}));
  }
  const auto tenant = store.tenant("one");
  auto all = store.find("m", "one");
  for (const auto series : store.find("n", "one")) all.push_back(series);
  ASSERT_TRUE(engine->samples().erase(store.tenant("two"), all, {}, nullptr)) << "series of another tenant";
  EXPECT_EQ(store.read("m", {}, "one").size(), 10U);
  ASSERT_TRUE(engine->samples().erase(tenant, all, {}, nullptr));
  everywhere([&] {
    EXPECT_TRUE(store.read("m", {}, "one").empty());
    EXPECT_TRUE(store.read("n", {}, "one").empty());
    EXPECT_EQ(store.read("m", {}, "two").size(), 10U);
  });
  ASSERT_TRUE(store.put(*one, 3'000'000, {L(1), L(2)}));
  everywhere([&] { EXPECT_EQ(store.read("n", {}, "one"), of({{3'000'000, L(2)}})); });
}

TEST_P(StoreContract, an_erase_can_be_stopped) {
  const auto group = store.group({"m"});
  ASSERT_TRUE(store.put(*group, 1, {L(1)}));
  const std::atomic<bool> cancelled{true};
  const auto report = engine->samples().erase(store.tenant(), store.find("m"), {0, 10}, &cancelled);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Code::cancelled);
  EXPECT_EQ(store.read("m").size(), 1U);
}

TEST_P(StoreContract, a_scan_can_be_stopped) {
  const auto group = store.group({"m"});
  ASSERT_TRUE(store.put(*group, 1, {L(1)}));
  const auto series = store.find("m");
  ScanOptions options;
  const std::atomic<bool> cancelled{true};
  options.cancelled = &cancelled;
  Collector sink(1);
  const auto status = engine->samples().scan(store.tenant(), series, options, sink);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::cancelled);

  options.cancelled = nullptr;
  options.deadline_steady_ns = 1;
  const auto late = engine->samples().scan(store.tenant(), series, options, sink);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::timeout);

  Collector full(1);
  full.answer = fail(Code::limit, "over budget");
  const auto limited = engine->samples().scan(store.tenant(), series, {}, full);
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().code, Code::limit);
}

TEST_P(StoreContract, series_are_found) {
  const auto a = store.group({"cpu", "mem"}, {{"host", "a"}, {"dc", "x"}});
  const auto b = store.group({"cpu"}, {{"dc", "x"}, {"host", "b"}});
  ASSERT_TRUE(store.put(*a, 1, {L(1), L(2)}));
  ASSERT_TRUE(store.put(*b, 1, {L(3)}));
  everywhere([&] {
    auto& series = engine->series();
    const auto tenant = store.tenant();
    EXPECT_EQ(series.metric_names(tenant, {}).value(), (std::vector<std::string>{"cpu", "mem"}));
    EXPECT_EQ(series.metric_names(tenant, {.prefix = "m"}).value(), (std::vector<std::string>{"mem"}));
    EXPECT_EQ(series.tag_keys(tenant, "cpu", {}).value(), (std::vector<std::string>{"dc", "host"}));
    EXPECT_EQ(series.tag_values(tenant, "cpu", "host", {}).value(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(series.metric_names(tenant, {.after = "cp~"}).value(), (std::vector<std::string>{"mem"}));
    EXPECT_EQ(series.metric_names(tenant, {.limit = 1}).value(), (std::vector<std::string>{"cpu"}));
    EXPECT_EQ(series.tag_keys(tenant, "cpu", {.after = "dc", .limit = 1}).value(), (std::vector<std::string>{"host"}));
    EXPECT_EQ(series.tag_values(tenant, "", "host", {.prefix = "b"}).value(), (std::vector<std::string>{"b"}));
    const auto only_b = series.select(tenant, "cpu", {{"host", index::Matcher::Kind::any_of, {"b"}}});
    ASSERT_TRUE(only_b);
    ASSERT_EQ(only_b->size(), 1U);
    EXPECT_EQ(series.tags(tenant, *only_b)[0], (model::Tags{{"dc", "x"}, {"host", "b"}}));
    EXPECT_FALSE(series.select(tenant, "cpu", {{"host", index::Matcher::Kind::regex, {"("}}}));
    // An engine whose index is elsewhere counts those that it has met.
    ASSERT_EQ(series.select(tenant, "mem", {})->size(), 1U);
    EXPECT_EQ(series.series_count(), 3U);
    EXPECT_EQ(series.series_count(tenant), 3U);
  });
}

TEST_P(StoreContract, one_batch_with_many_groups_and_slots) {
  std::vector<Group*> groups;
  for (int g = 0; g < 50; ++g) groups.push_back(store.group({"m" + std::to_string(g)}));
  model::RowBatch batch;
  for (int t = 0; t < 40; ++t) {
    for (const auto& group : groups) batch.add(store.line(*group), t * 600'000, Value::of_long(t));
  }
  ASSERT_TRUE(store.append(batch));
  everywhere([&] {
    for (int g = 0; g < 50; ++g) EXPECT_EQ(store.read("m" + std::to_string(g)).size(), 40U);
  });
}

// As no parser makes them; a log that holds one could not be read again.
TEST_P(StoreContract, rows_that_do_not_fit_are_left_out) {
  const model::LineGroup& one = store.line(*store.group({"one"}));
  const model::LineGroup& two = store.line(*store.group({"two", "three"}));
  model::RowBatch all;
  all.add(one, 1, Value::of_long(1));
  const auto refused = [&](model::KeptGroup group, model::Timestamp time) {
    const std::vector<Value> values(group.count, Value::of_long(9));
    model::RowBatch alone;
    for (model::RowBatch* const batch : {&alone, &all}) batch->add(group, time, values);
    const Status status = store.append(alone);
    return !status && status.error().code == Code::corrupt;
  };
  EXPECT_TRUE(refused({two.id, 1}, 7));
  EXPECT_TRUE(refused({one.id, 2}, 7));
  for (const std::uint32_t unknown : {1'000'000U, 0xffff'fffeU, 0xffff'ffffU}) {
    EXPECT_TRUE(refused({model::GroupId{unknown}, 1}, 7)) << unknown;
  }
  EXPECT_TRUE(refused(one, model::kTimestampMin - 1));
  EXPECT_TRUE(refused(one, model::kTimestampMax + 1));
  all.add(two, 2, std::vector<Value>(2, Value::of_long(2)));
  const Status partly = store.append(all);
  EXPECT_TRUE(!partly && partly.error().code == Code::invalid);
  everywhere([&] {
    EXPECT_EQ(store.read("one"), (Samples{{1, OwnedValue(Value::of_long(1))}}));
    EXPECT_EQ(store.read("three"), (Samples{{2, OwnedValue(Value::of_long(2))}}));
  });
}

TEST_P(StoreContract, writers_readers_and_settling_at_once) {
  constexpr int kWriters = 3;
  constexpr int kRows = 400;
  std::vector<Group*> groups;
  for (int w = 0; w < kWriters; ++w) groups.push_back(store.group({"m" + std::to_string(w), "shared"}));
  std::atomic<int> acknowledged[kWriters] = {};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      for (int i = 0; i < kRows; ++i) {
        EXPECT_TRUE(store.put(*groups[static_cast<std::size_t>(w)], i * 100'000, {L(i), L(w)}));
        acknowledged[w] = i + 1;
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop) EXPECT_TRUE(engine->samples().settle());
  });
  threads.emplace_back([&] {
    while (!stop) {
      for (int w = 0; w < kWriters; ++w) {
        const auto least = static_cast<std::size_t>(acknowledged[w].load());
        EXPECT_GE(store.read("m" + std::to_string(w)).size(), least);  // what was acknowledged is seen
      }
    }
  });
  for (int w = 0; w < kWriters; ++w) threads[static_cast<std::size_t>(w)].join();
  stop = true;
  for (std::size_t t = kWriters; t < threads.size(); ++t) threads[t].join();
  everywhere([&] {
    for (int w = 0; w < kWriters; ++w) EXPECT_EQ(store.read("m" + std::to_string(w)).size(), std::size_t{kRows});
    EXPECT_EQ(store.read("shared").size(), std::size_t{kRows});
  });
}

TEST_P(StoreContract, writers_and_deletes_at_once) {
  constexpr int kRows = 300;
  const auto stays = store.group({"stays", "goes"});
  const auto moves = store.group({"goes"}, {{"host", "b"}});
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; i < kRows; ++i) {
      EXPECT_TRUE(store.put(*stays, i * 100'000, {L(i), L(i)}));
      EXPECT_TRUE(store.put(*moves, i * 100'000, {L(i)}));
    }
    stop = true;
  });
  const auto tenant = store.tenant();
  while (!stop) EXPECT_TRUE(engine->samples().erase(tenant, store.find("goes"), {}, nullptr));
  writer.join();
  ASSERT_TRUE(engine->samples().erase(tenant, store.find("goes"), {0, kRows * 100'000}, nullptr));
  everywhere([&] {
    EXPECT_EQ(store.read("stays").size(), std::size_t{kRows});
    Collector sink(2);
    EXPECT_TRUE(engine->samples().scan(tenant, store.find("goes"), {}, sink));
    EXPECT_TRUE(sink.samples(0).empty());
    EXPECT_TRUE(sink.samples(1).empty());
  });
}

}  // namespace varve::storage::testing
