// SPDX-License-Identifier: Apache-2.0
// Late windows: adds samples to windows when what else was in their slot is gone. Each hot row counts once in the unit
// of each granularity, which names those that were added to it (docs/formats/cluster.md), whatever dies in between.
//
// Which are late? A hot row that arrived when its slot's time was all but over. What came before that was sealed; the
// sealed row, while it is still there, says until when. A sample that replaced another one cannot be told from a new
// one, and counts as one more.
#pragma once

#include <span>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/scan/window_rows.h"
#include "engine/cassandra/settle/late_adder.h"
#include "engine/cassandra/settle/unit_maker.h"

namespace varve::engine::cassandra {

// Thread-safe; a group's works one after the other.
class LateWindows final : public LateAdder {
 public:
  // `clock`: the one that all replicas share.
  LateWindows(RowStore& rows, const SlotReader& reader, const UnitMaker& maker, Stamps& stamps, const Clock& clock)
      : rows_(rows), reader_(reader), maker_(maker), stamps_(stamps), clock_(clock) {}

  Result<std::vector<Status>> add_late(std::span<const LateWork> works) override;

 private:
  class Adding;
  Status add(const LateWork& work) const;
  Status add(const LateWork& work, std::size_t level, const SlotData& late) const;
  // The hot rows of the slot that no sealed row ever had.
  Result<SlotData> read_late(const LateWork& work) const;

  RowStore& rows_;
  const SlotReader& reader_;
  const UnitMaker& maker_;
  Stamps& stamps_;
  const Clock& clock_;
};

}  // namespace varve::engine::cassandra
