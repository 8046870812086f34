// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <gtest/gtest.h>

namespace varve {
namespace {

// Section 10 of the RFC.
TEST(Base64, VectorsOfTheRfc) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(to_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, AllDigits) {
  EXPECT_EQ(to_base64(std::string_view("\0\x10\x83\xff\xef\xbe", 6)), "ABCD/+++");
  EXPECT_EQ(to_base64("\xff\xff\xff\xff"), "/////w==");
}

}  // namespace
}  // namespace varve
