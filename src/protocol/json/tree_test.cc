// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/tree.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/memory_ledger.h"
#include "base/parse_memory.h"

namespace varve::protocol::json {
namespace {

std::string list_of(std::size_t items) {
  std::string out = "[0";
  for (std::size_t i = 1; i < items; ++i) out += ",0";
  return out + "]";
}

constexpr ItemsMost kFewOfM{"m", 3, "a.key"};

TEST(JsonTree, ItemsOfAListAreCountedWhileItIsRead) {
  const ItemsMost most{"m", 3, "a.key"};
  const auto read = [&](const std::string& text) {
    Reader reader(text);
    const auto root = read_tree(reader, &most);
    return root ? "read" : root.error().message;
  };
  EXPECT_EQ(read(R"({"m":[1,2,3],"n":[1,2,3,4]})"), "read");
  EXPECT_EQ(read(R"({"n":{"m":[1,2,3,4]},"m":5})"), "read") << "another list of that name";
  EXPECT_EQ(read(R"([[1,2,3,4]])"), "read");
  EXPECT_EQ(read(R"({"m":[1,2,3,[4]]})"), "there are more than 3 m; a.key is 3");
  EXPECT_EQ(read(R"({"m":[1,2,3,{})"), "there are more than 3 m; a.key is 3") << "what is behind is not read";
}

TEST(JsonTree, MoreThanAMillionValuesAreRefused) {
  const std::string text = list_of(1'000'002);
  for (const ItemsMost* const most : {static_cast<const ItemsMost*>(nullptr), &kFewOfM}) {
    Reader reader(text);
    const auto root = read_tree(reader, most);
    ASSERT_FALSE(root);
    EXPECT_EQ(root.error().message, "JSON of more than a million values");
  }
}

TEST(JsonTree, IsChargedWhileItIsRead) {
  const auto ledger = std::make_shared<MemoryLedger>(std::size_t{4} << 20);
  const std::string small = list_of(1'000), large = list_of(100'000);  // of 200 kB
  const ParseMemory memory(ledger);
  Reader one(small);
  EXPECT_TRUE(read_tree(one));
  EXPECT_GT(ledger->held(), 100'000U);
  Reader two(large);
  const auto refused = read_strict(two);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
}

}  // namespace
}  // namespace varve::protocol::json
