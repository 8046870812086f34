// SPDX-License-Identifier: Apache-2.0
#include "base/ascii.h"

#include <gtest/gtest.h>

namespace varve {
namespace {

TEST(CharSet, HasWhatItWasMadeOf) {
  constexpr CharSet kSet("-_\xff");
  for (int c = 0; c < 256; ++c) {
    const char character = static_cast<char>(c);
    EXPECT_EQ(kSet.contains(character), character == '-' || character == '_' || c == 0xff) << c;
  }
}

TEST(CharSet, LettersAndDigitsAreThoseOfAscii) {
  constexpr CharSet kSet("", true);
  std::string has;
  for (int c = 0; c < 256; ++c) {
    if (kSet.contains(static_cast<char>(c))) has += static_cast<char>(c);
  }
  EXPECT_EQ(has, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
}

TEST(Ascii, TrimsBlanksAndTabs) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(lower("ABz\xc4"), "abz\xc4");
}

}  // namespace
}  // namespace varve
