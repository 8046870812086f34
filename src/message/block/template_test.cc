// SPDX-License-Identifier: Apache-2.0
#include "message/block/template.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/testing/effort.h"
#include "message/words.h"

namespace varve::message::block {
namespace {

struct Split {
  std::string pattern;
  std::vector<std::string> variables;
  bool operator==(const Split&) const = default;
};

// Word by word, as docs/formats/message-block.md says it.
Split split_slowly(std::string_view text) {
  Split out;
  const char* literal = text.data();
  any_word(text, [&](std::string_view word) {
    if (!is_variable(word)) return false;
    out.pattern.append(literal, word.data());
    out.pattern += kVariable;
    out.variables.emplace_back(word);
    literal = word.data() + word.size();
    return false;
  });
  out.pattern.append(literal, text.data() + text.size());
  return out;
}

Split split_of(Splitter& splitter, std::string_view text) {
  if (!splitter.split(text)) return {"no template", {}};
  return {std::string(splitter.pattern()), {splitter.variables().begin(), splitter.variables().end()}};
}

TEST(Splitter, Words) {
  const std::vector<std::pair<std::string, std::size_t>> cases{
      {"", 0},
      {"no variable here", 0},
      {"1", 1},
      {"a1 b2,c3", 3},
      {"dead beef", 2},
      {"bed", 0},
      {"facade", 1},
      {"Facade", 0},
      {"FACE", 1},
      {"defaced_", 0},
      {"decaf\xc3\xa9", 0},
      {"x1\xc3\xa9", 1},
      {"_7", 1},
      {"10.0.0.255:80 -> [::1]", 6},
      {"deadline", 0},
  };
  Splitter splitter;
  for (const auto& [text, variables] : cases) {
    EXPECT_EQ(split_of(splitter, text), split_slowly(text)) << text;
    EXPECT_EQ(splitter.variables().size(), variables) << text;
  }
}

TEST(Splitter, AByte0HasNoTemplate) {
  Splitter splitter;
  for (const std::size_t at : {0U, 5U, 63U, 64U, 100U}) {
    std::string text(101, 'x');
    text[at] = '\0';
    EXPECT_FALSE(splitter.split(text)) << at;
  }
}

// Every place of a word among the 64 characters that are looked at together.
TEST(Splitter, WordsAcrossTheEdges) {
  Splitter splitter;
  for (const std::string word : {"7", "face", "FACADE", "facadx", "0123456789abcdef", "xyzxyzxyzxy9"}) {
    for (std::size_t before = 0; before < 140; ++before) {
      for (const std::string behind : {"", " ", " end", "_"}) {
        for (const char filler : {' ', 'x', 'a'}) {
          const std::string text = std::string(before, filler) + " " + word + behind;
          EXPECT_EQ(split_of(splitter, text), split_slowly(text)) << text;
        }
      }
    }
  }
  for (std::size_t size = 0; size < 300; ++size) {
    for (const char c : {'a', 'F', '0', 'z', '\xff'}) {
      const std::string text(size, c);
      EXPECT_EQ(split_of(splitter, text), split_slowly(text)) << text;
    }
  }
}

TEST(Splitter, AnyTexts) {
  std::mt19937_64 random(1);
  Splitter splitter;
  constexpr std::string_view kChars = "aAfFgGzZ09_ .,:-\x80\xff/@[`{";
  for (int i = 0; i < varve::testing::effort(20'000); ++i) {
    std::string text;
    for (std::size_t n = random() % 200; n > 0; --n) {
      text += random() % 16 == 0 ? static_cast<char>(1 + random() % 255) : kChars[random() % kChars.size()];
    }
    ASSERT_EQ(split_of(splitter, text), split_slowly(text)) << text;
  }
}

}  // namespace
}  // namespace varve::message::block
