// SPDX-License-Identifier: Apache-2.0
// LevelEraser: takes the windows of erased samples out of the level slots.
#pragma once

#include "engine/rocksdb/erase/edge_windows.h"
#include "engine/rocksdb/erase/erase_context.h"
#include "engine/shared/cell_eraser.h"
#include "engine/shared/gather.h"

namespace varve::engine::rocksdb {

// One thread. Nothing is visible before the commit.
class LevelEraser {
 public:
  LevelEraser(const EraseContext& context, const EdgeWindows& edges, std::uint64_t number);

  // Adds what becomes of the level slot to the commit; nothing if it holds no window that goes.
  Status slot(const SlotKey& slot, Database::Commit& commit);

 private:
  [[nodiscard]] bool goes(std::int64_t width_ms, model::Timestamp start, std::uint32_t group) const;
  [[nodiscard]] model::TimeRange looked_at(std::int64_t width_ms) const;  // starts of windows that may go

  const EraseContext& context_;
  const EdgeWindows& edges_;
  const std::uint64_t number_;
  std::vector<std::uint32_t> groups_;  // of the erased series, numbers and texts; ascending
  shared::Gather gather_;
  shared::CellEraser cells_;
};

}  // namespace varve::engine::rocksdb
