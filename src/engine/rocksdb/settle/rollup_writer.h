// SPDX-License-Identifier: Apache-2.0
// RollupWriter: collects the windows that a seal makes, and writes them as runs of their level slots.
//
// A series' windows from several raw slots go into one chunk. So the windows of a few groups are held until all slots
// have added theirs, and then written. A level slot gets one run as long as groups ascend from one write to the next.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engine/rocksdb/runs/run_cursor.h"
#include "engine/rocksdb/runs/run_numbers.h"
#include "engine/rocksdb/runs/run_writer.h"
#include "engine/shared/window_chunk.h"
#include "rollup/window.h"

namespace varve::engine::rocksdb {

// For one thread. Nothing is visible before the runs that finish() returns are committed.
class RollupWriter {
 public:
  RollupWriter(Database::Draft& draft, std::int64_t chunk_width_ms, RunNumbers& numbers)
      : draft_(draft), chunk_width_ms_(chunk_width_ms), numbers_(numbers) {}

  // Copies windows of one series and kind, all in one level slot. Windows of the same series from other raw slots must
  // be added before the next complete(); otherwise they go into another run.
  Status add(model::TenantId tenant, std::int64_t granularity_ms, std::uint32_t group, rollup::Kind kind,
             std::span<const rollup::Window> windows);

  // To be called when all raw slots have added their windows of the groups so far.
  Status complete() { return held_windows_ < kWindowsWritten && part_bytes() < kPartBytesWritten ? Status{} : flush(); }

  // What is added next goes into other runs. Fewer are open at once.
  Status close_runs();

  [[nodiscard]] std::size_t windows() const { return written_ + held_windows_; }
  Result<RunList> finish();
  // The highest number of its runs; 0 if there are none.
  [[nodiscard]] std::uint64_t last_run() const { return number_; }

 private:
  struct Entry {
    std::uint32_t group;
    rollup::Kind kind;
    model::Timestamp start;        // of its first window
    std::size_t first, count;      // of what is held of its kind
    std::size_t first_of_counter;  // of counters_
    bool of_counter;
  };
  // complete() writes when so many windows, or so many bytes of parts, are held.
  static constexpr std::size_t kWindowsWritten = 8192;
  static constexpr std::size_t kPartBytesWritten = std::size_t{1} << 20;

  void hold(rollup::Kind kind, std::span<const rollup::Window> windows, bool of_counter);
  [[nodiscard]] rollup::Columns& held(rollup::Kind kind) { return held_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t part_bytes() const {
    return parts_.bytes() + counters_.size() * sizeof(rollup::PackedCounter);
  }
  void sort(std::vector<Entry>& entries);
  Status flush();
  Status finish_open();
  RunWriter& open(const SlotKey& slot);
  Status write(std::span<const Entry> entries, RunWriter& writer);  // of one series

  Database::Draft& draft_;
  const std::int64_t chunk_width_ms_;
  RunNumbers& numbers_;
  std::uint64_t number_ = 0;  // of the open runs
  std::map<SlotKey, std::vector<Entry>> entries_;
  std::array<rollup::Columns, 3> held_;  // by kind
  std::size_t held_windows_ = 0;
  std::vector<rollup::PackedCounter> counters_;  // packed while they are in the cache: later each would be a miss
  rollup::Windows texts_;                        // that are being added
  rollup::PartPool parts_;
  std::map<SlotKey, RunWriter> open_;
  RunList runs_;
  std::vector<Entry> sorted_;
  std::vector<std::uint32_t> places_;  // of each group in sorted_
  std::size_t written_ = 0;
  shared::WindowChunk chunk_;
};

}  // namespace varve::engine::rocksdb
