// SPDX-License-Identifier: Apache-2.0
// Presence over a store in memory: a random comparison with plain counting, pages, and its limits.
#include "query/presence.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "query/testing/engine_fixture.h"

namespace varve::query {
namespace {

using model::Timestamp;
using model::Value;

constexpr std::int64_t kPresenceWidth = 1000;

class PresenceTest : public testing::EngineTest {
 protected:
  PresenceQuery query(model::TimeRange range = {}) { return {"t", "m", range, kPresenceWidth}; }
  Result<MetricWindows> windows(const PresenceQuery& query, std::size_t limit = 1000, const index::Matchers& of = {}) {
    return windows_of_metric(engine_, query, of, limit, *under_way());
  }
  // All windows, by pages.
  std::vector<MetricWindow> paged(model::TimeRange range, std::size_t limit) {
    std::vector<MetricWindow> all;
    for (bool more = true; more;) {
      const auto page = windows(query(range), limit);
      if (!page) {
        ADD_FAILURE() << page.error().message;
        return all;
      }
      more = page->more;
      EXPECT_TRUE(page->windows.size() == limit || !more);
      all.insert(all.end(), page->windows.begin(), page->windows.end());
      if (more) range.first = all.back().start + kPresenceWidth;
    }
    return all;
  }
  std::shared_ptr<UnderWay> under_way() { return under_way(engine_, nullptr); }
  static std::shared_ptr<UnderWay> under_way(const Engine& engine, std::atomic<bool>* cancelled) {
    return UnderWay::begin(engine, shown_as("t", "test", "", "m"), cancelled).value();
  }
  std::vector<model::SeriesId> series() { return store_.select(*store_.tenant("t"), "m", {}).value(); }
  std::vector<storage::SeriesStats> series_stats() {
    return store_.series_stats(*store_.tenant("t"), series()).value();
  }

  Engine engine_{store_, store_, clock_, {}};
};

TEST_F(PresenceTest, CountsAsOneWouldByHand) {
  std::mt19937_64 random(7);
  struct OfWindow {
    std::set<std::string> hosts;
    std::uint64_t points = 0;
    Timestamp first = 0;
  };
  std::map<std::pair<std::string, Timestamp>, bool> samples;
  for (int i = 0; i < 3000; ++i) {
    const std::string host = std::to_string(random() % 20);
    const auto far = static_cast<Timestamp>(random() % 3) * 1'000'000'000;
    const Timestamp time = far + static_cast<Timestamp>(random() % 400'000) - 200'000;
    const bool text = random() % 5 == 0;
    store_.put("t", "m", {{"host", host}}, time, text ? Value::of_string("x") : Value::of_long(i));
    samples[{host, time}] = text;
  }
  for (const model::TimeRange range : {model::TimeRange{}, {-50'500, 1'000'000'100}, {7, 8}, {300'000, 400'000}}) {
    std::map<Timestamp, OfWindow> expected;
    std::map<std::string, std::map<Timestamp, std::uint64_t>> by_host;
    for (const auto& [key, text] : samples) {
      const Timestamp start = model::window_start(key.second, kPresenceWidth);
      if (!range.overlaps({start, start + kPresenceWidth})) continue;
      OfWindow& of = expected[start];
      of.first = of.points == 0 ? key.second : std::min(of.first, key.second);
      of.hosts.insert(key.first);
      ++of.points;
      ++by_host[key.first][start];
    }
    for (const std::size_t limit : {1U, 13U, 100'000U}) {
      if (limit == 1 && expected.size() > 500) continue;
      const auto all = paged(range, limit);
      ASSERT_EQ(all.size(), expected.size());
      auto at = expected.begin();
      for (const MetricWindow& window : all) {
        EXPECT_EQ(window.start, at->first);
        EXPECT_EQ(window.points, at->second.points);
        EXPECT_EQ(window.series, at->second.hosts.size());
        EXPECT_EQ(window.first_ms, at->second.first);
        ++at;
      }
    }
    const auto each = windows_of_series(engine_, query(range), series(), series_stats(), 100'000, *under_way());
    ASSERT_TRUE(each);
    ASSERT_EQ(each->of_series.size(), 20U);
    const auto tags = store_.tags(*store_.tenant("t"), series());
    for (std::size_t s = 0; s < tags.size(); ++s) {
      std::map<Timestamp, std::uint64_t> found;
      for (const SeriesWindow& window : each->of_series[s]) {
        found[window.start] = window.points;
        EXPECT_EQ(model::window_start(window.first_ms, kPresenceWidth), window.start);
      }
      EXPECT_EQ(found, by_host[tags[s][0].second]);
    }
  }
}

TEST_F(PresenceTest, AtTheEndsOfTime) {
  store_.put("t", "m", {{"host", "a"}}, model::kTimestampMin, Value::of_long(1));
  store_.put("t", "m", {{"host", "a"}}, model::kTimestampMax, Value::of_long(1));
  store_.put("t", "m", {{"host", "a"}}, 0, Value::of_long(1));
  PresenceQuery wide = query();
  wide.width_ms = std::int64_t{366} * 86'400'000;
  const auto found = windows(wide);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->windows.size(), 3U);
  EXPECT_EQ(found->windows[0].first_ms, model::kTimestampMin);
  EXPECT_EQ(found->windows[1].start, 0);
  EXPECT_EQ(found->windows[2].first_ms, model::kTimestampMax);
}

// 2^54 ms are 18 million million windows of a second.
TEST_F(PresenceTest, PassesEmptyTimesInFewSteps) {
  const Timestamp times[] = {model::kTimestampMin, -5'000'000'000'000, 0, 1000, 7'000'000, model::kTimestampMax};
  for (const Timestamp time : times) store_.put("t", "m", {{"host", "a"}}, time, Value::of_long(1));
  store_.put("t", "m", {{"host", "b"}}, 5000, Value::of_long(1));
  const std::size_t before = store_.scans();
  const auto found = windows(query(), 100);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->windows.size(), 7U);
  EXPECT_EQ(found->windows[0].first_ms, model::kTimestampMin);
  EXPECT_EQ(found->windows[4].start, 5000);
  EXPECT_EQ(found->windows[6].first_ms, model::kTimestampMax);
  EXPECT_LT(store_.scans() - before, 200U);
}

TEST_F(PresenceTest, OfWhatIsNotThere) {
  put(1, 3);
  EXPECT_TRUE(windows(query({5000, 9000}))->windows.empty());
  PresenceQuery other = query();
  other.metric = "none";
  EXPECT_TRUE(windows(other)->windows.empty());
  other.tenant = "nobody";
  EXPECT_TRUE(windows(other)->windows.empty());
  const index::Matchers bad{{"host", index::Matcher::Kind::regex, {"("}}};
  EXPECT_EQ(windows(other, 10, bad).error().code, Code::invalid);
  EXPECT_EQ(windows(query(), 10, bad).error().code, Code::invalid);
  EXPECT_TRUE(windows(query(), 10, {{"host", index::Matcher::Kind::any_of, {"x"}}})->windows.empty());
  EXPECT_TRUE(windows_of_series(engine_, query(), {}, {}, 1, *under_way())->of_series.empty());
}

TEST_F(PresenceTest, AsManySeriesAsFit) {
  put(100, 10);
  const auto of = [&](std::size_t windows_max) {
    return windows_of_series(engine_, query(), series(), series_stats(), windows_max, *under_way());
  };
  EXPECT_EQ(of(1000)->of_series.size(), 100U);
  EXPECT_EQ(of(999)->of_series.size(), 99U);
  EXPECT_EQ(of(10)->of_series.size(), 1U);
  const auto over = of(9);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Code::invalid);
  EXPECT_NE(over.error().message.find("more than 9 windows"), std::string::npos);
}

TEST_F(PresenceTest, Limits) {
  put(100, 10);
  const auto code = [&](const Engine& engine, std::atomic<bool>* cancelled) {
    const auto of_metric = windows_of_metric(engine, query(), {}, 10, *under_way(engine, cancelled));
    const auto of_series =
        windows_of_series(engine, query(), series(), series_stats(), 10'000, *under_way(engine, cancelled));
    EXPECT_FALSE(of_metric);
    EXPECT_FALSE(of_series);
    EXPECT_EQ(of_metric.error().code, of_series.error().code);
    return of_metric.error();
  };
  EXPECT_NE(code(Engine(store_, store_, clock_, {.memory_bytes = 3000}), nullptr).message.find("query.memory"),
            std::string::npos);
  EXPECT_EQ(code(Engine(store_, store_, clock_, {.timeout = std::chrono::milliseconds(-1)}), nullptr).code,
            Code::timeout);
  std::atomic<bool> gone{true};
  EXPECT_EQ(code(engine_, &gone).code, Code::cancelled);
  // What is small is done in small steps.
  const Engine little(store_, store_, clock_, {.memory_bytes = 10'000});
  const auto found = windows_of_metric(little, query(), {}, 100, *under_way(little, nullptr));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->windows.size(), 10U);
  EXPECT_EQ(found->windows[9].series, 100U);
}

}  // namespace
}  // namespace varve::query
