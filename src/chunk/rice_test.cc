// SPDX-License-Identifier: Apache-2.0
#include "chunk/rice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace varve::chunk {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<unsigned> values) {
  std::vector<std::byte> out;
  for (const unsigned v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}

std::vector<std::byte> coded(std::span<const std::byte> symbols) {
  const RicePlan plan = plan_rice(symbols);
  Bytes out;
  write_rice(plan, symbols, out);
  EXPECT_EQ(out.size(), plan.bytes);
  return {out.view().begin(), out.view().end()};
}

void expect_round_trip(const std::vector<std::byte>& symbols) {
  const auto bytes = coded(symbols);
  ASSERT_TRUE(is_rice(bytes));
  std::vector<std::byte> back(symbols.size());
  EXPECT_TRUE(read_rice(bytes, back));
  EXPECT_EQ(back, symbols);
}

TEST(Rice, BytesOfSmallOnes) {
  // k = 0: the zeros and a 1 of each: 1, 01, 001, 1 from the lowest bit on.
  EXPECT_EQ(coded(bytes_of({0, 1, 2, 0})), bytes_of({0x08, 0b0110'0101}));
  // k = 2: 9 is 001 and 01, 4 is 01 and 00.
  EXPECT_EQ(coded(bytes_of({9, 4, 6, 5, 7})), bytes_of({0x0a, 0b0100'1100, 0b1101'0100, 0b0001'1100}));
}

TEST(Rice, ARareLargeOneBoundsTheParameter) {
  std::vector<std::byte> symbols(1000);
  EXPECT_EQ(plan_rice(symbols).k, 0U);
  symbols[500] = std::byte{255};  // as many zeros do not fit into one load
  EXPECT_EQ(plan_rice(symbols).k, 3U);
  expect_round_trip(symbols);
}

TEST(Rice, RandomSymbolsComeBack) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::byte> symbols(1 + random() % (round % 50 == 0 ? kRiceSymbolsMax : 300));
    const double mean = std::exp2(static_cast<double>(random() % 9)) - 1;
    std::exponential_distribution<double> falls(1 / (mean + 0.01));
    for (auto& s : symbols) s = static_cast<std::byte>(std::min(255.0, falls(random)));
    expect_round_trip(symbols);
  }
}

TEST(Rice, CostsLittleMoreThanTheEntropyOfABell) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> bell(0, 12);
  std::vector<std::byte> symbols(4000);
  for (auto& s : symbols) s = static_cast<std::byte>(std::min(255.0, std::abs(bell(random))));
  // Half of a bell of 12 has 0.5 log2(2 pi e 144) - 1 = 4.63 bits.
  EXPECT_LT(static_cast<double>(plan_rice(symbols).bytes) * 8 / 4000, 4.63 + 0.15);
}

TEST(Rice, DamageIsFoundAndHarmless) {
  const auto symbols = bytes_of({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3});
  const auto good = coded(symbols);
  std::vector<std::byte> back(symbols.size());
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(read_rice(std::span(good).first(n), back)) << n;
  auto longer = good;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(read_rice(longer, back));
  std::vector<std::byte> more(symbols.size() + 20);
  EXPECT_FALSE(read_rice(good, more));
  auto zeros = good;
  std::fill(zeros.begin() + 1, zeros.end(), std::byte{0});
  EXPECT_FALSE(read_rice(zeros, back));
  std::mt19937_64 random(5);
  for (int round = 0; round < 10'000; ++round) {
    auto bytes = good;
    for (int n = 0; n < 3; ++n) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    static_cast<void>(read_rice(bytes, back));
  }
}

TEST(Rice, IsNoFrameOfZstd) {
  for (unsigned first = 0; first < 256; ++first) {
    const auto byte = bytes_of({first});
    EXPECT_EQ(is_rice(byte), first >= 0x08 && first <= 0x0f) << first;
  }
  EXPECT_FALSE(is_rice({}));
}

}  // namespace
}  // namespace varve::chunk
