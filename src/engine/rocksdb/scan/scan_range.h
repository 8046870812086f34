// SPDX-License-Identifier: Apache-2.0
// ScanRange: reads one thread's share of a scan, slot by slot: some groups, or one series of several groups.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/rocksdb/runs/run_reader.h"
#include "engine/rocksdb/scan/scan.h"
#include "engine/rocksdb/scan/slot_list.h"
#include "engine/shared/emit.h"
#include "engine/shared/gather.h"
#include "engine/shared/series_merge.h"

namespace varve::engine::rocksdb {

// For one thread. Serves one call of groups() or merged().
class ScanRange {
 public:
  ScanRange(const ScanSource& source, const SlotList& slots, const storage::ScanOptions& options,
            storage::PieceSink& sink)
      : source_(source), slots_(slots), options_(options), emitter_(sink, options.range) {}

  // `places` sorted by group and column; each is the only one of its series.
  Status groups(std::span<const Place> places);
  // All places of one series.
  Status merged(std::span<const Place> places);
  // Has the scan been cancelled, or passed its deadline? Errors: cancelled, timeout.
  static Status interrupted(const ScanSource& source, const storage::ScanOptions& options);

 private:
  // A fragment of a head.
  struct Part {
    model::Timestamp slot;  // of the list
    std::uint32_t group;
    bool immutable;
    std::uint32_t first, count;  // of pieces_
  };
  void capture(std::span<const Place> places);
  void capture(const Head& head, bool immutable, std::uint32_t group) VARVE_REQUIRES(head.mutex);
  [[nodiscard]] std::span<const Part> parts_of(model::Timestamp slot) const;
  [[nodiscard]] std::span<const std::span<const std::byte>> pieces(const Part& part) const {
    return std::span(pieces_).subspan(part.first, part.count);
  }
  Status slot(const SlotList::Slot& slot, std::span<const Place> places);
  Status group(std::vector<RunReader>& runs, std::span<const Part> parts, std::span<const Place> places);

  const ScanSource& source_;
  const SlotList& slots_;
  const storage::ScanOptions& options_;
  shared::Emitter emitter_;
  shared::Gather gather_;
  shared::SeriesMerge merge_;
  std::vector<Part> parts_;  // sorted by slot, group, immutable first
  Head::Pieces pieces_;
  model::TimeRange range_;  // what is read of the slot at hand
  std::vector<std::uint16_t> columns_;
};

}  // namespace varve::engine::rocksdb
