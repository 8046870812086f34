// SPDX-License-Identifier: Apache-2.0
// Life scan: sums up what stands beside units and sealed rows about their series, coarsest first, and counts what is
// not sealed. No chunk is read but those of pending slots.
#pragma once

#include <span>
#include <vector>

#include "engine/cassandra/scan/batch_scan.h"

namespace varve::engine::cassandra {

struct LifeContext {
  RowStore& rows;
  const SlotReader& reader;
  const std::vector<ChunkTable>& levels;
  std::span<const std::int64_t> granularities;
  const Pending& pending;
  const TimeRanges& active;
  std::int64_t now_ms = 0;
};

// One thread.
class LifeScan {
 public:
  // Adds what it finds of the members' series to `lives`.
  LifeScan(const LifeContext& context, std::span<const Member> members, std::vector<storage::SeriesLife>& lives)
      : context_(context), members_(members), lives_(lives) {}
  Status run();

 private:
  using Subset = std::vector<std::size_t>;
  // Of whole rows of the finest `levels` granularities.
  Status read(model::TimeRange range, std::size_t levels, const Subset& members);
  Status read_units(model::TimeRange range, std::size_t level, const Subset& members);
  Status read_slots(model::TimeRange range, const Subset& members);
  Status read_hot(model::Timestamp slot, const Subset& members);
  Status add(const Member& member, const ChunkRow& row);

  const LifeContext& context_;
  const std::span<const Member> members_;
  std::vector<storage::SeriesLife>& lives_;
};

}  // namespace varve::engine::cassandra
