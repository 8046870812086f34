// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/text.h"

#include <gtest/gtest.h>

#include <string>

namespace varve::protocol::json {
namespace {

TEST(Text, IsUtf8) {
  for (const auto* good : {"", "'abc'", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  EXPECT_TRUE(is_utf8(std::string(1, '\0')));
  for (const auto* bad : {"\x80", "\xc2", "\xc1\xbf", "\xc0\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x80\x80\x80", "\xff", "\xe2\x82"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

// Each number up to 2^21 in each of the lengths that can hold it: right is the shortest of a character of Unicode.
TEST(Text, Utf8IsEveryCharacterInItsShortestForm) {
  const auto encoded = [](std::uint32_t number, std::size_t size) {
    constexpr std::uint32_t kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    std::string out(size, '\0');
    for (std::size_t i = size; i-- > 1; number >>= 6) out[i] = static_cast<char>(0x80 | (number & 0x3f));
    out[0] = static_cast<char>(kLead[size] | number);
    return out;
  };
  constexpr std::uint32_t kEnd[] = {0, 0x80, 0x800, 0x10000, 0x200000};
  std::size_t wrong = 0;
  for (std::size_t size = 1; size <= 4; ++size) {
    for (std::uint32_t number = 0; number < kEnd[size]; ++number) {
      const bool good = number >= kEnd[size - 1] && number < 0x110000 && (number < 0xd800 || number >= 0xe000);
      if (is_utf8(encoded(number, size)) != good) ++wrong;
    }
  }
  EXPECT_EQ(wrong, 0U);
}

// Wherever it stands: a step of the check is 1, 8 or 32 bytes.
TEST(Text, Utf8IsLookedAtAtEveryPlace) {
  for (std::size_t before = 0; before < 72; ++before) {
    for (const std::size_t after : {0U, 1U, 9U, 40U}) {
      const auto placed = [&](std::string_view text) {
        return std::string(before, 'a').append(text).append(std::string(after, 'z'));
      };
      for (const auto* good :
           {"", "\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xc3\xbc\xc3\xbc", "\xc3\xbc-\xc3\xbc"}) {
        EXPECT_TRUE(is_utf8(placed(good))) << before << " " << after;
      }
      for (const auto* bad :
           {"\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc3\xbc\xff", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
        EXPECT_FALSE(is_utf8(placed(bad))) << before << " " << after;
      }
    }
  }
}

// Eight bytes are looked at in one step: each byte in each place, and two of them.
TEST(Text, WhatIsEscapedIsFoundAnywhere) {
  const auto escaped = [](int c) -> std::string {
    constexpr char kHex[] = "0123456789abcdef";
    if (c >= 0x80) return "\xef\xbf\xbd";
    if (c == '"' || c == '\\') return std::string("\\") + static_cast<char>(c);
    if (c >= 0x20 && c != 0x7f) return {static_cast<char>(c)};
    return std::string("\\u00") + kHex[c >> 4] + kHex[c & 15];
  };
  for (std::size_t before = 0; before < 18; ++before) {
    for (std::size_t after = 0; after < 18; ++after) {
      for (int c = 0; c < 256; ++c) {
        const std::string left(before, '!'), right(after, '#'), one(1, static_cast<char>(c));
        std::string out = "x";
        append_string(out, left + one + right);
        ASSERT_EQ(out, "x\"" + left + escaped(c) + right + "\"") << c;
        out.clear();
        append_string(out, one + left + one + right + one);
        ASSERT_EQ(out, "\"" + escaped(c) + left + escaped(c) + right + escaped(c) + "\"") << c;
      }
    }
  }
}

TEST(Text, AStringIsQuotedAndWhatIsNoTextReplaced) {
  const auto quoted = [](std::string_view text) {
    std::string out;
    append_string(out, text);
    return out;
  };
  EXPECT_EQ(quoted(""), "\"\"");
  EXPECT_EQ(quoted("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(quoted("\n\x7f"), R"("\u000a\u007f")");
  EXPECT_EQ(quoted("ünï"), "\"ünï\"");
  EXPECT_EQ(quoted("ü\xff"
                   "ï"),
            "\"ü\xef\xbf\xbdï\"");
  EXPECT_EQ(quoted("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");  // one for each byte
  EXPECT_EQ(quoted("\xed\xa0\x80-"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd-\"");
}

}  // namespace
}  // namespace varve::protocol::json
