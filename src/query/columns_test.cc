// SPDX-License-Identifier: Apache-2.0
#include "query/columns.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "storage/testing/memory_store.h"

namespace varve::query {
namespace {

using index::Matcher;

class ColumnsTest : public ::testing::Test {
 protected:
  ColumnsTest() {
    for (const char* metric : {"cpu", "load"}) {
      for (const char* host : {"a", "b"}) {
        for (model::Timestamp t = 0; t < 10; ++t) {
          const double value = static_cast<double>(t) + (host[0] == 'b' ? 100 : 0);
          store_.put(
              "t", metric, {{"host", host}}, t * 1000,
              t % 2 == 0 ? model::Value::of_double(value) : model::Value::of_long(static_cast<std::int64_t>(value)));
        }
      }
    }
    store_.put("t", "cpu", {{"host", "a"}}, 500, model::Value::of_string("text"));
  }

  Result<Columns> read(std::vector<Selected> selected, Limits limits = {}, std::atomic<bool>* cancelled = nullptr) {
    const Engine engine(store_, store_, clock_, limits);
    const auto query = UnderWay::begin(engine, shown_as("t", "test", ""), cancelled);
    auto out = Columns::read(engine, tenant_, selected, **query);
    read_ = (*query)->ticket().read().samples;
    return out;
  }
  // "cpu host=a: 0=0 1000=1; …" of one selection, within its range.
  static std::string text(const Columns& columns, std::size_t selection, model::TimeRange range) {
    std::string out;
    for (const std::uint32_t series : columns.of(selection)) {
      out += std::string(columns.tags().value(series, kNameTag)) + " " +
             std::string(columns.tags().value(series, "host")) + ":";
      const Column& column = columns[series];
      for (std::size_t i = 0; i < column.times.size(); ++i) {
        if (!range.contains(column.times[i])) continue;
        out += " " + std::to_string(column.times[i]) + "=" + std::to_string(static_cast<int>(column.values[i]));
      }
      out += "; ";
    }
    return out;
  }

  storage::testing::MemoryStore store_{4};
  ManualClock clock_{1'000'000'000};
  std::string tenant_ = "t";
  std::uint64_t read_ = 0;
};

TEST_F(ColumnsTest, OneSelection) {
  const auto columns = read({{"cpu", {}, {1000, 4000}}});
  ASSERT_TRUE(columns) << columns.error().message;
  EXPECT_EQ(columns->size(), 2U);
  EXPECT_EQ(text(*columns, 0, {0, 9000}), "cpu a: 1000=1 2000=2 3000=3; cpu b: 1000=101 2000=102 3000=103; ");
  EXPECT_EQ(read_, 6U);
}

TEST_F(ColumnsTest, WhatSeveralWantIsReadOnce) {
  const index::Matchers on_a{{"host", Matcher::Kind::any_of, {"a"}}};
  const MetricName any = index::Matchers{{std::string(kNameTag), Matcher::Kind::regex, {"c.*|load"}}};
  const auto columns = read({{"cpu", on_a, {2000, 5000}}, {any, on_a, {4000, 6000}}, {"cpu", {}, {8000, 9000}}});
  ASSERT_TRUE(columns) << columns.error().message;
  EXPECT_EQ(columns->size(), 3U);
  EXPECT_EQ(text(*columns, 0, {2000, 5000}), "cpu a: 2000=2 3000=3 4000=4; ");
  EXPECT_EQ(text(*columns, 1, {4000, 6000}), "cpu a: 4000=4 5000=5; load a: 4000=4 5000=5; ");
  EXPECT_EQ(text(*columns, 2, {8000, 9000}), "cpu a: 8000=8; cpu b: 8000=108; ");
  EXPECT_EQ(read_, 4 + 2 + 2U) << "cpu on a from 2 s to 6 s, load on a from 4 s to 6 s, two in the second at 8 s";
}

TEST_F(ColumnsTest, SomeSeriesAtATime) {
  for (int i = 0; i < 300; ++i) {
    const std::int64_t samples = i % 3 == 0 ? 0 : 50;
    const std::string host = std::to_string(i);
    store_.put("t", "many", {{"host", host}}, 1'000'000, model::Value::of_long(1));  // not in the range
    for (std::int64_t t = 0; t < samples; ++t) store_.put("t", "many", {{"host", host}}, t, model::Value::of_long(i));
  }
  const Engine engine(store_, store_, clock_, {});
  const auto query = UnderWay::begin(engine, shown_as("t", "test", ""), nullptr);
  const std::size_t before = (*query)->budget().used();
  std::size_t most = 0;
  std::set<std::string> hosts;
  const auto count = [&](const TagTable& tags, std::uint32_t series, Column&& column) -> Status {
    most = std::max(most, (*query)->budget().used() - before);
    const std::string host(tags.value(series, "host"));
    EXPECT_TRUE(hosts.insert(host).second) << host;
    EXPECT_EQ(column.times.size(), 50U);
    EXPECT_EQ(column.values, std::vector<double>(50, std::stoi(host)));
    return {};
  };
  ASSERT_TRUE(Columns::each(engine, "t", {"many", {}, {0, 1000}}, **query, count));
  EXPECT_EQ(hosts.size(), 200U);
  EXPECT_EQ((*query)->budget().used(), before) << "nothing stays charged";
  EXPECT_GT(most, 64 * 800U) << "some are held at once";
  EXPECT_TRUE(Columns::each(engine, "nobody", {"many", {}, {0, 1000}}, **query, count));
  std::size_t calls = 0;
  const auto refuse = [&](const TagTable&, std::uint32_t, Column&&) -> Status {
    ++calls;
    return fail(Code::limit, "enough");
  };
  EXPECT_EQ(Columns::each(engine, "t", {"many", {}, {0, 1000}}, **query, refuse).error().message, "enough");
  EXPECT_EQ(calls, 1U);
  EXPECT_EQ(Columns::each(engine, "t", {"many", {}, {0, 1000}, 299}, **query, refuse).error().message,
            "more than 299 series are selected: name more labels");
  EXPECT_EQ(calls, 1U) << "nothing was read";
}

TEST_F(ColumnsTest, MarkersEndASeries) {
  store_.put("t", "cpu", {{"host", "a"}}, 4000, model::Value::of_stale_marker());
  store_.put("t", "cpu", {{"host", "a"}}, 9500, model::Value::of_stale_marker());
  const auto columns = read({{"cpu", {{"host", Matcher::Kind::any_of, {"a"}}}, {3000, 10'000}}});
  ASSERT_TRUE(columns) << columns.error().message;
  const Column& column = (*columns)[0];
  EXPECT_EQ(column.times, (std::vector<model::Timestamp>{3000, 4000, 5000, 6000, 7000, 8000, 9000, 9500}));
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    const bool is_marker = std::bit_cast<std::uint64_t>(column.values[i]) == model::kStaleMarkerBits;
    EXPECT_EQ(is_marker, i == 1 || i == 7) << i;
  }
  EXPECT_EQ(read_, 6U) << "markers are no samples";
  const Engine engine(store_, store_, clock_, {});
  const auto query = UnderWay::begin(engine, shown_as("t", "test", ""), nullptr);
  std::vector<model::Timestamp> times;
  const auto note = [&](const TagTable&, std::uint32_t, Column&& one) -> Status {
    times = std::move(one.times);
    return {};
  };
  ASSERT_TRUE(
      Columns::each(engine, "t", {"cpu", {{"host", Matcher::Kind::any_of, {"a"}}}, {3000, 10'000}}, **query, note));
  EXPECT_EQ(times, column.times);
}

TEST_F(ColumnsTest, NothingIsThere) {
  const auto none = read({{"none", {}, {0, 9000}}, {"cpu", {}, {3000, 3000}}, {"cpu", {}, {100'000, 200'000}}});
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_EQ(text(*none, 0, {0, 9000}), "");
  EXPECT_EQ(read_, 0U);
  tenant_ = "nobody";
  const auto nobody = read({{"cpu", {}, {0, 9000}}});
  ASSERT_TRUE(nobody);
  EXPECT_EQ(nobody->size(), 0U);
  EXPECT_TRUE(nobody->of(0).empty());
}

TEST_F(ColumnsTest, Errors) {
  const Selected all{"cpu", {}, {0, 10'000}};
  EXPECT_EQ(read({{"cpu", {{"host", Matcher::Kind::regex, {"("}}}, {0, 9000}}}).error().code, Code::invalid);
  EXPECT_EQ(read({all}, {.memory_bytes = 100}).error().code, Code::limit);
  EXPECT_EQ(read({all}, {.memory_bytes = 700}).error().code, Code::limit) << "of samples, too";
  std::atomic<bool> gone{true};
  EXPECT_EQ(read({all}, {}, &gone).error().code, Code::cancelled);
}

}  // namespace
}  // namespace varve::query
