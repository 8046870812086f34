// SPDX-License-Identifier: Apache-2.0
// WindowReader: reads the windows of series out of one level slot.
#pragma once

#include <array>
#include <vector>

#include "engine/rocksdb/runs/run_reader.h"
#include "engine/shared/gather.h"
#include "engine/shared/window_chunk.h"
#include "rollup/columns.h"
#include "rollup/window.h"
#include "storage/sample_store.h"

namespace varve::engine::rocksdb {

// One thread. Bytes of what is read live as long as the reader, all else of it until the next call.
class WindowReader {
 public:
  WindowReader(const ScanSource& source, const Runs::OfSlot& slot) {
    for (const auto& run : slot.runs) readers_.emplace_back(source, *run);
  }
  // The windows of the group (rollup/columns.h), into `out` (cleared first). Empty ones have done their work, which is
  // to stand before older ones: they are left out. Error: corrupt.
  Status read(std::uint32_t group, rollup::Windows& out);
  // The columns of a group of numbers, into `out`, but for its series: counts and what is wanted, nothing else is
  // decoded. Empty windows (count 0) are among them. Extremes that no window has are NaN. Error: corrupt.
  Status read(std::uint32_t group, const storage::WindowFields& fields, storage::WindowColumns& out);
  // What windows of texts say of histograms, into `out` (cleared first), empty windows among them; `merged`: with the
  // merged histograms, too, if any window has one. Error: corrupt.
  Status read(std::uint32_t group, bool merged, std::vector<shared::WindowHistograms>& out);

 private:
  using Wanted = std::array<bool, rollup::kColumnsMax>;
  // The group's starts and the wanted ones of its columns. False: the slot does not have it.
  Result<bool> load(std::uint32_t group, const Wanted& wanted);
  Status load_starts(const chunk::Block& block, std::size_t at);

  std::vector<RunReader> readers_;
  shared::Gather gather_;
  std::vector<model::Timestamp> starts_;
  std::shared_ptr<const chunk::Block> starts_block_;  // starts_ are those of this block, with this number; or of none
  std::size_t starts_number_ = 0;
  std::vector<chunk::DecodedColumn> columns_;
  std::vector<std::uint64_t> unknown_;  // NaN, as many as were needed
  rollup::TextPool texts_;
};

}  // namespace varve::engine::rocksdb
