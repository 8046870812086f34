// SPDX-License-Identifier: Apache-2.0
// Forget: finds series that have no data left and removes them from the index.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/task_pool.h"
#include "engine/rocksdb/env/env.h"
#include "engine/rocksdb/ingest.h"
#include "engine/rocksdb/runs/tables.h"
#include "engine/rocksdb/series/catalog.h"

namespace varve::engine::rocksdb {

// One thread at a time.
class Forget {
 public:
  // `helpers`: threads for scans.
  Forget(const Env& env, Catalog& catalog, Visible& visible, Ingest& ingest, Tables& tables, TaskPool& helpers)
      : env_(env), catalog_(catalog), visible_(visible), ingest_(ingest), tables_(tables), helpers_(helpers) {}

  [[nodiscard]] bool due();   // is it time for the next some()?
  [[nodiscard]] bool more();  // are there series left to examine?
  void some();                // examines the next series
  // Forgets those of the series that have no data.
  Status empty(model::TenantId tenant, std::span<const model::SeriesId> series);

 private:
  // A series without data, and its number of points when it was examined.
  struct Empty {
    model::SeriesId series;
    std::uint64_t points;
  };
  void start_if_asked();
  Status drop_those_with_data(model::TenantId tenant, std::vector<model::SeriesId>& series);
  void forget(std::span<const Empty> empty);

  const Env& env_;
  Catalog& catalog_;
  Visible& visible_;
  Ingest& ingest_;
  Tables& tables_;
  TaskPool& helpers_;
  std::uint64_t seen_emptied_ = 0;  // Tables::times_emptied() when the search began
  std::uint32_t next_ = 0;          // series
  std::uint32_t left_ = 0;          // to be looked at
  std::int64_t last_ns_ = 0;        // steady; when some were
};

}  // namespace varve::engine::rocksdb
