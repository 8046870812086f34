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
                          R"("\ud83d")",
                          R"({"\ude00":1})",
                          R"(["\ud83d\u0041"])",
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

TEST(StrictReader, SpeaksPlainWords) {
  const auto said = [](const char* json) { return check_strict(json).error().message; };
  EXPECT_EQ(said("x"), "Malformed JSON at line 1 column 1");
  EXPECT_EQ(said("{'a':1}"), "Malformed JSON at line 1 column 3");
  EXPECT_EQ(said(R"("\u12g4")"), "Invalid escape sequence \\u12g4");
}

// Different names would become one; a text that was cut is still a text.
TEST(Reader, HalfOfASurrogatePairIsAnErrorButInTextsThatAreKept) {
  for (const bool strict : {false, true}) {
    for (const bool kept : {false, true}) {
      const auto read = [&](const char* json) {
        Reader reader(json);
        if (strict) reader.set_strict();
        if (kept) reader.keep_cut_texts();
        const auto tree = read_tree(reader);
        return tree ? std::string(tree->children.at(0).text) : "! " + tree.error().message;
      };
      EXPECT_EQ(read(R"({"a":"x\ud83d"})"), kept ? "x\xef\xbf\xbd" : "! Half of a surrogate pair at line 1 column 14");
      EXPECT_EQ(read(R"({"\ude00":1})"), "! Half of a surrogate pair at line 1 column 9");
      EXPECT_EQ(read(R"({"a":"\ud83d\ude00"})"), "😀");
    }
  }
}

}  // namespace
}  // namespace varve::protocol::json
