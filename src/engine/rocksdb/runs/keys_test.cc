// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/keys.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/rocksdb/runs/run.h"
#include "engine/rocksdb/runs/run_numbers.h"

namespace varve::engine::rocksdb {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(c));
    out += two;
  }
  return out;
}

TEST(Keys, golden) {
  const RunKey run{{model::TenantId{1}, 300'000, 3'600'000}, 9};
  EXPECT_EQ(hex(run_key(run)), "720000000180000000000493e0800000000036ee800000000000000009");
  EXPECT_EQ(hex(block_key(old_block_prefix(run), model::GroupId{5})),
            "620000000180000000000493e0800000000036ee80000000000000000900000005");
  EXPECT_EQ(hex(block_key(block_prefix(run), model::GroupId{5})),
            "427700000000000000090000000180000000000493e0800000000036ee8000000005");
  EXPECT_EQ(hex(block_prefix({{model::TenantId{1}, 0, 0}, 9})),
            "426d0000000000000009000000018000000000000000"
            "8000000000000000");
  EXPECT_EQ(hex(block_prefix({{model::TenantId{1}, -1, 0}, 3 * RunNumbers::kAhead})),
            "42660000000000300000000000017fffffffffffffff8000000000000000");
  const SlotKey stratum = stratum_slot(model::TenantId{1}, 86'400'000, 0);
  EXPECT_EQ(hex(block_prefix({stratum, 9})),
            "42730000000000000009"
            "00000001c0000000052"
            "65c008000000000000000");
  EXPECT_EQ(hex(block_prefix({stratum, RunNumbers::kAhead})).substr(0, 4), "4266") << "merges soon remove it";
  EXPECT_EQ(hex(mark_key(run.slot)), "730000000180000000000493e0800000000036ee80");
  EXPECT_EQ(hex(definitions_key(0, 258)), "640000000000000102");
  EXPECT_EQ(hex(definitions_key(3, 258)), "640003000000000102");
  EXPECT_EQ(hex(definitions_key(3, 258, 5)), "64000300000000010200000005");
  EXPECT_EQ(hex(definitions_prefix(3)), "640003");
  EXPECT_EQ(definitions_sequence(definitions_key(3, 258)), 258U);
  EXPECT_EQ(definitions_sequence(definitions_key(3, 258, 5)), 258U);
  EXPECT_EQ(definitions_sequence("d"), std::nullopt);
}

TEST(Keys, order_of_bytes_is_order_of_numbers) {
  std::vector<RunKey> runs;
  for (const unsigned tenant : {0U, 1U, 256U}) {
    for (const std::int64_t granularity : {0L, 300'000L, 86'400'000L}) {
      for (const model::Timestamp slot : {model::kTimestampMin, -3'600'000L, 0L, 3'600'000L, model::kTimestampMax}) {
        for (const std::uint64_t run : {1U, 255U, 256U})
          runs.push_back({{model::TenantId{tenant}, granularity, slot}, run});
      }
    }
  }
  std::vector<std::string> keys;
  for (const auto& run : runs) keys.push_back(run_key(run));
  EXPECT_TRUE(std::ranges::is_sorted(keys));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    RunKey back;
    ASSERT_TRUE(parse_run_key(keys[i], back));
    EXPECT_EQ(back, runs[i]);
    EXPECT_FALSE(parse_garbage_key(keys[i], back));
    ASSERT_TRUE(parse_garbage_key(garbage_key(runs[i]), back));
    EXPECT_EQ(back, runs[i]);
    SlotKey slot;
    ASSERT_TRUE(parse_mark_key(mark_key(runs[i].slot), slot));
    EXPECT_EQ(slot, runs[i].slot);
    for (const std::string& prefix : {block_prefix(runs[i]), old_block_prefix(runs[i])}) {
      ASSERT_TRUE(parse_block_key(block_key(prefix, model::GroupId{7}), back));
      EXPECT_EQ(back, runs[i]);
    }
  }
}

// What is written at a time lies together, and what a flush writes apart from what merges make of it.
TEST(Keys, blocks_are_in_the_order_in_which_they_are_written) {
  const auto at = [](std::int64_t granularity, model::Timestamp start, std::uint64_t run) {
    return block_prefix({{model::TenantId{9}, granularity, start}, run});
  };
  const std::uint64_t flush = RunNumbers::kAhead;
  const std::vector<std::string> ascending = {at(0, 50, flush),   at(0, 10, 2 * flush),     at(0, 90, 2 * flush),
                                              at(0, 50, 7),       at(0, 20, flush + 1),     at(0, 10, 2 * flush + 1),
                                              at(300'000, 10, 3), at(300'000, 5, flush + 1)};
  EXPECT_TRUE(std::ranges::is_sorted(ascending));
}

TEST(RunNumbers, only_flushes_have_multiples) {
  RunNumbers numbers;
  numbers.start(RunNumbers::kAhead - 1);
  EXPECT_EQ(numbers.draw(), RunNumbers::kAhead - 1);
  EXPECT_EQ(numbers.draw(), RunNumbers::kAhead + 1);
  constexpr std::uint64_t kFlush = 2 * RunNumbers::kAhead + RunNumbers::kWhileFlushing;
  EXPECT_EQ(numbers.begin_flush(), kFlush);
  EXPECT_TRUE(RunNumbers::is_of_flush(kFlush));
  EXPECT_EQ(numbers.draw(), RunNumbers::kAhead + 2);
  numbers.end_flush();
  EXPECT_EQ(numbers.draw(), kFlush + 1);
}

TEST(Keys, others_are_not_runs) {
  RunKey run;
  SlotKey slot;
  EXPECT_FALSE(parse_run_key("", run));
  EXPECT_FALSE(parse_run_key("c", run));
  EXPECT_FALSE(parse_run_key(block_key(block_prefix({}), model::GroupId{1}), run));
  EXPECT_FALSE(parse_block_key(run_key({}), run));
  EXPECT_FALSE(parse_block_key("B", run));
  EXPECT_FALSE(parse_mark_key(run_key({}), slot));
}

TEST(MarkFormat, open_groups_come_back) {
  const Mark mark{77, false, {300'000, 3'600'000}, {0, 3, 70'000}};
  const auto back = decode_mark(encode_mark(mark));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, mark);
  EXPECT_FALSE(decode_mark(std::string("\3\0\0\0", 4))) << "a newer version";
}

TEST(MarkFormat, comes_back) {
  const Mark mark{77, true, {300'000, 3'600'000}, {}};
  const auto whole = encode_mark(mark);
  const auto back = decode_mark(whole);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, mark);
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(decode_mark(whole.substr(0, size))) << size;
}

TEST(RunFormat, comes_back) {
  rocksdb::Run run;
  run.key = {{model::TenantId{3}, 0, -3'600'000}, 12};
  run.content = 11;
  run.first_groups = {0, 7, 300, 70'000};
  run.samples = 123'456;
  run.chunks = 77;
  run.bytes = 1'000'000;
  run.first_time = -3'599'999;
  run.last_time = -1;
  const auto back = decode_run(run_key(run.key), encode_run(run));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->key, run.key);
  EXPECT_EQ(back->content, run.content);
  EXPECT_EQ(back->first_groups, run.first_groups);
  EXPECT_EQ(back->samples, run.samples);
  EXPECT_EQ(back->chunks, run.chunks);
  EXPECT_EQ(back->bytes, run.bytes);
  EXPECT_EQ(back->first_time, run.first_time);
  EXPECT_EQ(back->last_time, run.last_time);
  EXPECT_EQ(back->block_of(6), 0);
  EXPECT_EQ(back->block_of(7), 1);
  EXPECT_EQ(back->block_of(1'000'000), 3);
}

TEST(RunFormat, sealed_messages_come_back) {
  rocksdb::Run run;
  run.first_groups = {0, 1, 2, 0xffff'ffff};
  run.sealed = {{2, 65'536, -5, 1'000}, {1, 1, 1'000, 1'000}};
  const auto back = decode_run(run_key(run.key), encode_run(run));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->first_groups, run.first_groups);
  EXPECT_EQ(back->sealed, run.sealed);
  EXPECT_EQ(encode_run(run)[0], 4);
  run.sealed.clear();
  EXPECT_EQ(encode_run(run)[0], 3);
}

TEST(RunFormat, old_runs_come_back_with_their_keys) {
  rocksdb::Run run;
  run.key = {{model::TenantId{1}, 0, 3'600'000}, 9};
  run.first_groups = {0, 7};
  for (const bool is_sealed : {false, true}) {
    if (is_sealed) run.sealed = {{2, 3, 0, 1}};
    std::string value = encode_run(run);
    value[0] = is_sealed ? 2 : 1;  // as it was written once
    const auto back = decode_run(run_key(run.key), value);
    ASSERT_TRUE(back);
    EXPECT_TRUE(back->has_old_keys);
    EXPECT_EQ(back->block_key(7), block_key(old_block_prefix(run.key), model::GroupId{7}));
    EXPECT_EQ(encode_run(*back), value) << "it keeps them when its record is written again";
  }
  run.has_old_keys = false;
  EXPECT_EQ(decode_run(run_key(run.key), encode_run(run))->block_key(7),
            block_key(block_prefix(run.key), model::GroupId{7}));
}

TEST(RunFormat, cut_short_is_an_error) {
  rocksdb::Run run;
  run.first_groups = {1, 2, 3};
  run.sealed = {{3, 7, -1, 1}};
  const auto whole = encode_run(run);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_run(run_key(run.key), whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_run("r", whole));
}

TEST(RunsMap, keep_their_order) {
  Runs runs;
  for (const std::uint64_t number : {3U, 1U, 2U}) {
    auto run = std::make_shared<rocksdb::Run>();
    run->key = {{model::TenantId{1}, 0, 0}, number};
    runs.add(run, 5);
  }
  const auto& of_slot = runs.slots.at({model::TenantId{1}, 0, 0}).runs;
  ASSERT_EQ(of_slot.size(), 3U);
  EXPECT_EQ(of_slot[0]->key.run, 1U);
  EXPECT_EQ(of_slot[2]->key.run, 3U);
  for (const std::uint64_t number : {1U, 2U, 3U}) runs.remove({{model::TenantId{1}, 0, 0}, number});
  EXPECT_TRUE(runs.slots.empty());
}

}  // namespace
}  // namespace varve::engine::rocksdb
