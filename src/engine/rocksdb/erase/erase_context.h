// SPDX-License-Identifier: Apache-2.0
// What the parts of an erase share: the store as it was when the batch began, and what is to go.
#pragma once

#include <functional>

#include "engine/rocksdb/erase/erasure.h"
#include "engine/rocksdb/options.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/scan/scan.h"
#include "engine/rocksdb/series/catalog.h"

namespace varve::engine::rocksdb {

struct EraseContext {
  const Erasure& erasure;
  model::TimeRange batch;  // of the slots and windows that one commit is about: begins and ends at a window's edge
  std::uint64_t last_run;  // runs above this were written after the erase began, and stay
  std::shared_ptr<const Runs> runs;
  ScanSource source;
  Database& database;
  Database::Draft& draft;  // of the batch
  const Options& options;
  const Catalog& catalog;
  // Between groups. Error: cancelled.
  std::function<Status()> pause;

  // The slot as the erase sees it.
  [[nodiscard]] Runs::OfSlot before(const Runs::OfSlot& slot) const {
    Runs::OfSlot out = slot;
    std::erase_if(out.runs, [this](const auto& run) { return run->key.run > last_run; });
    return out;
  }
};

}  // namespace varve::engine::rocksdb
