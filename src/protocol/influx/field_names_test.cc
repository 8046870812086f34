// SPDX-License-Identifier: Apache-2.0
#include "protocol/influx/field_names.h"

#include <gtest/gtest.h>

#include <string>

namespace varve::protocol::influx {
namespace {

const std::string kReadable(64, '\0');

TEST(FieldNames, SizesAreOfNamesWithTheirEnd) {
  FieldNames names;
  const std::string list = "a=bc=d" + std::string(40, 'e') + "=" + kReadable;
  const auto* const found = names.of(std::string_view(list).substr(0, list.size() - kReadable.size()), 3);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found[0].size, 2U);
  EXPECT_EQ(found[0].mask, 3U);
  EXPECT_EQ(found[1].size, 3U);
  EXPECT_EQ(found[2].size, 42U);
  EXPECT_EQ(found[2].mask, ~0U);
}

TEST(FieldNames, AnotherNumberOfNamesIsNone) {
  FieldNames names;
  const std::string list = "a=b=c=" + kReadable;
  const auto text = std::string_view(list).substr(0, 6);
  EXPECT_EQ(names.of(text, 2), nullptr);
  EXPECT_NE(names.of(text, 3), nullptr);
  EXPECT_EQ(names.of(text, 4), nullptr);
  EXPECT_EQ(names.of(text, 1)->size, 6U) << "a name that has such bytes itself";
}

// More lists than are known at a time, in turns.
TEST(FieldNames, ManyLists) {
  FieldNames names;
  std::vector<std::string> lists;
  for (std::size_t i = 0; i < 300; ++i)
    lists.push_back(std::string(i % 50, 'x') + "=" + std::to_string(i) + "=" + kReadable);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const auto* const found = names.of(std::string_view(lists[i]).substr(0, lists[i].size() - kReadable.size()), 2);
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(found[0].size, i % 50 + 1);
      EXPECT_EQ(found[1].size, std::to_string(i).size() + 1);
    }
  }
}

TEST(FieldNames, IsInBoth) {
  for (const std::size_t size : {1, 2, 31, 32, 33, 63, 64, 65, 100}) {
    FieldNames names;  // it knows lists by where they are, and the next one may be where this one was
    const std::string list = std::string(size - 1, 'n') + "=z=" + kReadable;
    const auto& name = *names.of(std::string_view(list).substr(0, size + 2), 2);
    EXPECT_TRUE(name.is_in_both((list.substr(0, size) + "5i" + kReadable).c_str(), list.c_str()));
    for (std::size_t other = 0; other < size; ++other) {
      std::string text = list.substr(0, size) + "5i" + kReadable;
      text[other] = '?';
      EXPECT_FALSE(name.is_in_both(text.c_str(), list.c_str())) << size << " " << other;
    }
  }
}

}  // namespace
}  // namespace varve::protocol::influx
