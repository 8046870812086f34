// SPDX-License-Identifier: Apache-2.0
// Words are found wherever they stand, as by splitting the text.
#include "message/words.h"

#include <gtest/gtest.h>

#include <random>

namespace varve::message {
namespace {

TEST(Words, AreFoundAsBySplitting) {
  std::mt19937_64 random(1);
  const std::string_view alphabet("aAbB_0@ \x80\xe4[", 11);
  const auto made = [&](std::size_t size, bool lowered) {
    std::string text;
    while (text.size() < size) {
      const char c = alphabet[random() % alphabet.size()];
      if (lowered && !kWordChars.contains(c)) continue;
      text += lowered ? lower(c) : c;
    }
    return text;
  };
  std::size_t found = 0;
  for (int round = 0; round < 200'000; ++round) {
    const std::string text = made(random() % 120, false), word = made(1 + random() % 4, true);
    const auto whole = [&](std::string_view w) { return is_word(w, word); };
    const auto begins = [&](std::string_view w) { return begins_word(w, word); };
    ASSERT_EQ(has_word(text, word), any_word(text, whole)) << text << " " << word;
    ASSERT_EQ(has_word_prefix(text, word), any_word(text, begins)) << text << " " << word;
    found += has_word(text, word) ? 1U : 0U;
  }
  EXPECT_GT(found, 10'000U);
  EXPECT_FALSE(has_word("", ""));
  EXPECT_TRUE(has_word_prefix("a", ""));
  EXPECT_FALSE(has_word_prefix(" ", ""));
}

}  // namespace
}  // namespace varve::message
