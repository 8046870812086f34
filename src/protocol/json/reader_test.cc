// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/reader.h"

#include <gtest/gtest.h>

#include "protocol/json/tree.h"

namespace varve::protocol::json {
namespace {

TEST(StrictReader, TakesWhatRfc8259Takes) {
  for (const char* good :
       {"{}", "[]", " [ 1 , -0.5e+10, 1E2 ]\r\n\t", "\"\"", "null", "true", "-0", R"("\u00e9\/\\\"\b\f\n\r\t")",
        R"({"a":{"a":1},"a":2})", "\"\x7f\"", "\"é\"", R"("\ud83d\ude00")"}) {
    EXPECT_TRUE(check_strict(good)) << good;
  }
}

TEST(StrictReader, TakesNothingElse) {
  for (const char* bad : {"",
                          " ",
                          "TRUE",
                          "True",
                          "nULL",
                          "NaN",
                          "Infinity",
                          "01",
                          "1.",
                          ".1",
                          "+1",
                          "-",
                          "1e",
                          "0x1",
                          "'a'",
                          "a",
                          "{a:1}",
                          "{'a':1}",
                          "[1;2]",
                          "{\"a\"=1}",
                          "[1,]",
                          "[,1]",
                          "{\"a\":1,}",
                          "{,}",
                          "[1 2]",
                          "{\"a\" 1}",
                          "[",
                          "{",
                          "]",
                          "[1}",
                          "\"a",
                          R"("\q")",
                          R"("\'")",
                          R"("\u12")",
                          R"("\)",
                          "\"a\nb\"",
                          "\"\t\"",
                          "{\"a\tb\":1}",
                          "\xef\xbb\xbf{}",
                          "{} {}",
                          "{}//",
                          "/**/{}",
                          "#\n{}",
                          "\f1",
                          "\v1",
                          "\"\xff\"",
                          "\"\xe2\x82\""}) {
    EXPECT_FALSE(check_strict(bad)) << bad;
  }
  EXPECT_FALSE(check_strict(std::string_view("\"\0\"", 3)));
  EXPECT_FALSE(check_strict(std::string_view("{}\0", 3)));
}

TEST(StrictReader, OthersKeepTheMannersOfGson) {
  for (const char* sloppy : {"TRUE", R"("\q")", "\"a\nb\"", "\xef\xbb\xbf{}"}) {
    Reader reader(sloppy);
    EXPECT_TRUE(read_tree(reader)) << sloppy;
  }
}

}  // namespace
}  // namespace varve::protocol::json
