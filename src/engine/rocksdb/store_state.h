// SPDX-License-Identifier: Apache-2.0
// The parts of a Store, in order of construction. Each uses only those before it, and has its own lock:
//
//   ingest (log, then head) → visible (head and immutable head) → flush → tables (runs) → maintenance (merged runs)
//
// Lock order: maintenance, flush, tables, ingest, catalog; then, held briefly, those of the heads and of `visible`. No
// lock is taken while a later one is held.
#pragma once

#include <memory>
#include <utility>

#include "base/task_pool.h"
#include "engine/rocksdb/directory.h"
#include "engine/rocksdb/env/env.h"
#include "engine/rocksdb/flush.h"
#include "engine/rocksdb/head_sums.h"
#include "engine/rocksdb/ingest.h"
#include "engine/rocksdb/maintenance.h"
#include "engine/rocksdb/runs/known_levels.h"
#include "engine/rocksdb/runs/tables.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/rocksdb/store.h"
#include "engine/rocksdb/worker.h"

namespace varve::engine::rocksdb {

struct Store::State {
  State(const Options& options, const LevelList& known, const Clock& clock, Directory opened,
        std::unique_ptr<Database> database)
      : expiry(clock),
        env(options, former_levels(known, options.rollups.levels), clock, expiry),
        directory(std::move(opened)),
        tables(env, visible, std::move(database)) {
    tables.on_flushed([this](std::uint64_t first_segment) { ingest.flushed(first_segment); });
  }
  ~State();

  Status start(Store& store);
  Status repair_format();
  // For the next starts. What cannot be written is said in the log.
  void remember_levels(const LevelList& known);

  shared::ExpiryClock expiry;
  const Env env;
  Directory directory;
  RecoveryReport recovery;
  SlabPool slabs{env.options.head_bytes_max / SlabPool::kSlabBytes / 2};  // must outlive the heads
  Visible visible;
  Catalog catalog{env.options.series_per_tenant_max, env.classes};
  Tables tables;
  TaskPool scan_pool{0};
  HeadSums head_sums;
  Worker flusher, maintainer;
  Ingest ingest{env, slabs, catalog, visible, [this] { flusher.wake(); }};
  Flush flush{env, catalog, ingest, tables, [this] { maintainer.wake(); }};
  Maintenance maintenance{env, directory, catalog, visible, ingest, tables, flush, scan_pool};
};

}  // namespace varve::engine::rocksdb
