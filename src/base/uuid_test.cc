// SPDX-License-Identifier: Apache-2.0
#include "base/uuid.h"

#include <gtest/gtest.h>

namespace varve {
namespace {

TEST(Uuid, TextAndBack) {
  const auto uuid = read_uuid("0F8fad5b-d9cb-469f-A165-70867728950e");
  ASSERT_TRUE(uuid);
  EXPECT_EQ(uuid_text({uuid->data(), uuid->size()}), "0f8fad5b-d9cb-469f-a165-70867728950e");
  for (const auto* bad : {"", "0f8fad5bd9cb469fa16570867728950e", "0f8fad5b-d9cb-469f-a165-70867728950",
                          "0f8fad5b-d9cb-469f-a165-70867728950g", "0f8fad5b-d9cb-469f-a165-70867728950e0",
                          "0f8fad5b-d9cb-469f-a1-5-70867728950e", "0f8fad5b-d9cb-469f+a165-70867728950e"}) {
    EXPECT_FALSE(read_uuid(bad)) << bad;
  }
}

TEST(Uuid, RandomOnesAreOfVersion4) {
  for (int i = 0; i < 100; ++i) {
    const std::string text = random_uuid();
    ASSERT_TRUE(read_uuid(text)) << text;
    EXPECT_EQ(text[14], '4') << text;
    EXPECT_TRUE(std::string_view("89ab").contains(text[19])) << text;
    EXPECT_NE(text, random_uuid());
  }
}

}  // namespace
}  // namespace varve
