// SPDX-License-Identifier: Apache-2.0
// WindowReader: reads the windows of series from one level slot.
#pragma once

#include <array>
#include <vector>

#include "engine/rocksdb/runs/run_reader.h"
#include "engine/shared/gather.h"
#include "engine/shared/window_chunk.h"
#include "rollup/columns.h"
#include "rollup/counter_columns.h"
#include "rollup/window.h"
#include "storage/sample_store.h"

namespace varve::engine::rocksdb {

// For one thread. Texts in the results are valid as long as the reader, everything else until the next call.
class WindowReader {
 public:
  WindowReader(const ScanSource& source, const Runs::OfSlot& slot) {
    for (const auto& run : slot.runs) readers_.emplace_back(source, *run);
  }
  // Reads the windows of the group (rollup/columns.h) into `out` (cleared first). Leaves out empty windows, which only
  // override older ones. Error: corrupt.
  Status read(std::uint32_t group, rollup::Windows& out);
  // Reads the columns of a group of numbers into `out`, but does not set its series. Decodes counts and the requested
  // fields only. Includes empty windows (count 0). Extremes are NaN if the chunk has none. Error: corrupt.
  Status read(std::uint32_t group, const storage::WindowFields& fields, storage::WindowColumns& out);
  // Reads the histogram fields of text windows into `out` (cleared first), including empty windows. `merged`: also the
  // merged histograms, if any window has one. Error: corrupt.
  Status read(std::uint32_t group, bool merged, std::vector<shared::WindowHistograms>& out);

  // Reads how a counter grew from windows of numbers, including empty windows. `summaries`: also these. `out` is valid
  // until the next call. Error: corrupt.
  Status read(std::uint32_t group, bool summaries, shared::WindowCounters& out);

 private:
  using Wanted = std::array<bool, rollup::kColumnsMax>;
  // Loads the group's starts and the requested columns. False: the slot does not have the group.
  Result<bool> load(std::uint32_t group, const Wanted& wanted);
  Status load_starts(const chunk::Block& block, std::size_t at);

  std::vector<RunReader> readers_;
  shared::Gather gather_;
  std::vector<model::Timestamp> starts_;
  std::shared_ptr<const chunk::Block> starts_block_;  // the block that starts_ are from, if any; times_number() below
  std::size_t starts_number_ = 0;
  std::vector<chunk::DecodedColumn> columns_;
  std::vector<std::uint64_t> unknown_;  // NaN, as many as were needed
  shared::CounterRoom counters_;
  rollup::PartPool texts_;
};

}  // namespace varve::engine::rocksdb
