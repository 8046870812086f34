// SPDX-License-Identifier: Apache-2.0
#include "model/histogram.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "model/complex.h"
#include "model/testing/histograms.h"

namespace varve::model {
namespace {

using testing::histogram_of;

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

// KairosDB keeps sign, exponent and mantissa as they are: the same bits, ordered otherwise.
TEST(Histogram, BinsAreThoseOfKairosDb) {
  const struct {
    double value;
    std::uint64_t kairosdb;
    double bin;
  } cases[] = {{1.0, 130944, 1.0}, {2.0, 131072, 2.0},         {256, 131968, 256},
               {257, 131968, 256}, {0.1, 130508, 0.099609375}, {-1.0, 393088, -1.0}};
  for (const auto& [value, kairosdb, bin] : cases) {
    const std::int64_t key = bin_of(value, 7);
    EXPECT_EQ(static_cast<std::uint64_t>(key < 0 ? (-1 - key) | 1 << 18 : key), kairosdb) << value;
    EXPECT_EQ(bin_value(key, 7), bin);
  }
  for (int i = -256; i <= 256; ++i) EXPECT_EQ(bin_value(bin_of(i, 7), 7), i);
}

TEST(Histogram, BinsOrderAsTheirValues) {
  const double max = std::numeric_limits<double>::max();
  const double values[] = {-max, -257, -1, -1e-300, -0.0, 0.0, 5e-324, 0.1, 1, 1.5, max};
  for (const unsigned precision : {0U, 1U, 7U, 52U}) {
    for (std::size_t i = 0; i < std::size(values); ++i) {
      const std::int64_t key = bin_of(values[i], precision);
      const double bin = bin_value(key, precision);
      EXPECT_LE(std::abs(bin), std::abs(values[i]));
      EXPECT_EQ(std::signbit(bin), std::signbit(values[i]));
      EXPECT_EQ(bin_of(bin, precision), key);
      EXPECT_LE(bin_of(values[i > 0 ? i - 1 : 0], precision), key);
      const bool exact = std::bit_cast<std::uint64_t>(bin) == std::bit_cast<std::uint64_t>(values[i]);
      EXPECT_TRUE(exact || precision < 52);
      const double outer = bin_outer_value(key, precision);
      EXPECT_GE(std::abs(outer), std::abs(values[i]));
      EXPECT_EQ(bin_of(outer, precision), key);
      EXPECT_TRUE(std::abs(outer) == max || bin_of(std::nextafter(outer, std::copysign(max, outer)), precision) != key);
    }
  }
}

TEST(Histogram, BytesOfTheFormat) {
  Histogram h = histogram_of({1, 1, 2, -1});
  h.mean = 0.75;
  EXPECT_EQ(hex(encode(h)),
            "07"
            "000000000000f0bf"
            "0000000000000040"
            "000000000000e83f"
            "0000000000000840"
            "03"
            "81fe0f"
            "01"  // -1: key −130945, zigzagged
            "81fe0f"
            "02"  // 1: 261889 on
            "8001"
            "01");  // 2: 128 on
  EXPECT_EQ(decode_histogram(encode(h)), h);
  const Complex c{1.5, -2};
  const auto bytes = encode(c);
  EXPECT_EQ(hex({bytes.data(), bytes.size()}),
            "000000000000f83f"
            "00000000000000c0");
  EXPECT_EQ(decode_complex({bytes.data(), bytes.size()})->imaginary, -2);
  EXPECT_FALSE(decode_complex({bytes.data(), 15}));
}

TEST(Histogram, ForeignBytesAreNone) {
  std::mt19937 random(3);
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back((static_cast<double>(random()) - 0x7fffffff) / 1000);
  const std::string good = encode(histogram_of(values));
  ASSERT_TRUE(decode_histogram(good));
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(decode_histogram(good.substr(0, n)));
  EXPECT_FALSE(decode_histogram(good + '\0'));
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto read = decode_histogram(bytes);
    EXPECT_TRUE(!read || decode_histogram(encode(*read)));
  }
  EXPECT_FALSE(decode_histogram(std::string(1, '\x35') + good.substr(1)));  // precision 53
}

TEST(Histogram, ExtremesComeBack) {
  for (const unsigned precision : {0U, 7U, 52U}) {
    Histogram h =
        histogram_of({-std::numeric_limits<double>::max(), -0.0, 0.0, std::numeric_limits<double>::max()}, precision);
    h.mean = std::numeric_limits<double>::quiet_NaN();
    h.bins[1].count = kHistogramCountMax;
    const auto read = decode_histogram(encode(h));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->bins, h.bins);
    EXPECT_TRUE(std::isnan(read->mean));
    EXPECT_EQ(read->count(), kHistogramCountMax);
  }
  const double max = std::numeric_limits<double>::max();
  const Histogram far = histogram_of({-max, max}, 52);
  EXPECT_EQ(decode_histogram(encode(far)), far);
  EXPECT_EQ(decode_histogram(encode(Histogram())), Histogram());
}

TEST(Histogram, PercentileIsTheBinOfTheRank) {
  const Histogram h = histogram_of({1, 1, 1, 2, 2, 3, 3, 4, 5, 5});
  EXPECT_EQ(percentile(h, 0.9), 5);
  EXPECT_EQ(percentile(h, 0.7), 3);
  EXPECT_EQ(percentile(h, 0.2), 1);
  EXPECT_EQ(percentile(h, 0), 1);
  EXPECT_EQ(percentile(h, 1), 5);
  EXPECT_FALSE(percentile(Histogram(), 0.5));
}

TEST(Histogram, MergeIsAsIfOfAllValues) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> a, b;
    for (auto n = random() % 30; n > 0; --n) a.push_back(static_cast<double>(random() % 4000) - 2000);
    for (auto n = random() % 30; n > 0; --n) b.push_back(static_cast<double>(random() % 4000) - 2000);
    const unsigned precision = random() % 9;
    Histogram merged = histogram_of(a, precision);
    merge(merged, histogram_of(b, 7));
    std::vector<double> both = a;
    both.insert(both.end(), b.begin(), b.end());
    const Histogram want = histogram_of(both, std::min(precision, 7U));
    EXPECT_EQ(merged.precision, want.precision);
    EXPECT_EQ(merged.bins, want.bins);
    EXPECT_EQ(merged.min, want.min);
    EXPECT_EQ(merged.max, want.max);
    EXPECT_EQ(merged.sum, want.sum);
    EXPECT_EQ(merged.mean, want.mean);
  }
}

TEST(Histogram, CountsDoNotOverflow) {
  Histogram h = histogram_of({1, 2});
  h.bins[0].count = 8589934588;
  merge(h, Histogram(h));
  EXPECT_EQ(h.bins[0].count, 2 * 8589934588U);
  h.bins[1].count = kHistogramCountMax;
  merge(h, Histogram(h));
  EXPECT_EQ(h.bins[1].count, kHistogramCountMax);
  EXPECT_EQ(h.count(), kHistogramCountMax);
}

}  // namespace
}  // namespace varve::model
