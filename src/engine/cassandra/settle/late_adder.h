// SPDX-License-Identifier: Apache-2.0
// Late adder: what a worker does with samples that came so late that their slot's time is over, or nearly: they go into
// the windows alone.
#pragma once

#include <span>
#include <vector>

#include "engine/cassandra/scan/slot_reader.h"
#include "rollup/window.h"

namespace varve::engine::cassandra {

struct LateWork {
  GroupRef group;
  std::vector<rollup::Kind> kinds;  // of each column
  model::Timestamp slot = 0;
};

class LateAdder {
 public:
  virtual ~LateAdder() = default;
  // For each work: done (its hot rows count in all windows that are kept), or why not (corrupt). Errors: those of the
  // store.
  virtual Result<std::vector<Status>> add_late(std::span<const LateWork> works) = 0;
};

}  // namespace varve::engine::cassandra
