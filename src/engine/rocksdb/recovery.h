// SPDX-License-Identifier: Apache-2.0
// Recovery: what a start does before anything else runs.
#pragma once

#include "engine/rocksdb/directory.h"
#include "engine/rocksdb/env.h"
#include "engine/rocksdb/flush.h"
#include "engine/rocksdb/ingest.h"
#include "engine/rocksdb/runs/tables.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/rocksdb/store.h"

namespace varve::engine::rocksdb {

// What stands in the database and in the log becomes the index, the runs and the head. Errors: see Store::open().
Result<RecoveryReport> recover(const Env& env, const Directory& directory, Catalog& catalog, Visible& visible,
                               Tables& tables, Ingest& ingest);

// Takes in what earlier starts have set aside of the log; returns how many rows that were. `store` can be scanned.
Result<std::uint64_t> take_in_aside(const Directory& directory, Catalog& catalog, Ingest& ingest, Flush& flush,
                                    Store& store);

}  // namespace varve::engine::rocksdb
