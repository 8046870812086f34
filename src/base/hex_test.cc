// SPDX-License-Identifier: Apache-2.0
#include "base/hex.h"

#include <gtest/gtest.h>

namespace varve {
namespace {

TEST(Hex, Digits) {
  std::string found;
  for (int c = 0; c < 256; ++c) {
    if (hex_digit(static_cast<char>(c)) >= 0) found += static_cast<char>(c);
  }
  EXPECT_EQ(found, "0123456789ABCDEFabcdef");
  EXPECT_EQ(hex_digit('0'), 0);
  EXPECT_EQ(hex_digit('9'), 9);
  EXPECT_EQ(hex_digit('a'), 10);
  EXPECT_EQ(hex_digit('F'), 15);
}

TEST(Hex, Bytes) {
  std::string out = "=";
  append_hex(out, "a\x01\xff");
  EXPECT_EQ(out, "=6101ff");
  EXPECT_EQ(hex_text(0x1abc, 8), "00001abc");
  EXPECT_EQ(hex_text(0x1abc, 2), "bc");
  EXPECT_EQ(hex_text(UINT64_MAX, 16), "ffffffffffffffff");
}

TEST(Hex, Escapes) {
  std::string out = "=";
  append_escaped(out, "a-Z 0/\xc3\xbc", '%', CharSet("-", true));
  EXPECT_EQ(out, "=a-Z%200%2F%C3%BC");
}

}  // namespace
}  // namespace varve
