// SPDX-License-Identifier: Apache-2.0
#include "codec/varint.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>

namespace varve::codec {
namespace {

const std::byte* bytes(const std::string& text) { return reinterpret_cast<const std::byte*>(text.data()); }

TEST(Varint, HasItsBytes) {
  const struct {
    std::uint64_t value;
    std::string coded;
  } cases[] = {
      {0, std::string(1, '\0')},
      {1, "\x01"},
      {127, "\x7f"},
      {128, "\x80\x01"},
      {300, "\xac\x02"},
      {16383, "\xff\x7f"},
      {16384, "\x80\x80\x01"},
      {0xffffffff, "\xff\xff\xff\xff\x0f"},
      {~std::uint64_t{0}, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
  };
  for (const auto& [value, coded] : cases) {
    std::string appended;
    append_varint(appended, value);
    EXPECT_EQ(appended, coded);
    std::array<std::byte, kVarintBytesMax> put;
    const auto n = static_cast<std::size_t>(put_varint(put.data(), value) - put.data());
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(put.data()), n), coded);
    std::uint64_t got = 1;
    EXPECT_EQ(get_varint(bytes(coded), bytes(coded) + coded.size(), got), bytes(coded) + coded.size());
    EXPECT_EQ(got, value);
  }
}

TEST(Varint, EveryLengthAndItsNeighbours) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const std::uint64_t v : {(std::uint64_t{1} << bit) - 1, std::uint64_t{1} << bit}) {
      std::string coded;
      append_varint(coded, v);
      std::uint64_t got = 0;
      ASSERT_NE(get_varint(bytes(coded), bytes(coded) + coded.size(), got), nullptr);
      EXPECT_EQ(got, v);
      for (std::size_t cut = 0; cut < coded.size(); ++cut) {
        EXPECT_EQ(get_varint(bytes(coded), bytes(coded) + cut, got), nullptr);
      }
    }
  }
}

TEST(Varint, StopsAtItsEndAndLeavesTheRest) {
  const std::string two = "\x80\x01\x05";
  std::uint64_t got = 0;
  EXPECT_EQ(get_varint(bytes(two), bytes(two) + 3, got), bytes(two) + 2);
  EXPECT_EQ(got, 128U);
}

TEST(Varint, MoreThan64BitsIsAnError) {
  std::uint64_t got = 0;
  const std::string over = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02";
  EXPECT_EQ(get_varint(bytes(over), bytes(over) + over.size(), got), nullptr);
  const std::string eleven = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01";
  EXPECT_EQ(get_varint(bytes(eleven), bytes(eleven) + eleven.size(), got), nullptr);
}

TEST(Zigzag, SmallMagnitudesAreSmallNumbers) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  static_assert(zigzag(0) == 0 && zigzag(-1) == 1 && zigzag(1) == 2 && zigzag(-2) == 3);
  static_assert(zigzag(kMax) == ~std::uint64_t{0} - 1 && zigzag(kMin) == ~std::uint64_t{0});
  for (const std::int64_t v : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{77}, kMin, kMax, kMin + 1}) {
    EXPECT_EQ(unzigzag(zigzag(v)), v);
  }
}

}  // namespace
}  // namespace varve::codec
