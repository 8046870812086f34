// SPDX-License-Identifier: Apache-2.0
// RunReader: finds the blocks of one run, through the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/rocksdb/block_cache.h"
#include "engine/rocksdb/run.h"
#include "engine/rocksdb/scan.h"

namespace varve::engine::rocksdb {

// One thread. Quick when groups come in ascending order: it remembers the last block.
class RunReader {
 public:
  RunReader(const ScanSource& source, const Run& run) : source_(source), run_(run) {}
  // The opened block that would hold the group, or nullptr if the run has none.
  Result<const chunk::Block*> block(std::uint32_t group);
  [[nodiscard]] const Run& run() const { return run_; }
  // Keeps blocks alive that were given out, until the next call of release().
  void release() { older_.clear(); }

 private:
  const ScanSource& source_;
  const Run& run_;
  std::ptrdiff_t at_ = -1;
  BlockCache::BlockPtr block_;
  std::vector<BlockCache::BlockPtr> older_;
};

}  // namespace varve::engine::rocksdb
