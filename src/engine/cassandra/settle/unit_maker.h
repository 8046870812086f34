// SPDX-License-Identifier: Apache-2.0
// Unit maker: writes the windows of line groups in units: of the finest granularity from sealed rows, of each other one
// from the finer one's units; and samples that came when those were gone. It is the only one that writes units, each
// from all that it is made of, read after its version was drawn (tables/write_versions.h): so made by two at once, the
// unit of the one that read later stays, and lacks nothing. Made again it writes the same.
//
// A series that stands in several groups is counted once: of two groups that have a sample at one time, the one with
// the smaller hash folds it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/scan/slot_reader.h"
#include "engine/cassandra/settle/unit_work.h"
#include "engine/cassandra/tables/write_versions.h"
#include "rollup/levels.h"

namespace varve::engine::cassandra {

class UnitMaking;

struct MadeUnit {
  Status status;  // corrupt: this one cannot be made, the others are
  std::uint64_t windows = 0;
};

// Thread-safe.
class UnitMaker {
 public:
  // `levels`: tables of the granularities, finest first.
  UnitMaker(RowStore& rows, const Tables& tables, const SlotReader& reader, std::vector<ChunkTable> levels,
            const SchemaOptions& schema, WriteVersions& versions, const Clock& clock)
      : rows_(rows),
        tables_(tables),
        reader_(reader),
        levels_(std::move(levels)),
        schema_(schema),
        versions_(versions),
        clock_(clock) {}

  // Units of one granularity, in their order. Errors: those of the store and of WriteVersions::draw().
  Result<std::vector<MadeUnit>> make(std::size_t level, std::span<const UnitWork> works) const;

  [[nodiscard]] std::int64_t width_ms(std::size_t level) const { return schema_.rollups[level].width_ms; }
  [[nodiscard]] const std::vector<ChunkTable>& levels() const { return levels_; }

 private:
  struct Batch;
  Result<std::int64_t> read(std::size_t level, Batch& batch) const;  // the greatest version that stands
  Status read_rows(std::size_t level, Batch& batch) const;
  Status read_slots(Batch& batch) const;
  Status read_late(Batch& batch) const;

  RowStore& rows_;
  const Tables& tables_;
  const SlotReader& reader_;
  const std::vector<ChunkTable> levels_;
  const SchemaOptions& schema_;
  WriteVersions& versions_;
  const Clock& clock_;
};

}  // namespace varve::engine::cassandra
