// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/slot_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace varve::engine::rocksdb {
namespace {

using Model = std::map<SlotKey, int>;

SlotKey key(std::uint64_t n) {
  return {model::TenantId{static_cast<std::uint32_t>(n % 3)}, static_cast<std::int64_t>(n / 3 % 2) * 300,
          static_cast<model::Timestamp>(n / 6) - 50};
}

void expect_equal(const SlotMap<int>& map, const Model& model) {
  ASSERT_EQ(map.size(), model.size());
  ASSERT_EQ(map.empty(), model.empty());
  auto at = map.begin();
  for (const auto& [k, v] : model) {
    ASSERT_EQ(at->first, k);
    ASSERT_EQ((at++)->second, v);
  }
  ASSERT_EQ(at, map.end());
  for (auto back = model.rbegin(); back != model.rend(); ++back) ASSERT_EQ((--at)->first, back->first);
  ASSERT_EQ(at, map.begin());
  for (std::uint64_t n = 0; n < 700; ++n) {
    const auto expected = model.lower_bound(key(n));
    const auto found = map.lower_bound(key(n));
    ASSERT_EQ(found == map.end(), expected == model.end());
    if (expected != model.end()) {
      ASSERT_EQ(found->first, expected->first);
    }
    ASSERT_EQ(map.contains(key(n)), model.contains(key(n)));
  }
}

TEST(SlotMap, CopiesStayAsTheyWere) {
  std::mt19937_64 random(5);
  SlotMap<int> map;
  Model model;
  std::vector<std::pair<SlotMap<int>, Model>> kept;
  for (int step = 0; step < 6000; ++step) {
    const SlotKey k = key(random() % 700);
    const bool grows = step / 1500 % 2 == 0;
    if (random() % 4 < (grows ? 3U : 1U)) {
      map.edit(k) = step;
      model[k] = step;
    } else {
      map.erase(k);
      model.erase(k);
    }
    if (step % 500 == 0) kept.emplace_back(map, model);
  }
  for (const auto& [copy, then] : kept) expect_equal(copy, then);
  expect_equal(map, model);
  while (!model.empty()) {
    map.erase(model.begin()->first);
    model.erase(model.begin());
  }
  expect_equal(map, model);
}

TEST(SlotMap, GrowsAtTheEndAndAtTheFront) {
  for (const bool forward : {true, false}) {
    SlotMap<int> map;
    Model model;
    for (int i = 0; i < 1000; ++i) {
      const SlotKey k{model::TenantId{0}, 0, forward ? i : -i};
      map.edit(k) = i;
      model[k] = i;
    }
    expect_equal(map, model);
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
