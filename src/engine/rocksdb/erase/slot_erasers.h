// SPDX-License-Identifier: Apache-2.0
// Slot erasers: rewrite a raw slot without the erased samples, or a level slot without the erased windows. Windows that
// the erased range covers in part: edge_windows.h.
#pragma once

#include <set>
#include <unordered_map>

#include "engine/rocksdb/erase/edge_windows.h"
#include "engine/rocksdb/erase/erasure.h"
#include "engine/rocksdb/erase/run_editor.h"
#include "engine/shared/cell_eraser.h"
#include "engine/shared/gather.h"
#include "storage/sample_store.h"

namespace varve::engine::rocksdb {

// For one thread. Changes are visible only after the commit.
class RawEraser {
 public:
  // `number`: of the runs that it writes: above those that are rewritten, below all that are written later.
  RawEraser(const EraseContext& context, std::uint64_t number) : context_(context), number_(number) {}

  // Adds the rewritten slot to the commit; nothing if it holds no erased samples.
  Status slot(const SlotKey& slot, Database::Commit& commit, storage::EraseReport& report);

  // Starts of stretches of the width of a chunk from which something may have been erased.
  [[nodiscard]] const std::set<model::Timestamp>& touched() const { return touched_; }
  // Points that each series lost: erased now, or overwritten before.
  [[nodiscard]] const std::unordered_map<std::uint32_t, std::uint64_t>& lost() const { return lost_; }

 private:
  Status rewrite(const SlotKey& slot, const Runs::OfSlot& before, Database::Commit& commit,
                 storage::EraseReport& report);
  // What is left of the group that was gathered; nullopt: nothing.
  std::optional<chunk::Fragment> left_of(std::uint32_t group, storage::EraseReport& report);

  void note_lost(std::uint32_t group, std::span<const model::Timestamp> times, std::span<const chunk::Column> columns);

  const EraseContext& context_;
  const std::uint64_t number_;
  RunEditor editor_{context_};
  std::set<model::Timestamp> touched_;
  std::unordered_map<std::uint32_t, std::uint64_t> lost_;
  shared::Gather gather_;
  shared::CellEraser cells_;
};

// For one thread. Changes are visible only after the commit.
class LevelEraser {
 public:
  LevelEraser(const EraseContext& context, const EdgeWindows& edges, std::uint64_t number);

  // Adds the rewritten level slot to the commit; nothing if it holds no window to be deleted.
  Status slot(const SlotKey& slot, Database::Commit& commit);

 private:
  std::optional<chunk::Fragment> left_of(std::int64_t width_ms, std::uint32_t group);
  [[nodiscard]] bool goes(std::int64_t width_ms, model::Timestamp start, std::uint32_t group) const;
  [[nodiscard]] model::TimeRange looked_at(std::int64_t width_ms) const;  // starts of windows that may be deleted

  const EraseContext& context_;
  const EdgeWindows& edges_;
  const std::uint64_t number_;
  RunEditor editor_{context_};
  std::vector<std::uint32_t> groups_;  // of the erased series, numbers and texts; ascending
  shared::Gather gather_;
  shared::CellEraser cells_;
};

}  // namespace varve::engine::rocksdb
