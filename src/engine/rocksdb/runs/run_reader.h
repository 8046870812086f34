// SPDX-License-Identifier: Apache-2.0
// RunReader: reads the blocks of one run through the cache.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/rocksdb/runs/block_cache.h"
#include "engine/rocksdb/runs/run.h"
#include "engine/rocksdb/runs/view.h"
#include "engine/shared/gather.h"
#include "engine/shared/series_merge.h"

namespace varve::engine::rocksdb {

// Reads block `number` of a run through the cache. Errors: corrupt, io.
Result<BlockCache::Value> cached_block(const ScanSource& source, const Run& run, std::size_t number);

// For one thread. Fast if groups are asked for in ascending order: it keeps the last block.
class RunReader {
 public:
  RunReader(const ScanSource& source, const Run& run) : source_(source), run_(run) {}
  RunReader(RunReader&&) = default;
  ~RunReader() { leave_block(); }
  // The block that may hold the group, or nullptr if the run has no such block.
  Result<const chunk::Block*> block(std::uint32_t group);
  [[nodiscard]] const Run& run() const { return run_; }
  // Releases the blocks that block() returned earlier; until then they stay readable.
  void release() { older_.clear(); }

 private:
  void leave_block();

  const ScanSource& source_;
  const Run& run_;
  std::ptrdiff_t at_ = -1;
  BlockCache::Value block_;
  std::size_t bytes_ = 0;  // of the block when it came
  std::vector<BlockCache::Value> older_;
};

// The chunks of one group in several runs.
struct FoundChunks {
  std::size_t count = 0;
  const chunk::Block* block = nullptr;  // of the first one; if count is 1, it is all there is to read
  std::size_t at = 0;
};

// Looks for the group in each run, in order. Several chunks are added to `gather`, which the caller has cleared; a
// single one is not, because it can be read directly.
Result<FoundChunks> find_chunks(std::span<RunReader> readers, std::uint32_t group, shared::Gather& gather);

// Does one of the runs hold samples in the range (or windows that start in it) of one of these groups? Fastest if
// groups ascend. Reads only blocks that may hold them.
Result<bool> any_holds(const ScanSource& source, std::span<const std::shared_ptr<const Run>> runs,
                       std::span<const std::uint32_t> groups, model::TimeRange range);

// Adds one column of the group from every run that has it, with the run's number as rank.
Status add_column(std::span<RunReader> readers, std::uint32_t group, std::uint16_t column, shared::SeriesMerge& merge);

}  // namespace varve::engine::rocksdb
