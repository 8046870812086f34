// SPDX-License-Identifier: Apache-2.0
// Flush: writes the immutable head to the database, one run for each tenant and slot (flush_list.h), and then deletes
// the log segments that it covers. Also writes definitions that have piled up.
//
// The flush thread waits for no other work of the store: merges, seals and deletes work on a snapshot of the list of
// runs and leave alone the runs that a flush adds later (docs/decisions/0022-flushes-wait-for-nobody.md).
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "base/mutex.h"
#include "engine/rocksdb/env/env.h"
#include "engine/rocksdb/ingest.h"
#include "engine/rocksdb/runs/tables.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/rocksdb/troubles.h"

namespace varve::engine::rocksdb {

// Thread-safe.
class Flush {
 public:
  // `flushed` is called after each flush that added runs.
  Flush(const Env& env, const Catalog& catalog, Ingest& ingest, Tables& tables, std::function<void()> flushed)
      : env_(env), catalog_(catalog), ingest_(ingest), tables_(tables), flushed_(std::move(flushed)) {}

  // Serializes flushes: the flush thread's, and those of settle() and erase(), which need the heads empty.
  Mutex mutex;

  // One round of the flush thread. False: there was nothing to do, or it failed.
  bool once() VARVE_EXCLUDES(mutex);
  // Flushes both heads, as they are at the time of the call.
  Status all() VARVE_EXCLUDES(mutex);
  Status all_locked() VARVE_REQUIRES(mutex);
  Status immutable() VARVE_REQUIRES(mutex);  // flushes the immutable head, if there is one
  // Runs `work` while no flush is under way. `handed_over`: up to which record of the log all definitions are in the
  // database, though maybe not in files yet.
  Status between(const std::function<void(std::uint64_t handed_over)>& work) VARVE_EXCLUDES(mutex);

 private:
  Status write(const Head& head, std::uint64_t number, Change change) VARVE_REQUIRES(mutex);
  // Returns the record of the log up to which they are in the database then.
  Result<std::uint64_t> hand_over_definitions() VARVE_REQUIRES(mutex);

  const Env& env_;
  const Catalog& catalog_;
  Ingest& ingest_;
  Tables& tables_;
  const std::function<void()> flushed_;
  Troubles troubles_ VARVE_GUARDED_BY(mutex);
};

}  // namespace varve::engine::rocksdb
