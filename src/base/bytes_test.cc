// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace varve {
namespace {

constexpr std::array<unsigned char, 9> kBytes{0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0xff};

TEST(Bytes, LittleEndianAtAnyAddress) {
  EXPECT_EQ(load_le<std::uint16_t>(kBytes.data() + 1), 0x0201);
  EXPECT_EQ(load_le<std::uint32_t>(kBytes.data() + 1), 0x04030201U);
  EXPECT_EQ(load_le<std::uint64_t>(kBytes.data() + 1), 0xff07060504030201U);
  EXPECT_EQ(load_le<std::int8_t>(kBytes.data() + 8), -1);
}

TEST(Bytes, BigEndianAtAnyAddress) {
  EXPECT_EQ(load_be32(kBytes.data() + 1), 0x01020304U);
  EXPECT_EQ(load_be64(kBytes.data() + 1), 0x01020304050607ffU);
}

TEST(Bytes, StoresWhatItLoads) {
  std::array<unsigned char, 12> room{};
  store_le(room.data() + 3, -0.0);
  EXPECT_TRUE(std::signbit(load_le<double>(room.data() + 3)));
  EXPECT_EQ(room[10], 0x80);
  store_be32(room.data() + 1, 0x01020304);
  EXPECT_EQ(room[1], 1);
  EXPECT_EQ(load_be32(room.data() + 1), 0x01020304U);
  store_be64(room.data() + 1, 0x0102030405060708);
  EXPECT_EQ(room[1], 1);
  EXPECT_EQ(room[8], 8);
  EXPECT_EQ(load_be64(room.data() + 1), 0x0102030405060708U);
}

TEST(Bytes, BigEndianSortsAsNumbersDo) {
  std::array<unsigned char, 8> small{};
  std::array<unsigned char, 8> large{};
  store_be64(small.data(), 0xff);
  store_be64(large.data(), 0x100);
  EXPECT_LT(small, large);
}

}  // namespace
}  // namespace varve
