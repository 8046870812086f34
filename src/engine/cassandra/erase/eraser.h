// SPDX-License-Identifier: Apache-2.0
// Eraser: deletes samples of series in a range, exact to the sample (storage/sample_store.h). The delete is written
// first, as a row that every reader and sealer lays over what was there before (scan/slot_data.h); then sealed rows are
// written again without the samples, and windows that lose some are pending until they are made again.
//
// Where retention has already dropped the samples, windows that are wholly in the range are deleted: the rollup block
// maker makes their rollup blocks again.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/hot/pending.h"
#include "engine/cassandra/scan/window_rows.h"
#include "engine/cassandra/settle/rollup_block_maker.h"
#include "engine/cassandra/settle/sealer.h"
#include "storage/sample_store.h"

namespace varve::engine::cassandra {

// Columns of a group whose samples go.
struct EraseWork {
  GroupRef group;
  std::vector<std::uint16_t> columns;  // ascending
};

// Thread-safe; one at a time of a group.
class Eraser {
 public:
  struct Parts {
    RowStore& rows;
    const Tables& tables;
    const SlotReader& reader;
    const Sealer& sealer;
    const RollupBlockMaker& maker;
    WriteVersions& versions;
    const Clock& clock;  // the one that all replicas share
  };
  // Windows of the granularity in the rollup block of the group may not be trusted any more, until they are made again.
  using TouchRollupBlock = std::function<Status(const EraseWork& work, std::size_t level, model::Timestamp start)>;
  struct RollupBlocks {
    TouchRollupBlock touch;
    std::function<Result<RollupBlockWork>(std::size_t level, model::Timestamp start)>
        work;  // what makes one of the group
  };

  explicit Eraser(const Parts& parts) : parts_(parts) {}

  // `hot`: slots in the range that are not sealed, ascending; `active`: where the group may have anything. Errors:
  // those of the store and of `blocks`, cancelled, corrupt: then some of the range may be erased.
  Status erase(const EraseWork& work, model::TimeRange range, const TimeRanges& active,
               std::span<const model::Timestamp> hot, const RollupBlocks& blocks, const std::atomic<bool>* cancelled,
               storage::EraseReport& report) const;

 private:
  // `seen`: as Erasure has it.
  Status write_erasure(const EraseWork& work, model::TimeRange range, std::vector<Arrival> seen) const;
  Status rewrite_slots(const EraseWork& work, model::TimeRange range, std::span<const model::Timestamp> hot,
                       const TouchRollupBlock& touch, storage::EraseReport& report) const;
  Result<std::vector<model::Timestamp>> rollup_blocks_with(const EraseWork& work, std::size_t level,
                                                           model::TimeRange range) const;
  Status rewrite_rollup_blocks(const EraseWork& work, model::TimeRange range, const RollupBlocks& blocks) const;

  const Parts parts_;
};

}  // namespace varve::engine::cassandra
