// SPDX-License-Identifier: Apache-2.0
// Stats scan: adds up the series stats of rollup blocks and sealed rows, coarsest first, and counts the samples that
// are not sealed. It reads no chunks but those of pending slots. Each level is read once, for all members.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "engine/cassandra/scan/batch_scan.h"

namespace varve::engine::cassandra {

struct StatsScanContext {
  RowStore& rows;
  const SlotReader& reader;
  const std::vector<ChunkTable>& levels;
  std::span<const std::int64_t> granularities;
  const Pending& pending;
  const TimeRanges& active;
  std::int64_t now_ms = 0;
};

// One thread.
class StatsScan {
 public:
  // Adds what it finds of the members' series to `stats`.
  StatsScan(const StatsScanContext& context, std::span<const Member> members, std::vector<storage::SeriesStats>& stats)
      : context_(context), members_(members), stats_(stats) {}
  Status run();

 private:
  using Subset = std::vector<std::size_t>;
  // Of each member the stretches, in whole rows, of which nothing coarser said anything.
  using Left = std::vector<TimeRanges>;

  [[nodiscard]] TimeRanges active_rows(std::int64_t row_ms) const;
  // What the level's rollup blocks are there for is added; the rest is returned.
  Result<Left> read_rollup_blocks(std::size_t level, const Left& wanted);
  Status read_slots(const Left& wanted);
  using SealedWanted = std::vector<std::pair<std::size_t, model::TimeRange>>;  // member, whole slots
  Status read_sealed(const SealedWanted& wanted);
  Status read_hot(model::Timestamp slot, const Subset& members);
  // Adds series stats of a column shard to those of the member's series.
  void add(const Member& member, std::span<const storage::SeriesStats> of_shard);

  const StatsScanContext& context_;
  const std::span<const Member> members_;
  std::vector<storage::SeriesStats>& stats_;
};

}  // namespace varve::engine::cassandra
