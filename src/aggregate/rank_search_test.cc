// SPDX-License-Identifier: Apache-2.0
// A search in passes finds what sorting finds, whatever the numbers are and however little memory it has.
#include "aggregate/rank_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "aggregate/reducer.h"

namespace varve::aggregate {
namespace {

constexpr std::size_t kPassesMax = 8;

struct Found {
  std::vector<double> value;
  std::size_t passes = 0;
  std::size_t bytes = 0;  // at most
};

// The first values are kept until there are as many as make a search.
Found search(double fraction, const std::vector<double>& values, std::size_t kept, std::size_t room) {
  Found out;
  const std::span all(values);
  RankSearch search({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(kept)});
  bool ended = false;
  while (!ended && out.passes < kPassesMax) {
    for (std::size_t at = out.passes == 0 ? kept : 0; at < values.size();) {
      const auto piece = all.subspan(at, std::min<std::size_t>(100, values.size() - at));
      search.add(piece, room > search.bytes() ? room - search.bytes() : 0);
      out.bytes = std::max(out.bytes, search.bytes());
      at += piece.size();
    }
    ++out.passes;
    ended = search.end_pass(fraction, out.value);
  }
  EXPECT_TRUE(ended);
  return out;
}

std::vector<double> some(std::size_t n, const std::function<double(std::mt19937_64&)>& one) {
  std::mt19937_64 random(n);
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(one(random));
  return out;
}

double unit(std::mt19937_64& random) { return std::uniform_real_distribution<double>(0, 1)(random); }

TEST(RankSearch, FindsWhatSortingFinds) {
  const std::vector<std::vector<double>> cases = {
      some(20'000, unit),
      some(20'000, [](auto& r) { return unit(r) < 0.3 ? 0 : -100 * unit(r); }),
      some(20'000, [](auto& r) { return static_cast<double>(r() % 7); }),
      some(20'001, [](auto& r) { return static_cast<double>(r() % 2) * 1e9 + unit(r); }),
      some(20'000, [](auto&) { return 42.0; }),
      // One far away, and all others as close as they can be.
      some(20'000, [](auto& r) { return r() % 5'000 == 0 ? -1e300 : std::nextafter(1, r() % 2 == 0 ? 2 : 0); }),
      some(20'000, [](auto& r) { return std::bit_cast<double>(r() & ~(std::uint64_t{1} << 62)); }),
      some(20'000, [n = 0.0](auto&) mutable { return n += 1; }),
      some(20'000, [n = 0.0](auto&) mutable { return n -= 1; }),
  };
  for (std::size_t c = 0; c < cases.size(); ++c) {
    for (const double fraction : {0.0, 0.001, 0.25, 0.5, 0.9, 0.95, 0.99999, 1.0}) {
      auto sorted = cases[c];
      const double wanted = at_position(sorted, fraction * static_cast<double>(sorted.size() + 1));
      for (const std::size_t kept : {std::size_t{64}, std::size_t{4096}}) {
        const Found found = search(fraction, cases[c], kept, 8192);
        ASSERT_EQ(found.value, std::vector{wanted}) << c << " " << fraction << " " << kept;
      }
    }
  }
}

// Between two values far apart, each in a bucket of its own that has too many to be kept.
TEST(RankSearch, APositionBetweenTwoBuckets) {
  const auto values = some(40'000, [n = 0](auto& r) mutable { return (n++ % 2 == 0 ? 1e9 : 1) * (1 + unit(r) / 1e9); });
  auto sorted = values;
  const double wanted = at_position(sorted, 0.5 * static_cast<double>(values.size() + 1));
  const Found found = search(0.5, values, 100, 2048);
  EXPECT_EQ(found.value, std::vector{wanted});
  EXPECT_EQ(found.passes, 2U);
}

TEST(RankSearch, TakesTheMemoryThatItMay) {
  const auto values = some(200'000, [](auto& r) { return r() % 100 == 0 ? 0 : unit(r); });
  const Found found = search(0.95, values, 1'000, 16'384);
  EXPECT_LE(found.bytes, 16'384U);
  EXPECT_EQ(found.passes, 2U);
}

TEST(RankSearch, PiecesOutsideNeedNotCome) {
  std::vector<double> values = some(10'000, unit);
  RankSearch search(values);
  std::vector<double> found;
  ASSERT_FALSE(search.end_pass(0.5, found));
  EXPECT_TRUE(search.are_outside(0, 0.4));
  EXPECT_TRUE(search.are_outside(0.6, 1));
  EXPECT_FALSE(search.are_outside(0.4, 0.6));
  std::ranges::sort(values);
  search.add_outside(values[0], values[999], 1'000);
  search.add(std::span(values).subspan(1'000, 8'000), 1 << 20);
  search.add_outside(values[9'000], values[9'999], 1'000);
  ASSERT_TRUE(search.end_pass(0.5, found));
  EXPECT_EQ(found, std::vector{at_position(values, 5'000.5)});
}

// Samples arrive and are deleted while a query runs.
TEST(RankSearch, ValuesThatComeAndGoBetweenPasses) {
  const auto values = some(10'000, unit);
  RankSearch search(values);
  std::vector<double> found;
  ASSERT_FALSE(search.end_pass(0.5, found));
  const auto others = some(9'000, [](auto& r) { return 5 + unit(r); });
  search.add(others, 1 << 20);
  ASSERT_FALSE(search.end_pass(0.5, found));  // the position is elsewhere now
  search.add(others, 1 << 20);
  ASSERT_TRUE(search.end_pass(0.5, found));
  auto sorted = others;
  EXPECT_EQ(found, std::vector{at_position(sorted, 4'500.5)});

  RankSearch gone(values);
  ASSERT_FALSE(gone.end_pass(0.5, found));
  ASSERT_TRUE(gone.end_pass(0.5, found));
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace varve::aggregate
