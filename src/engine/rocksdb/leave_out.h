// SPDX-License-Identifier: Apache-2.0
// Leaving out: where pods come and go, most series that were ever seen are gone with their samples. A start leaves them
// out of the index and of the definitions in the database: so memory, and the time of a start, follow what is left.
#pragma once

#include "engine/rocksdb/directory.h"
#include "engine/rocksdb/env/env.h"
#include "engine/rocksdb/flush.h"
#include "engine/rocksdb/ingest.h"
#include "engine/rocksdb/runs/tables.h"
#include "engine/rocksdb/series/catalog.h"

namespace varve::engine::rocksdb {

// To be called before anything is written or read. Error: it is not known which definitions are in the database; the
// next start will find out. Where it cannot be done the index stays as it is.
Status leave_out_what_is_gone(const Env& env, const Directory& directory, Catalog& catalog, Ingest& ingest,
                              Flush& flush, Tables& tables);

}  // namespace varve::engine::rocksdb
