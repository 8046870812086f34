// SPDX-License-Identifier: Apache-2.0
// Keys in RocksDB; docs/formats/keys.md. Numbers are big endian and signed ones have their sign bit flipped, so that
// the order of the bytes is the order of the numbers.
//
//   block       'b' tenant:u32 slot:i64 run:u64 first group:u32   → docs/formats/block.md
//   run         'r' tenant:u32 slot:i64 run:u64                   → docs/formats/run.md: written after all its blocks
//   definitions 'd' sequence:u64                                  → zstd of definition records, in order of writing
//   checkpoint  'c'                                               → next run:u64, first live log segment:u64,
//   sequence:u64
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/ids.h"
#include "model/time.h"

namespace varve::engine::rocksdb {

// Chunks of one tenant in one slot that were written together. Numbers grow; of two runs the later one wins.
struct RunKey {
  model::TenantId tenant{};
  model::Timestamp slot = 0;
  std::uint64_t run = 0;
  auto operator<=>(const RunKey&) const = default;
};

std::string block_key(const RunKey& run, model::GroupId first_group);
std::string run_key(const RunKey& run);
std::string definitions_key(std::uint64_t sequence);
inline constexpr std::string_view kCheckpointKey = "c";

// False if it is not a run's key.
bool parse_run_key(std::string_view key, RunKey& run);

}  // namespace varve::engine::rocksdb
