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
}

}  // namespace
}  // namespace varve::protocol::json
