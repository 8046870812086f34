// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <gtest/gtest.h>

namespace varve {
namespace {

TEST(Printable, ControlCharactersAreShown) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("plain \\ \xc3\xa9 \xf0\x9f\x98\x80\t|"), "plain \\ \xc3\xa9 \xf0\x9f\x98\x80\t|");
  EXPECT_EQ(printable("a\x1b[2J\x07\x7f"), "a\\x1b[2J\\x07\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("a\nb\rc"), "a\\nb\\rc");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m \xc2\xa0 \xc2"),
            "\\u009b31m \xc2\xa0 \xc2");
}

TEST(Printable, LinesThatAreKeptAreIndented) {
  EXPECT_EQ(printable("a\nb\r\nc\rd\n", Newlines::kept), "a\n    b\n    c\\rd\n    ");
  EXPECT_EQ(printable("a\x1b\nb", Newlines::kept), "a\\x1b\n    b");
}

}  // namespace
}  // namespace varve
