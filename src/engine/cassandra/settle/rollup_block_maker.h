// SPDX-License-Identifier: Apache-2.0
// RollupBlockMaker: writes rollup blocks: those of the finest granularity from sealed rows, those of the others from
// the rollup blocks of the next finer one, and both from hot rows that arrived when these were gone. Nothing else
// writes rollup blocks. Each is made from all of its inputs, which are read after its version was drawn
// (tables/write_versions.h). So if two make one at once, the result of the one that read later stays, and it is
// complete. Making a rollup block again writes the same row.
//
// A sample of a series that is in several groups is counted once: where two groups have a sample at one time, the one
// that was written later counts, as in queries of samples. (Of groups with different times to live it is that of the
// one whose samples live longer: its windows must not lack what the other's take with them.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/scan/slot_reader.h"
#include "engine/cassandra/settle/rollup_block_work.h"
#include "engine/cassandra/tables/write_versions.h"
#include "rollup/levels.h"

namespace varve::engine::cassandra {

class RollupBlockBuilder;

struct MadeRollupBlock {
  Status status;  // of its data (is_of_data): this one cannot be made, the others are
  std::uint64_t windows = 0;
};

// Thread-safe.
class RollupBlockMaker {
 public:
  // `levels`: tables of the granularities, finest first.
  RollupBlockMaker(RowStore& rows, const Tables& tables, const SlotReader& reader, std::vector<ChunkTable> levels,
                   const SchemaOptions& schema, WriteVersions& versions, const Clock& clock);

  // Rollup blocks of one granularity, in their order. Errors: those of the store and of WriteVersions::draw().
  Result<std::vector<MadeRollupBlock>> make(std::size_t level, std::span<const RollupBlockWork> works) const;

  [[nodiscard]] std::int64_t width_ms(std::size_t level) const { return schema_.rollups[level].width_ms; }
  [[nodiscard]] const std::vector<ChunkTable>& levels() const { return levels_; }

 private:
  struct Batch;
  Result<std::vector<MadeRollupBlock>> make_together(std::size_t level, std::span<const RollupBlockWork> works) const;
  Result<std::int64_t> read(std::size_t level, Batch& batch) const;  // the greatest version that stands
  Status read_rows(std::size_t level, Batch& batch) const;
  Status read_slots(Batch& batch) const;
  Status read_names(Batch& batch) const;
  Status read_late(Batch& batch) const;

  RowStore& rows_;
  const Tables& tables_;
  const SlotReader& reader_;
  const std::vector<ChunkTable> levels_;
  const std::vector<std::int64_t> nearest_ends_ms_;  // RollupBlockLevel::nearest_ends_ms
  const SchemaOptions& schema_;
  WriteVersions& versions_;
  const Clock& clock_;
};

}  // namespace varve::engine::cassandra
