// SPDX-License-Identifier: Apache-2.0
// Unit maker: writes the windows of line groups in units: of the finest granularity from sealed rows, of each other one
// from the finer one's units. Made again it writes the same.
//
// What a window was made of may be gone by now: it is never made of less. Such windows are taken from the unit as it
// stands.
//
// A series that stands in several groups is counted once: of two groups that have a sample at one time, the one with
// the smaller hash folds it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/scan/slot_reader.h"
#include "engine/cassandra/scan/window_rows.h"
#include "engine/cassandra/series/stamps.h"
#include "rollup/levels.h"

namespace varve::engine::cassandra {

// Samples and windows whose time is over that soon count as gone: clocks of nodes and replicas differ.
inline constexpr std::int64_t kGoneMarginMs = 3'600'000;

struct UnitWork {
  GroupRef group;
  std::vector<rollup::Kind> kinds;  // of each column
  model::Timestamp unit = 0;
  // Where a series stands, too, in a group that comes before: (column here, group, column there).
  struct Elsewhere {
    std::uint16_t column = 0;
    GroupRef group;
    std::uint16_t column_there = 0;
  };
  std::vector<Elsewhere> elsewhere;
};

struct MadeUnit {
  Status status;  // corrupt: this one cannot be made, the others are
  std::uint64_t windows = 0;
};

// Thread-safe.
class UnitMaker {
 public:
  // `levels`: tables of the granularities, finest first.
  UnitMaker(RowStore& rows, const SlotReader& reader, std::vector<ChunkTable> levels, const SchemaOptions& schema,
            Stamps& stamps, const Clock& clock)
      : rows_(rows), reader_(reader), levels_(std::move(levels)), schema_(schema), stamps_(stamps), clock_(clock) {}

  // Units of one granularity, in their order. Errors: those of the store.
  Result<std::vector<MadeUnit>> make(std::size_t level, std::span<const UnitWork> works) const;

  [[nodiscard]] std::int64_t width_ms(std::size_t level) const { return schema_.rollups[level].width_ms; }
  [[nodiscard]] const std::vector<ChunkTable>& levels() const { return levels_; }

 private:
  class Making;
  RowStore& rows_;
  const SlotReader& reader_;
  const std::vector<ChunkTable> levels_;
  const SchemaOptions& schema_;
  Stamps& stamps_;
  const Clock& clock_;
};

}  // namespace varve::engine::cassandra
