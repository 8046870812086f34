// SPDX-License-Identifier: Apache-2.0
// View: everything a query needs of one moment: the heads, the runs, and a database snapshot that still has their
// blocks.
#pragma once

#include <memory>

#include "engine/rocksdb/head/head.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/run.h"

namespace varve::engine::rocksdb {

struct View {
  std::shared_ptr<const Head> frozen;  // may be null; nobody writes to it
  std::shared_ptr<const Head> head;    // being written: look at it under the append lock only
  std::shared_ptr<const Runs> runs;
  std::shared_ptr<const Database::Snapshot> snapshot;
};

}  // namespace varve::engine::rocksdb
