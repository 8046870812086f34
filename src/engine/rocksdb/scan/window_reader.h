// SPDX-License-Identifier: Apache-2.0
// WindowReader: reads the windows of series out of one level slot.
#pragma once

#include <vector>

#include "engine/rocksdb/head/gather.h"
#include "engine/rocksdb/runs/run_reader.h"
#include "rollup/window.h"

namespace varve::engine::rocksdb {

// One thread. Texts of windows live as long as the reader.
class WindowReader {
 public:
  WindowReader(const ScanSource& source, const Runs::OfSlot& slot) {
    for (const auto& run : slot.runs) readers_.emplace_back(source, *run);
  }
  // The windows of the group (rollup/columns.h), into `out` (cleared first). Empty ones have done their work, which is
  // to stand before older ones: they are left out. Error: corrupt.
  Status read(std::uint32_t group, rollup::Windows& out);

 private:
  Status read_all(std::uint32_t group, rollup::Windows& out);

  std::vector<RunReader> readers_;
  Gather gather_;
  std::vector<model::Timestamp> times_;
  std::vector<chunk::DecodedColumn> columns_;
};

// What was gathered of one group, as windows, empty ones too, appended to `out`; texts live as long as the blocks.
// Error: corrupt.
Status to_windows(const Gather& gathered, rollup::Windows& out);

// Columns as decoded from a chunk, as windows, empty ones too, appended to `out`. Error: corrupt (not the shape of a
// rollup).
Status to_windows(std::span<const model::Timestamp> starts, std::span<const chunk::DecodedColumn> columns,
                  rollup::Windows& out);

}  // namespace varve::engine::rocksdb
