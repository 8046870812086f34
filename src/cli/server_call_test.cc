// SPDX-License-Identifier: Apache-2.0
#include "cli/server_call.h"

#include <gtest/gtest.h>

namespace varve::cli {
namespace {

TEST(ServerCall, SecretsOfAnAddressAreNotShown) {
  EXPECT_EQ(shown_address("http://h:1/p"), "http://h:1/p");
  EXPECT_EQ(shown_address("https://user:secret@h:1/p"), "https://h:1/p");
  EXPECT_EQ(shown_address("user:se@cret@h"), "h");
  EXPECT_EQ(shown_address("h:1/a@b"), "h:1/a@b");
  EXPECT_EQ(shown_address("http://u:p@h/a@b"), "http://h/a@b");
}

TEST(ServerCall, AnAddressThatIsNone) {
  EXPECT_FALSE(server_call("ftp://h", "", "t"));
  EXPECT_TRUE(server_call("http://h", "", "t"));
}

}  // namespace
}  // namespace varve::cli
