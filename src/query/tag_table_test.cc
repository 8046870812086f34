// SPDX-License-Identifier: Apache-2.0
// Numbers of tags are in the order of their texts.
#include "query/tag_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "storage/testing/memory_store.h"

namespace varve::query {
namespace {

// Values that begin alike or are the beginning of others, and bytes beyond ASCII.
TEST(TagTable, OrderIsThatOfTheTexts) {
  storage::testing::MemoryStore store;
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    std::map<std::string, std::string> tags;
    for (const char* key : {"a", "host", "hostname", "z"}) {
      if (random() % 4 == 0) continue;
      std::string value = key[0] == 'h' ? "host_" : "";
      for (std::uint64_t n = random() % 14; n > 0; --n) value += "01a\xc3\xa4"[random() % 5];
      if (!value.empty()) tags[key] = value;
    }
    model::TagViews views;
    for (const auto& [key, value] : tags) views.push_back({key, value});
    if (!tags.empty()) store.put("t", "m", views, i, model::Value::of_long(1));
  }
  const auto tenant = *store.find_tenant("t");
  const auto series = *store.select(*tenant, "m", {});
  Budget budget(1 << 20);
  const auto table = TagTable::read(store, *tenant, series, {}, budget);
  ASSERT_TRUE(table);
  const auto tags = store.tags(*tenant, series);
  std::map<std::string, std::vector<std::string>> all;
  for (std::size_t a = 0; a < series.size(); ++a) {
    for (const auto& [key, value] : tags[a]) {
      EXPECT_EQ(table->value(a, key), value);
      all[key].push_back(value);
    }
    EXPECT_EQ(table->value(a, "none"), "");
    for (std::size_t b = 0; b < series.size(); b += 7) EXPECT_EQ(table->before(a, b), tags[a] < tags[b]);
  }
  TagUnion wanted;
  for (auto& [key, values] : all) {
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    wanted.add_key(key);
    for (const std::string& value : values) wanted.add_value(value);
  }
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i < series.size(); ++i) positions.push_back(i);
  EXPECT_EQ(table->merged(positions), wanted);
}

}  // namespace
}  // namespace varve::query
