// SPDX-License-Identifier: Apache-2.0
// Bins of precision 7: one begins at 99.5, 100 and 100.5, and that at 100 goes on up to just below 100.5.
#include "aggregate/histogram_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "aggregate/apply.h"
#include "aggregate/gaps.h"
#include "aggregate/histograms.h"
#include "aggregate/trim.h"
#include "model/testing/histograms.h"

namespace varve::aggregate {
namespace {

using enum Filter::Compare;
using model::Histogram;
using model::testing::histogram_of;

// One every second.
Points histogram_points(const std::vector<Histogram>& histograms) {
  Points out;
  out.type = model::ValueType::histogram;
  for (const Histogram& one : histograms) {
    out.times.push_back(static_cast<model::Timestamp>(out.size()) * 1000);
    out.texts.push_back(model::encode(one));
  }
  return out;
}

// "99.5x1 100x2 min..max sum"
std::string text_of(const Histogram& histogram) {
  const auto number = [](double v) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", v);
    return std::string(text);
  };
  std::string out;
  for (const auto& bin : histogram.bins) {
    out += number(model::bin_value(bin.key, histogram.precision)) + "x" + std::to_string(bin.count) + " ";
  }
  EXPECT_DOUBLE_EQ(histogram.mean, histogram.sum / static_cast<double>(histogram.count()));
  return out + number(histogram.min) + ".." + number(histogram.max) + " " + number(histogram.sum);
}

std::string left_of(const HistogramFilter& filter, const Histogram& histogram) {
  const Points out = apply(filter, histogram_points({histogram}));
  return out.size() == 0 ? "" : text_of(*model::decode_histogram(out.texts[0]));
}

const Histogram kFour = histogram_of({99.5, 100, 100.25, 100.5});
const char* const kAll = "99.5x1 100x2 100.5x1 99.5..100.5 400.25";

TEST(HistogramFilter, TakesBinsOut) {
  const struct {
    HistogramFilter filter;
    const char* left;
  } cases[] = {{{less, 100.25, false}, "100x2 100.5x1 100..100.5 300.5"},
               {{less, 100.25, true}, "100.5x1 100.5..100.5 100.5"},
               {{greater, 100.25, false}, "99.5x1 100x2 99.5..100.49999999999999 299.5"},
               {{greater, 100.25, true}, "99.5x1 99.5..99.999999999999986 99.5"},
               {{equal, 100.25, false}, kAll},
               {{equal, 100.25, true}, "99.5x1 100.5x1 99.5..100.5 200"},
               {{not_equal, 100.25, false}, "100x2 100..100.49999999999999 200"},
               {{not_equal, 100.25, true}, ""},
               {{less, 100, true}, "100x2 100.5x1 100..100.5 300.5"},
               {{less_or_equal, 100, false}, "100x2 100.5x1 100..100.5 300.5"},
               {{less_or_equal, 100, true}, "100.5x1 100.5..100.5 100.5"},
               {{greater_or_equal, 100, false}, "99.5x1 99.5..99.999999999999986 99.5"},
               {{greater, 100, false}, "99.5x1 100x2 99.5..100.49999999999999 299.5"},
               {{less, 99.5, true}, kAll},
               {{greater, 100.5, true}, kAll},
               {{equal, 101, true}, kAll},
               {{less_or_equal, 101, false}, ""},
               {{greater_or_equal, 0, false}, ""}};
  for (const auto& c : cases) {
    EXPECT_EQ(left_of(c.filter, kFour), c.left) << static_cast<int>(c.filter.compare) << ' ' << c.filter.threshold;
  }
}

TEST(HistogramFilter, NegativeBinsGoOnDownwards) {
  const Histogram three = histogram_of({-99.5, -100, -100.5});
  EXPECT_EQ(left_of({less, -100, false}, three), "-100x1 -99.5x1 -100.49999999999999..-99.5 -199.5");
  EXPECT_EQ(left_of({less, -100, true}, three), "-99.5x1 -99.999999999999986..-99.5 -99.5");
  EXPECT_EQ(left_of({less_or_equal, -100, false}, three), "-99.5x1 -99.999999999999986..-99.5 -99.5");
  EXPECT_EQ(left_of({greater_or_equal, -100, false}, three), "-100.5x1 -100x1 -100.5..-100 -200.5");
  const Histogram zeros = histogram_of({0.0, -0.0, 1, -1});
  EXPECT_EQ(left_of({less_or_equal, 0, false}, zeros), "0x1 1x1 0..1 1");
  EXPECT_EQ(left_of({greater_or_equal, 0, false}, zeros), "-1x1 -0x1 -1..-0 -1");
}

TEST(HistogramFilter, ExtremesSayMoreThanBins) {
  Histogram one = histogram_of({100.125});
  EXPECT_EQ(left_of({greater, 100.25, true}, one), "100x1 100.125..100.125 100.125");
  EXPECT_EQ(left_of({less, 100.0625, true}, one), "100x1 100.125..100.125 100.125");
  EXPECT_EQ(left_of({greater, 100.0625, true}, one), "");
  one.max = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(left_of({greater, 100.25, true}, one), "") << "not believed";
}

TEST(HistogramFilter, WhereBinsAreValuesNothingIsInDoubt) {
  const Histogram exact = histogram_of({1, 1.1, 1.2}, model::kHistogramPrecisionMax);
  EXPECT_EQ(apply(HistogramFilter{equal, 1.1, false}, histogram_points({exact})).originals,
            (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(left_of({equal, 1.1, false}, exact), "1x1 1.2x1 1..1.2 2.2000000000000002");
  EXPECT_EQ(left_of({not_equal, 1.1, true}, exact),
            "1.1000000000000001x1 1.1000000000000001..1.1000000000000001 1.1000000000000001");
}

TEST(HistogramFilter, WhatIsNoneOrHasCountedNothingGoes) {
  Points in = histogram_points({histogram_of({}), histogram_of({5})});
  in.times.push_back(3000);
  in.texts.emplace_back("no histogram");
  const Points out = apply(HistogramFilter{less, -7, false}, std::move(in));
  EXPECT_EQ(out.times, std::vector<model::Timestamp>{1000});
  EXPECT_EQ(apply(Filter{equal, "text"}, histogram_points({kFour})).size(), 0U) << "cannot be compared";
}

TEST(HistogramFilter, FilterDoesTheSame) {
  const Points out = apply(Filter{less, 100.25, true}, histogram_points({kFour}));
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(text_of(*model::decode_histogram(out.texts[0])), "100.5x1 100.5..100.5 100.5");
}

// How many there were goes with the histograms through what passes them on.
TEST(HistogramFilter, RemembersHowManyThereWere) {
  const HistogramFilter some{less, 3, false};
  Points out = apply(some, histogram_points({histogram_of({1, 2, 3, 4}), histogram_of({1}), histogram_of({2, 5, 6})}));
  EXPECT_EQ(out.originals, (std::vector<std::uint64_t>{4, 3}));
  out = apply(HistogramFilter{greater, 5, false}, std::move(out));
  EXPECT_EQ(out.originals, (std::vector<std::uint64_t>{4, 3})) << "before the first filter";
  Gaps gaps;
  gaps.sampling = {1, model::TimeUnit::seconds};
  out = *apply(gaps, Scope{0, 3000, {}}, std::move(out));
  EXPECT_EQ(out.originals, (std::vector<std::uint64_t>{4, 0, 3, 0}));
  Points filtered = apply(some, out);
  EXPECT_EQ(filtered.size(), 4U) << "nulls stay";
  EXPECT_EQ(apply(Trim{true, false}, out).originals, (std::vector<std::uint64_t>{0, 3, 0}));
  Stage last;
  last.function = Function::last;
  last.sampling = {1, model::TimeUnit::minutes};
  EXPECT_EQ(apply(last, Scope{}, without_nulls(out)).value().originals, std::vector<std::uint64_t>{3});
  Merge merge;
  merge.sampling = {1, model::TimeUnit::minutes};
  EXPECT_EQ(apply(merge, Scope{0, 3000, {}}, out).value().originals, std::vector<std::uint64_t>{7});
  EXPECT_TRUE(apply(merge, Scope{0, 3000, {}}, histogram_points({kFour})).value().originals.empty());
}

}  // namespace
}  // namespace varve::aggregate
