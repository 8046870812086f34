// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/run_reader.h"

#include <gtest/gtest.h>

#include "engine/rocksdb/testing/directory.h"
#include "engine/shared/testing/rows.h"

namespace varve::engine::rocksdb {
namespace {

// So many rows that their symbols are decompressed only when they are wanted.
std::shared_ptr<const chunk::Block> block_of_walks(std::uint32_t group) {
  std::vector<model::Timestamp> times;
  std::vector<std::int64_t> walk;
  for (std::int64_t i = 0; i < 9000; ++i) {
    times.push_back(i * 1000);
    walk.push_back((walk.empty() ? 0 : walk.back()) + i * i * 7919 % 11 - 5);
  }
  return shared::testing::block_of(times, {{chunk::Column::Form::longs, 0, walk, {}, {}, {}}}, group);
}

// Otherwise a cache would hold more than it may.
TEST(RunReader, tells_the_cache_what_blocks_have_grown_by) {
  const testing::TemporaryDirectory directory;
  const auto database = *Database::open(directory.path() + "/db", {});
  const ManualClock clock;
  BlockCache cache(1 << 20);
  const View view;
  const ScanSource source{view, *database, cache, clock, model::TenantId{1}, 1000, 1000};
  rocksdb::Run run;
  run.first_groups = {1, 5};
  for (const std::uint32_t group : run.first_groups) {
    const auto block = block_of_walks(group);
    cache.put(run.block_key(group), block, block->memory_bytes());
  }
  const std::size_t at_first = cache.bytes();
  chunk::DecodedColumn column;
  std::size_t grown = 0;
  {
    RunReader reader(source, run);
    const auto decode = [&](std::uint32_t group) {
      const chunk::Block* const block = *reader.block(group);
      const std::size_t before = block->memory_bytes();
      ASSERT_TRUE(block->column(0, 0, column));
      grown = block->memory_bytes() - before;
      ASSERT_GT(grown, 1000U);
    };
    decode(1);
    EXPECT_EQ(cache.bytes(), at_first);
    decode(5);
    EXPECT_EQ(cache.bytes(), at_first + grown);
  }
  EXPECT_EQ(cache.bytes(), at_first + 2 * grown);
}

}  // namespace
}  // namespace varve::engine::rocksdb
