// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/cache.h"

#include <gtest/gtest.h>

namespace varve::engine::shared {
namespace {

using Texts = Cache<std::string>;

Texts::Value text() { return std::make_shared<const std::string>("any"); }

TEST(Cache, what_was_used_longest_ago_goes_first) {
  Texts cache(4000);
  for (const char* key : {"a", "b", "c"}) cache.put(key, text(), 900);
  EXPECT_NE(cache.find("a"), nullptr);
  cache.put("d", text(), 900);
  cache.put("e", text(), 900);
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_NE(cache.find("a"), nullptr);
  EXPECT_LE(cache.bytes(), 4000U);
  cache.put("f", text(), 2000);
  EXPECT_EQ(cache.find("f"), nullptr) << "over a quarter of all";
}

TEST(Cache, a_value_that_grows_makes_others_go) {
  Texts cache(4000);
  for (const char* key : {"a", "b", "c"}) cache.put(key, text(), 100);
  const std::size_t before = cache.bytes();
  const auto a = cache.find("a");
  const auto b = cache.find("b");
  cache.resize("a", a.get(), 3100);
  EXPECT_EQ(cache.bytes(), before + 3000);
  cache.resize("b", b.get(), 900);
  EXPECT_EQ(cache.find("c"), nullptr);
  EXPECT_EQ(cache.find("a"), nullptr);
  EXPECT_NE(cache.find("b"), nullptr);
  EXPECT_LE(cache.bytes(), 4000U);
  // Of another value under the same key, or none, it says nothing.
  const std::size_t of_b = cache.bytes();
  cache.resize("b", a.get(), 50);
  cache.resize("x", a.get(), 50);
  EXPECT_EQ(cache.bytes(), of_b);
  cache.resize("b", b.get(), 5000);
  EXPECT_EQ(cache.bytes(), 0U);
}

TEST(Cache, what_was_not_used_for_two_intervals_goes) {
  Texts cache(4000);
  for (const char* key : {"a", "b"}) cache.put(key, text(), 900);
  cache.drop_unused();
  cache.put("c", text(), 900);
  cache.drop_unused();
  EXPECT_NE(cache.find("a"), nullptr);
  cache.drop_unused();
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_NE(cache.find("a"), nullptr);
  EXPECT_NE(cache.find("c"), nullptr);
  const std::size_t of_two = cache.bytes();
  cache.put("b", text(), 900);
  EXPECT_GT(cache.bytes(), of_two);
  for (int i = 0; i < 3; ++i) cache.drop_unused();
  for (const char* key : {"a", "b", "c"}) EXPECT_EQ(cache.find(key), nullptr);
  EXPECT_EQ(cache.bytes(), 0U);
  cache.drop_unused();
}

}  // namespace
}  // namespace varve::engine::shared
