// SPDX-License-Identifier: Apache-2.0
// Slot erasers: write the samples of a raw slot, or the windows of a level slot, again without those that are erased.
// What becomes of windows that the erased range covers in part: edge_windows.h.
#pragma once

#include <set>
#include <unordered_map>

#include "engine/rocksdb/erase/edge_windows.h"
#include "engine/rocksdb/erase/erase_context.h"
#include "engine/shared/cell_eraser.h"
#include "engine/shared/gather.h"
#include "storage/sample_store.h"

namespace varve::engine::rocksdb {

// One thread. Nothing is visible before the commit.
class RawEraser {
 public:
  // The runs that it writes have this number: above all that are erased from, below all that come later.
  RawEraser(const EraseContext& context, std::uint64_t number) : context_(context), number_(number) {}

  // Adds what becomes of the slot to the commit; nothing if it holds nothing of what is erased.
  Status slot(const SlotKey& slot, Database::Commit& commit, storage::EraseReport& report);

  [[nodiscard]] const std::set<model::Timestamp>& touched() const { return touched_; }  // starts of slots
  // Points of series that are not in the runs any more: erased, or overwritten before.
  [[nodiscard]] const std::unordered_map<std::uint32_t, std::uint64_t>& lost() const { return lost_; }

 private:
  Status rewrite(const SlotKey& slot, const Runs::OfSlot& before, Database::Commit& commit,
                 storage::EraseReport& report);

  void note_lost(std::uint32_t group, std::span<const model::Timestamp> times, std::span<const chunk::Column> columns);

  const EraseContext& context_;
  const std::uint64_t number_;
  std::set<model::Timestamp> touched_;
  std::unordered_map<std::uint32_t, std::uint64_t> lost_;
  shared::Gather gather_;
  shared::CellEraser cells_;
};

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
