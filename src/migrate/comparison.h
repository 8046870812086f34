// SPDX-License-Identifier: Apache-2.0
// Comparison: what KairosDB held of each metric against what varve holds now, counted in samples that differ in series
// or time.
#pragma once

#include <string>
#include <vector>

#include "base/task_pool.h"
#include "migrate/range_copier.h"
#include "migrate/totals.h"

namespace varve::migrate {

struct Compared {
  std::string metric;
  MetricCount found;             // in KairosDB
  std::uint64_t unchecked = 0;   // of it: samples before the comparison begins
  std::uint64_t duplicates = 0;  // of the checked samples: at the time of another one of the series
  std::uint64_t held = 0;        // by varve, from where the comparison begins to the last one in KairosDB
  bool others_write = false;     // into varve, so that more than wanted is no difference

  [[nodiscard]] std::uint64_t wanted() const { return found.cells - unchecked - duplicates; }
  [[nodiscard]] bool differs() const { return others_write ? held < wanted() : held != wanted(); }
};

// One line, for a person: "cpu: KairosDB held 10 samples, varve holds 8: 2 of types that are not migrated".
std::string describe(const Compared& compared);

// Every metric of `totals`, by name. Samples from `from` on are compared. Blocking; resolves duplicates where there
// can be any. Errors: those of Cassandra and the store, cancelled.
Result<std::vector<Compared>> compare(Copying& shared, const Totals& totals, model::Timestamp from, TaskPool& pool,
                                      std::size_t threads);

}  // namespace varve::migrate
