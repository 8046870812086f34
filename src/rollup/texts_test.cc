// SPDX-License-Identifier: Apache-2.0
#include "rollup/texts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "model/testing/histograms.h"
#include "model/testing/lengths.h"
#include "rollup/fold.h"
#include "rollup/window.h"

namespace varve::rollup {
namespace {

using model::Histogram;
using model::Timestamp;
using model::ValueType;
using model::testing::histogram_of;

using model::testing::kMinute;

// Samples that are no numbers, and what owns them.
struct Series {
  std::vector<Timestamp> times;
  std::vector<std::string> values;
  std::vector<ValueType> types;

  void add(Timestamp time, std::string value, ValueType type = ValueType::histogram) {
    times.push_back(time);
    values.push_back(std::move(value));
    types.push_back(type);
  }
  Windows fold(std::int64_t width_ms, PartPool& pool) const {
    const std::vector<std::string_view> views(values.begin(), values.end());
    Windows out;
    rollup::fold(Texts{times, views, types}, width_ms, out, pool);
    return out;
  }
};

void expect_same(const Windows& got, const Windows& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].start, want[i].start);
    EXPECT_EQ(got[i].count, want[i].count);
    EXPECT_EQ(got[i].first_time, want[i].first_time);
    EXPECT_EQ(got[i].text->last, want[i].text->last);
    EXPECT_EQ(got[i].text->last_type, want[i].text->last_type);
    EXPECT_EQ(got[i].text->histograms, want[i].text->histograms);
    EXPECT_EQ(got[i].text->first_histogram, want[i].text->first_histogram);
    EXPECT_EQ(got[i].text->exact, want[i].text->exact);
    EXPECT_EQ(got[i].text->merged, want[i].text->merged) << "byte for byte";
  }
}

TEST(Texts, a_window_has_its_histograms_as_one) {
  Series series;
  series.add(5, "up", ValueType::string);
  series.add(10, model::encode(histogram_of({1, 1, 2})));
  series.add(20, model::encode(histogram_of({-3, 100}, 5)));
  series.add(30, "not a histogram");
  series.add(40, "down", ValueType::string);
  series.add(kMinute, "alone", ValueType::string);
  PartPool pool;
  const Windows w = series.fold(kMinute, pool);
  ASSERT_EQ(w.size(), 2U);
  EXPECT_EQ(w[0].count, 5U);
  EXPECT_EQ(w[0].first_time, 5);
  EXPECT_EQ(w[0].last_time, 40);
  const TextPart& part = *w[0].text;
  EXPECT_EQ(part.last, "down");
  EXPECT_EQ(part.last_type, ValueType::string);
  EXPECT_EQ(part.histograms, 2U);
  EXPECT_EQ(part.first_histogram, 10);
  EXPECT_TRUE(part.exact);
  EXPECT_EQ(part.merged, model::encode(histogram_of({1, 1, 2, -3, 100}, 5)));
  EXPECT_EQ(w[1].text->histograms, 0U);
  EXPECT_EQ(w[1].text->merged, "");
}

// The mean of one is what its sum and count say, as in every merge; one that counted nothing keeps what it says.
TEST(Texts, one_alone_is_as_a_merge_is) {
  Histogram odd = histogram_of({1, 3});
  odd.mean = 77;
  Histogram none;
  none.mean = 5;
  Series series;
  series.add(0, model::encode(odd));
  series.add(kMinute, model::encode(none));
  PartPool pool;
  const Windows w = series.fold(kMinute, pool);
  EXPECT_EQ(model::decode_histogram(w[0].text->merged)->mean, 2);
  EXPECT_EQ(w[1].text->merged, model::encode(none));
  EXPECT_EQ(w[1].text->histograms, 1U);
}

// Of whole numbers sums are exact: then the way does not matter for a byte.
TEST(Texts, coarser_ones_are_as_if_of_all_samples) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    Series series;
    Timestamp time = -5 * kMinute;
    for (auto n = random() % 40; n > 0; --n) {
      time += 1 + static_cast<Timestamp>(random() % kMinute);
      std::vector<double> values;
      for (auto m = random() % 6; m > 0; --m) values.push_back(static_cast<double>(random() % 999) - 500);
      if (random() % 4 == 0) {
        series.add(time, "text", random() % 2 == 0 ? ValueType::string : ValueType::complex);
      } else {
        series.add(time, model::encode(histogram_of(values, 3 + random() % 5)));
      }
    }
    PartPool pool;
    const Windows minutes = series.fold(kMinute, pool);
    const Windows want = series.fold(6 * kMinute, pool);
    Windows once, twos, again;
    coarsen(minutes, 6 * kMinute, once, pool);
    expect_same(once, want);
    coarsen(minutes, 2 * kMinute, twos, pool);
    coarsen(twos, 6 * kMinute, again, pool);
    expect_same(again, want);
    // Late ones, in any part.
    Windows odd, even;
    for (std::size_t i = 0; i < want.size(); ++i) (i % 2 == 0 ? even : odd).push_back(want[i]);
    expect_same(merged(odd, even, pool), want);
  }
}

TEST(Texts, late_samples_are_added) {
  Series early, late;
  early.add(10, model::encode(histogram_of({1})));
  early.add(30, model::encode(histogram_of({2})));
  late.add(5, model::encode(histogram_of({7, 8}, 4)));
  late.add(20, "text", ValueType::string);
  PartPool pool;
  for (const bool turned : {false, true}) {
    const Windows a = early.fold(kMinute, pool);
    const Windows b = late.fold(kMinute, pool);
    const Windows both = turned ? merged(b, a, pool) : merged(a, b, pool);
    ASSERT_EQ(both.size(), 1U);
    EXPECT_EQ(both[0].count, 4U);
    EXPECT_EQ(both[0].text->histograms, 3U);
    EXPECT_EQ(both[0].text->first_histogram, 5);
    EXPECT_EQ(both[0].text->last_type, ValueType::histogram);
    EXPECT_EQ(both[0].text->merged, model::encode(histogram_of({1, 2, 7, 8}, 4)));
  }
}

TEST(Texts, an_empty_window_adds_nothing) {
  Series series;
  series.add(10, model::encode(histogram_of({1})));
  PartPool pool;
  const Windows one = series.fold(kMinute, pool);
  const Windows none = {{0, 0, 0, 0, 0, 0, 0, nullptr}};
  expect_same(merged(one, none, pool), one);
  expect_same(merged(none, one, pool), one);
  Windows wide;
  coarsen({none[0], {kMinute, kMinute, kMinute, 0, 0, 0, 0, one[0].text}}, 2 * kMinute, wide, pool);
  ASSERT_EQ(wide.size(), 1U);
  EXPECT_EQ(wide[0].count, 0U);
}

TEST(Texts, the_bound_costs_precision) {
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i) values.push_back(1 + i * 1e-4);
  Series series;
  series.add(0, model::encode(histogram_of(values, 40)));
  series.add(kMinute, model::encode(histogram_of({1, 2})));
  ASSERT_GT(series.values[0].size(), kMergedBytesMax);
  PartPool pool;
  const Windows w = series.fold(kMinute, pool);
  EXPECT_FALSE(w[0].text->exact);
  EXPECT_LE(w[0].text->merged.size(), kMergedBytesMax);
  const auto merged = model::decode_histogram(w[0].text->merged);
  EXPECT_EQ(merged->count(), 20'000U);
  EXPECT_EQ(merged->max, values.back());
  EXPECT_GE(merged->precision, 10U) << "no more than it must";
  EXPECT_TRUE(w[1].text->exact);
  Windows wide;
  coarsen(w, 2 * kMinute, wide, pool);
  EXPECT_FALSE(wide[0].text->exact) << "as the part that it is made of";
  EXPECT_EQ(model::decode_histogram(wide[0].text->merged)->count(), 20'002U);
}

// Older versions counted no histograms: of what is made of such a window, too, the samples say more.
TEST(Texts, what_was_not_counted_is_known_to_be_missing) {
  Series series;
  series.add(kMinute, model::encode(histogram_of({1})));
  PartPool pool;
  Windows w = series.fold(kMinute, pool);
  const TextPart old{.last = series.values[0], .last_type = ValueType::histogram};
  w.insert(w.begin(), {0, 0, 0, 3, 0, 0, 0, &old});
  Windows wide;
  coarsen(w, 2 * kMinute, wide, pool);
  ASSERT_EQ(wide.size(), 1U);
  EXPECT_EQ(wide[0].count, 4U);
  EXPECT_EQ(wide[0].text->histograms, 1U);
  EXPECT_FALSE(wide[0].text->exact);
}

TEST(Texts, a_pool_keeps_what_it_copied) {
  PartPool pool;
  const TextPart* kept = nullptr;
  {
    const std::string last(100, 'l');
    const std::string merged(100, 'm');
    const TextPart part{.last = last, .histograms = 1, .merged = merged};
    kept = pool.copy(&part);
  }
  EXPECT_EQ(kept->last, std::string(100, 'l'));
  EXPECT_EQ(kept->merged, std::string(100, 'm'));
  EXPECT_GE(pool.bytes(), 200U);
  const PartPool moved = std::move(pool);
  EXPECT_EQ(kept->last, std::string(100, 'l'));
  EXPECT_EQ(PartPool().copy(nullptr), nullptr);
}

}  // namespace
}  // namespace varve::rollup
