// SPDX-License-Identifier: Apache-2.0
#include "counter/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "base/testing/effort.h"

namespace varve::counter {
namespace {

using Rng = std::mt19937_64;
template <Increase I>
using Points = std::vector<Point<I>>;

constexpr std::int64_t kFineMs = 300'000;

// Polls with jitter, outages, resets, wraps, and times that stand still for a while.
template <Increase I>
Points<I> random_samples(Rng& random, std::int64_t step_ms, std::size_t count) {
  Points<I> samples;
  model::Timestamp time = static_cast<std::int64_t>(random() % 4'000'000) - 2'000'000;
  std::uint64_t value = random() >> random() % 64;
  const std::uint64_t growth = 1 + (random() >> random() % 64) / count;
  for (std::size_t i = 0; i < count; ++i) {
    time += 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * step_ms));
    if (random() % 20 == 0) time += static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(60 * step_ms));
    value = random() % 25 == 0 ? random() % 1000 : value + (random() % 4 == 0 ? 0 : random() % growth);
    samples.push_back({time, static_cast<I>(value)});
  }
  return samples;
}

Terms random_terms(Rng& random, std::int64_t step_ms) {
  constexpr Fall kFalls[] = {Fall::unknown, Fall::from_zero, Fall::wrap32};
  Terms terms{step_ms * static_cast<std::int64_t>(1 + random() % 3) / 2, {}};
  terms.rules = {.gap_ms = 3 * terms.base_ms, .fall = kFalls[random() % 3], .is_unsigned = random() % 2 == 0};
  if (random() % 4 == 0) terms.rules.max_per_second = std::ldexp(1.0, static_cast<int>(random() % 50));
  if (random() % 4 == 0) terms.rules.max_wrap_per_second = std::ldexp(1.0, static_cast<int>(random() % 50));
  return terms;
}

template <Increase I>
Windows<I> expected_windows(const Points<I>& samples, const Terms& terms, std::int64_t width_ms) {
  std::vector<Interval<I>> intervals;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (const auto one = interval_of(samples[i - 1], samples[i], terms.rules)) intervals.push_back(*one);
  }
  return windows_of<I>(intervals, terms.base_ms, width_ms);
}

template <Increase I>
void extend_by_one(Summary<I>& summary, const Point<I>& sample, const Rules& rules) {
  const auto bits = std::bit_cast<std::uint64_t>(sample.value);
  extend(summary, {&sample.time, 1}, {&bits, 1}, rules);
}

// One for each window of that width.
template <Increase I>
std::vector<Summary<I>> summaries_of(const Points<I>& samples, const Terms& terms, std::int64_t width_ms) {
  std::vector<Summary<I>> list;
  for (const Point<I>& sample : samples) {
    const bool same = !list.empty() && model::window_start(list.back().last.time, width_ms) ==
                                           model::window_start(sample.time, width_ms);
    if (same) {
      extend_by_one(list.back(), sample, terms.rules);
    } else {
      list.push_back(summary_of(terms, sample));
    }
  }
  return list;
}

template <Increase I>
std::vector<Summary<I>> joined_to(const std::vector<Summary<I>>& finer, std::int64_t width_ms) {
  std::vector<Summary<I>> list;
  for (const Summary<I>& one : finer) {
    const bool same = !list.empty() && model::window_start(list.back().last.time, width_ms) ==
                                           model::window_start(one.first.time, width_ms);
    if (same) {
      EXPECT_TRUE(join(list.back(), one));
    } else {
      list.push_back(one);
    }
  }
  return list;
}

TEST(Summary, WindowsOfSummariesAreThoseOfTheSamples) {
  Rng random(3);
  for (unsigned round = 0; round < static_cast<unsigned>(varve::testing::effort(2000)); ++round) {
    const std::int64_t step_ms = 1'000 + static_cast<std::int64_t>(random() % 200'000);
    const auto samples = random_samples<std::uint64_t>(random, step_ms, 1 + random() % 200);
    const Terms terms = random_terms(random, step_ms);
    const auto fine = summaries_of(samples, terms, kFineMs);
    const auto hours = joined_to(fine, 12 * kFineMs);
    const auto days = joined_to(hours, 288 * kFineMs);
    EXPECT_EQ(hours, summaries_of(samples, terms, 12 * kFineMs)) << round;
    EXPECT_EQ(days, summaries_of(samples, terms, 288 * kFineMs)) << round;
    for (const std::int64_t width_ms : {kFineMs, 12 * kFineMs, 288 * kFineMs}) {
      const auto expected = expected_windows(samples, terms, width_ms);
      EXPECT_EQ(windows_of<std::uint64_t>(fine, width_ms), expected) << round << " " << width_ms;
      if (width_ms < 12 * kFineMs) continue;
      EXPECT_EQ(windows_of<std::uint64_t>(hours, width_ms), expected) << round;
      if (width_ms < 288 * kFineMs) continue;
      EXPECT_EQ(windows_of<std::uint64_t>(days, width_ms), expected) << round;
    }
  }
}

TEST(Summary, RealValuesDifferByRoundingOnly) {
  Rng random(4);
  for (unsigned round = 0; round < static_cast<unsigned>(varve::testing::effort(300)); ++round) {
    const auto samples = random_samples<double>(random, 30'000, 100);
    const Terms terms = random_terms(random, 30'000);
    const auto expected = expected_windows(samples, terms, 12 * kFineMs);
    const auto found = windows_of<double>(joined_to(summaries_of(samples, terms, kFineMs), 12 * kFineMs), 12 * kFineMs);
    ASSERT_EQ(found.size(), expected.size()) << round;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].start, expected[i].start);
      EXPECT_EQ(found[i].covered_ms, expected[i].covered_ms);
      EXPECT_NEAR(found[i].increase, expected[i].increase, 1e-9 * expected[i].increase);
      ASSERT_EQ(found[i].greatest.has_value(), expected[i].greatest.has_value());
      if (!found[i].greatest) continue;
      EXPECT_NEAR(found[i].greatest->per_second, expected[i].greatest->per_second,
                  1e-9 * expected[i].greatest->per_second);
      EXPECT_NEAR(found[i].least->per_second, expected[i].least->per_second,
                  1e-9 * (1 + expected[i].greatest->per_second));
    }
  }
}

constexpr Terms kPolledTerms{30'000, {.gap_ms = 90'000}};

Summary<std::uint64_t> of(std::initializer_list<Point<std::uint64_t>> samples, const Terms& terms = kPolledTerms) {
  auto summary = summary_of(terms, *samples.begin());
  for (const auto* at = samples.begin() + 1; at != samples.end(); ++at) extend_by_one(summary, *at, terms.rules);
  return summary;
}

TEST(Summary, KnowsWhatItsNeighboursMayAddTo) {
  const auto one = of({{10'000, 0}, {40'000, 300}, {100'000, 300}, {130'000, 900}});
  EXPECT_EQ(one.increase, 900U);
  EXPECT_EQ(one.covered_ms, 120'000);
  EXPECT_EQ(one.head, (Bin<std::uint64_t>{0, 200, 20'000}));
  EXPECT_EQ(one.tail, (Bin<std::uint64_t>{120'000, 200, 10'000}));
  EXPECT_EQ(one.greatest, (Bin<std::uint64_t>{90'000, 400, 30'000}));
  EXPECT_EQ(one.least, (Bin<std::uint64_t>{60'000, 0, 30'000}));
}

TEST(Summary, IsJoinedInAnyOrderWithWhatIsApart) {
  const auto early = of({{0, 5}, {30'000, 10}}), late = of({{60'000, 70}, {90'000, 71}});
  const auto all = of({{0, 5}, {30'000, 10}, {60'000, 70}, {90'000, 71}});
  auto forth = early, back = late;
  EXPECT_TRUE(combine(forth, late));
  EXPECT_TRUE(combine(back, early));
  EXPECT_EQ(forth, all);
  EXPECT_EQ(back, all);
}

TEST(Summary, OfTwoThatOverlapTheOneThatCoversMoreStays) {
  const auto wide = of({{0, 0}, {30'000, 10}, {60'000, 20}}), narrow = of({{31'000, 11}, {70'000, 21}});
  auto one = wide, other = narrow;
  EXPECT_FALSE(combine(one, narrow));
  EXPECT_FALSE(combine(other, wide));
  EXPECT_EQ(one, wide);
  EXPECT_EQ(other, wide);
  EXPECT_FALSE(join(one, narrow));
  EXPECT_EQ(one, wide);
}

TEST(Summary, TheLaterOneSaysWhatIsTooFast) {
  auto slow = kPolledTerms;
  slow.rules.max_per_second = 1;
  auto free = of({{0, 0}, {30'000, 100}}), limited = of({{0, 0}, {30'000, 10}}, slow);
  EXPECT_TRUE(join(free, of({{60'000, 200}}, slow)));
  EXPECT_EQ(free.increase, 100U);
  EXPECT_TRUE(join(limited, of({{60'000, 200}})));
  EXPECT_EQ(limited.increase, 200U);
}

TEST(Summary, BinsOfAnotherWidthBeginANewCount) {
  const Terms minutes{60'000, {.gap_ms = 180'000}};
  auto summary = of({{0, 0}, {30'000, 300}, {60'000, 330}});
  EXPECT_TRUE(join(summary, of({{120'000, 360}, {180'000, 960}, {240'000, 1000}}, minutes)));
  EXPECT_EQ(summary.increase, 1000U);
  EXPECT_EQ(summary.covered_ms, 240'000);
  EXPECT_EQ(summary.terms, minutes);
  EXPECT_EQ(rate_of(summary.greatest.increase, summary.greatest.covered_ms), 10) << "the first 30 s";
  EXPECT_EQ(summary.greatest.start, 0);
}

TEST(Summary, WholeValuesBecomeRealOnes) {
  const auto signed_one = to_real(of({{0, static_cast<std::uint64_t>(-5)}, {30'000, 5}}));
  EXPECT_EQ(signed_one.first.value, -5);
  EXPECT_EQ(signed_one.increase, 10);
  auto terms = kPolledTerms;
  terms.rules.is_unsigned = true;
  const auto big = to_real(of({{0, ~std::uint64_t{0} - 1}, {30'000, ~std::uint64_t{0}}}, terms));
  EXPECT_EQ(big.first.value, 18446744073709551614.0);
  EXPECT_EQ(big.increase, 1);
}

TEST(Summary, WholeAndRealOnesAreJoinedInDoubles) {
  AnySummary all = of({{0, 0}, {30'000, 300}});
  auto real = summary_of(kPolledTerms, Point<double>{60'000, 450.5});
  EXPECT_TRUE(combine(all, AnySummary(real)));
  EXPECT_EQ(std::get<Summary<double>>(all).increase, 450.5);
  EXPECT_TRUE(combine(all, AnySummary(of({{90'000, 500}}))));
  EXPECT_EQ(std::get<Summary<double>>(all).increase, 500);
}

}  // namespace
}  // namespace varve::counter
