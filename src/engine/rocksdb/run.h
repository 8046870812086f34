// SPDX-License-Identifier: Apache-2.0
// Run: what one spill or one merge wrote for one tenant and slot: blocks in ascending order of their groups.
// docs/formats/run.md: version:varint blocks:varint (first group − the one before:varint)* bytes:varint samples:varint
// chunks:varint
//                      first time:zigzag varint, last time − first time:varint
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/rocksdb/keys.h"
#include "model/ids.h"
#include "model/time.h"

namespace varve::engine::rocksdb {

struct Run {
  RunKey key;
  std::vector<std::uint32_t> first_groups;  // of each block, ascending
  std::uint64_t samples = 0;
  std::uint64_t chunks = 0;         // series in it
  std::uint64_t bytes = 0;          // of its blocks
  model::Timestamp first_time = 0;  // both inclusive
  model::Timestamp last_time = 0;

  // Position of the block in which the group would be, or -1 if it lies before the first.
  [[nodiscard]] std::ptrdiff_t block_of(std::uint32_t group) const;
};

std::string encode_run(const Run& run);
Result<Run> decode_run(std::string_view key, std::string_view value);

// All runs of a store. A value: changed by making a new one, so that queries keep theirs.
struct Runs {
  using Slot = std::pair<model::TenantId, model::Timestamp>;
  struct OfSlot {
    std::vector<std::shared_ptr<const Run>> runs;  // in ascending order of number
    std::int64_t grown_steady_ns = 0;              // when the last one came
  };
  std::map<Slot, OfSlot> slots;

  void add(std::shared_ptr<const Run> run, std::int64_t now_steady_ns);
  void remove(const RunKey& key);
};

}  // namespace varve::engine::rocksdb
