// SPDX-License-Identifier: Apache-2.0
// Recovery: restores the state of a store at start, before anything else runs.
#pragma once

#include "engine/rocksdb/directory.h"
#include "engine/rocksdb/env/env.h"
#include "engine/rocksdb/flush.h"
#include "engine/rocksdb/ingest.h"
#include "engine/rocksdb/runs/tables.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/rocksdb/store.h"

namespace varve::engine::rocksdb {

// Restores the index, the runs and the head from the database and the log. Errors: see Store::open().
Result<RecoveryReport> recover(const Env& env, const Directory& directory, Catalog& catalog, Visible& visible,
                               Tables& tables, Ingest& ingest);

// Appends the log records that earlier starts had set aside; returns the number of rows. `store` must be ready to scan.
Result<std::uint64_t> take_in_aside(const Directory& directory, Catalog& catalog, Ingest& ingest, Flush& flush,
                                    Store& store);

}  // namespace varve::engine::rocksdb
