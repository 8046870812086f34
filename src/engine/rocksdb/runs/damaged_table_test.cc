// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/damaged_table.h"

#include <gtest/gtest.h>

#include "engine/rocksdb/runs/keys.h"

namespace varve::engine::rocksdb {
namespace {

TEST(DamagedTable, says_what_keys_are_of) {
  const RunKey run{{model::TenantId{3}, 300'000, 1'700'000'000'000}, 77};
  EXPECT_EQ(describe_key(block_key(block_prefix(run), model::GroupId{1})),
            "blocks of run 77 of tenant 3, granularity 300000, from 1700000000000");
  EXPECT_EQ(describe_key(run_key(run)), "the list of runs");
  EXPECT_EQ(describe_key(copy_key(definitions_key(0, 1))), "copies: definitions of series");
  EXPECT_EQ(describe_key(copy_key(copy_key("c"))), "copies: copies: the checkpoint");
  for (const std::string_view key : {"", "B", "Bf", "b", "x", "A", "\xff"}) EXPECT_NE(describe_key(key), "") << key;
}

}  // namespace
}  // namespace varve::engine::rocksdb
