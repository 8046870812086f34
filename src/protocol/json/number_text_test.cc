// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

namespace varve::protocol::json {
namespace {

std::string text_of(double v) {
  std::string out;
  append_double(out, v);
  return out;
}

TEST(NumberText, Doubles) {
  EXPECT_EQ(text_of(55), "55");
  EXPECT_EQ(text_of(0), "0");
  EXPECT_EQ(text_of(-0.0), "-0.0");
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(-60.2), "-60.2");
  EXPECT_EQ(text_of(0.001), "0.001");
  EXPECT_EQ(text_of(0.00025), "2.5E-4");
  EXPECT_EQ(text_of(1.5e-7), "1.5E-7");
  EXPECT_EQ(text_of(1e15), "1000000000000000");
  EXPECT_EQ(text_of(1e20), "1.0E20");
  EXPECT_EQ(text_of(-1.5e300), "-1.5E300");
  EXPECT_EQ(text_of(9999999.5), "9999999.5");
  EXPECT_EQ(text_of(123456789.125), "1.23456789125E8");
  EXPECT_EQ(text_of(5e-324), "5.0E-324");
  EXPECT_EQ(text_of(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "null");
}

TEST(NumberText, Longs) {
  std::string out;
  append_long(out, INT64_MAX);
  out += ' ';
  append_long(out, INT64_MIN);
  EXPECT_EQ(out, "9223372036854775807 -9223372036854775808");
}

TEST(NumberText, NeighboursAreWrittenAsOneByOne) {
  NeighbourText neighbours;
  std::mt19937_64 random(12);
  std::int64_t value = 0;
  for (int i = 0; i < 200'000; ++i) {
    value += static_cast<std::int64_t>(random() % 1'000'000);
    if (i % 100 == 0) value = static_cast<std::int64_t>(random()) >> (random() % 64);
    if (i % 1000 == 0) value = i % 2000 == 0 ? INT64_MIN : INT64_MAX - 99'000'000;
    char text[kNumberChars];
    ASSERT_EQ(std::string(text, neighbours.write(text, value)), std::to_string(value));
  }
}

TEST(NumberText, ReadsBackBitForBit) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 200'000; ++i) {
    double v = std::bit_cast<double>(random());
    if (i % 2 == 0) v = static_cast<double>(static_cast<std::int64_t>(random()) >> (random() % 60)) / 1000;
    if (!std::isfinite(v)) continue;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text_of(v).c_str(), nullptr)), std::bit_cast<std::uint64_t>(v))
        << text_of(v);
  }
}

TEST(NumberText, NoFormIsShorter) {
  std::mt19937_64 random(10);
  for (int i = 0; i < 200'000; ++i) {
    const double v = std::ldexp(static_cast<double>(random() >> (random() % 53)), -static_cast<int>(random() % 64));
    if (v < 1e-3 || v >= 1e7 || v == std::trunc(v)) continue;
    char text[64];
    const std::string want(text, std::to_chars(text, text + sizeof text, v, std::chars_format::fixed).ptr);
    ASSERT_EQ(text_of(v), want);
    ASSERT_EQ(text_of(-v), "-" + want);
  }
}

// Decimals of one more digit than needed lie in the middle of two; next to powers of two the steps change.
TEST(NumberText, NoFormIsNearer) {
  const auto check = [](double v) {
    if (v < 1e-3 || v >= 1e7 || v == std::trunc(v)) return;
    char text[64];
    ASSERT_EQ(text_of(v), std::string(text, std::to_chars(text, text + sizeof text, v, std::chars_format::fixed).ptr));
  };
  std::mt19937_64 random(11);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t few_bits = random() % (std::uint64_t{2} << (random() % 22)) * 2 + 1;
    check(std::ldexp(static_cast<double>(few_bits), -static_cast<int>(random() % 24)));
    check(static_cast<double>(random() % 10'000'000'000) / std::pow(10, random() % 13));
  }
  for (int exponent = -10; exponent < 24; ++exponent) {
    const auto power = std::bit_cast<std::uint64_t>(std::ldexp(1.0, exponent));
    for (std::uint64_t near = power - 200; near < power + 200; ++near) check(std::bit_cast<double>(near));
  }
}

}  // namespace
}  // namespace varve::protocol::json
