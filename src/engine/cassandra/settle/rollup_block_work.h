// SPDX-License-Identifier: Apache-2.0
// What the rollup block maker is told of one rollup block of one line group.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "counter/declared.h"
#include "engine/cassandra/scan/slot_reader.h"
#include "rollup/window.h"

namespace varve::engine::cassandra {

struct RollupBlockWork {
  GroupRef group;
  std::vector<rollup::Kind> kinds;  // of each column
  model::Timestamp start = 0;
  // Where a series stands, too: (column here, group, column there). Of equal times the later sample counts; of equally
  // late ones that of the group which is `first`. Of a group that is `always` before this one, all count.
  struct Elsewhere {
    std::uint16_t column = 0;
    GroupRef group;
    std::uint16_t column_there = 0;
    bool first = true, always = false;
  };
  std::vector<Elsewhere> elsewhere;                                // of the finest granularity only
  std::vector<std::optional<counter::Declaration>> counters = {};  // of each column that is one; or none at all

  [[nodiscard]] const counter::Declaration* counter_of(std::size_t column) const {
    return column < counters.size() && counters[column] ? &*counters[column] : nullptr;
  }
};

}  // namespace varve::engine::cassandra
