// SPDX-License-Identifier: Apache-2.0
// The fast ways of reading a number say what the slow one says, or leave it to that.
#include "protocol/influx/number.h"

#include <gtest/gtest.h>

#include <string>

namespace varve::protocol::influx {
namespace {

using Reader = bool (*)(const char*&, Number&);

bool read_short(const char*& at, Number& number) {
  const std::size_t size = read_short_number(at, number);
  at += size;
  return size != 0;
}

// What a fast way takes of a text is a value, and has the same kind and bits.
void expect_like_slow(Reader read, const std::string& text) {
  const std::string padded = text + std::string(64, '\0');
  const char* at = padded.data();
  Number number;
  if (!read(at, number)) {
    EXPECT_TRUE(read != read_short || at == padded.data()) << text;
    return;
  }
  const std::string token(padded.data(), at);
  const auto slow = read_value(token);
  ASSERT_TRUE(slow) << text << ": " << token;
  EXPECT_EQ(number.value().type, slow->value().type) << token;
  EXPECT_EQ(number.value().bits, slow->value().bits) << token;
}

TEST(Numbers, FastWaysSayWhatTheSlowOneSays) {
  constexpr std::string_view kLetters = "-05.i,e";
  for (std::size_t length = 1; length <= 6; ++length) {
    std::string text(length, kLetters[0]);
    for (std::size_t digits[6] = {}; digits[length - 1] < kLetters.size();) {
      for (std::size_t i = 0; i < length; ++i) text[i] = kLetters[digits[i]];
      for (const std::string_view rest : {",", " ", "9", "9999999i,", "99.25,"}) {
        expect_like_slow(read_short, text + std::string(rest));
        expect_like_slow(read_number, text + std::string(rest));
      }
      for (std::size_t i = 0; i < length && ++digits[i] == kLetters.size() && i + 1 < length; ++i) digits[i] = 0;
    }
  }
}

TEST(Numbers, TheShortestWayTakesWhatMostAre) {
  const auto taken = [](const std::string& text) {
    const std::string padded = text + std::string(64, '\0');
    Number number;
    return read_short_number(padded.data(), number);
  };
  for (const char* text : {"0i", "58i", "-3i", "1234567i", "-1234567i", "0.5", "58.25", "-0.25", "1234.56", "5."}) {
    EXPECT_EQ(taken(std::string(text) + ","), std::string(text).size()) << text;
  }
  for (const char* text :
       {"58", "58u", "12345678i", "-12345678i", "1234.567", "-0.0", ".", "-.", ".5", "-.5", "i", "-i", "t"}) {
    EXPECT_EQ(taken(std::string(text) + ","), 0U) << text;
  }
}

}  // namespace
}  // namespace varve::protocol::influx
