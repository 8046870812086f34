// SPDX-License-Identifier: Apache-2.0
// What sinks count of windows of rollups, statistics and samples, in whichever order an engine gives them.
#include "query/presence_sink.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace varve::query {
namespace {

constexpr std::int64_t kSinkWidth = 100;

class PresenceSinkTest : public ::testing::Test {
 protected:
  // Windows of 50 with one sample each, 7 after their start.
  void windows(PresenceSink& sink, std::size_t series, std::vector<model::Timestamp> starts, std::uint64_t count) {
    const std::vector<std::uint64_t> counts(starts.size(), count), offsets(starts.size(), 7);
    sink.window_columns({series, 50, starts, counts, offsets, {}, {}, {}});
  }
  void texts(PresenceSink& sink, std::size_t series, std::vector<model::Timestamp> times) {
    const std::vector<std::string_view> values(times.size(), "x");
    EXPECT_TRUE(sink.piece({series, model::ValueType::string, times, {}, values}));
  }
  static std::string text_of(const std::vector<MetricWindow>& windows) {
    std::string out;
    for (const auto& w : windows) {
      out += std::to_string(w.start) + ": " + std::to_string(w.points) + " of " + std::to_string(w.series) + " from " +
             std::to_string(w.first_ms) + "; ";
    }
    return out;
  }
  static std::string text_of(const std::vector<SeriesWindow>& windows) {
    std::string out;
    for (const auto& w : windows) {
      out += std::to_string(w.start) + ": " + std::to_string(w.points) + " from " + std::to_string(w.first_ms) + "; ";
    }
    return out;
  }

  RunningQueries running_;
  Request request_;
  Budget budget_{1 << 20};
  ManualClock clock_;
  RunningQueries::Ticket ticket_{running_, request_, budget_, clock_, nullptr};
};

TEST_F(PresenceSinkTest, TakesWhatIsInsideAWindow) {
  TotalsSink sink(1, {-200, 200}, kSinkWidth, ticket_);
  EXPECT_TRUE(sink.takes_windows(0, {-200, 200}, 100));
  EXPECT_TRUE(sink.takes_windows(0, {-100, 50}, 50));
  EXPECT_FALSE(sink.takes_windows(0, {-200, 200}, 200));
  EXPECT_FALSE(sink.takes_windows(0, {-180, 180}, 60));
  EXPECT_FALSE(sink.takes_windows(0, {-200, 300}, 100));
  const auto takes = [&](model::Timestamp first, model::Timestamp last) {
    return sink.takes_stats({0, model::ValueType::long_, first, last, 2, 0, 0, 0});
  };
  EXPECT_TRUE(takes(-200, -101));
  EXPECT_TRUE(takes(0, 99));
  EXPECT_FALSE(takes(0, 100));
  EXPECT_FALSE(takes(-1, 0));
  EXPECT_FALSE(takes(-201, -200));
  EXPECT_FALSE(takes(150, 200));
}

TEST_F(PresenceSinkTest, CountsASeriesOnceAWindow) {
  TotalsSink sink(3, {-200, 200}, kSinkWidth, ticket_);
  windows(sink, 2, {-200, -150, 100}, 4);
  sink.stats({2, model::ValueType::long_, 110, 120, 5, 0, 0, 0});
  texts(sink, 2, {-199, -1, 199});  // behind what is later
  texts(sink, 0, {-199});
  std::vector<MetricWindow> found;
  sink.append_to(found, 100);
  EXPECT_EQ(text_of(found), "-200: 10 of 2 from -199; -100: 1 of 1 from -1; 100: 10 of 1 from 107; ");
  found.clear();
  sink.append_to(found, 2);
  EXPECT_EQ(found.size(), 2U);
}

TEST_F(PresenceSinkTest, RowsAreInOrder) {
  RowsSink sink(2, {-200, 200}, kSinkWidth, ticket_, budget_);
  windows(sink, 1, {100, 150}, 2);
  texts(sink, 1, {-199, 0, 101});
  EXPECT_EQ(text_of(sink.rows()[1]), "-200: 1 from -199; 0: 1 from 0; 100: 5 from 101; ");
  EXPECT_TRUE(sink.rows()[0].empty());
}

TEST_F(PresenceSinkTest, OnlyNumbersAreNumbers) {
  RowsSink sink(1, {0, 200}, kSinkWidth, ticket_, budget_);
  const std::vector<model::Timestamp> times{1, 2, 3, 4};
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  using Limits = std::numeric_limits<double>;
  const std::vector<std::uint64_t> doubles{bits(Limits::quiet_NaN()), bits(1), bits(-Limits::infinity()), bits(-0.0)};
  EXPECT_TRUE(sink.piece({0, model::ValueType::double_, times, doubles, {}}));
  EXPECT_EQ(text_of(sink.rows()[0]), "0: 2 from 2; ");
  EXPECT_TRUE(sink.piece({0, model::ValueType::double_, {times.data(), 1}, {doubles.data(), 1}, {}}));
  const std::vector<std::uint64_t> longs{std::uint64_t{0x7ff0} << 48};
  EXPECT_TRUE(sink.piece({0, model::ValueType::long_, {times.data(), 1}, longs, {}}));
  EXPECT_EQ(text_of(sink.rows()[0]), "0: 3 from 1; ");
}

TEST_F(PresenceSinkTest, RowsAreChargedAndGivenBack) {
  Budget small(100);
  {
    RowsSink sink(1, {0, 1000}, kSinkWidth, ticket_, small);
    texts(sink, 0, {1});
    EXPECT_GT(small.used(), 0U);
    windows(sink, 0, {0, 100, 200, 300, 400, 500, 600}, 1);
    EXPECT_TRUE(sink.over());
    EXPECT_FALSE(small.charge(0));
  }
  EXPECT_EQ(small.used(), 0U);
}

}  // namespace
}  // namespace varve::query
