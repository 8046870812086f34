// SPDX-License-Identifier: Apache-2.0
// Flush: moves the immutable head, and definitions that pile up, into the database, where each tenant and slot in it
// becomes a run; then its log segments go.
//
// Its thread waits for no other work of the store: whoever merges, seals or deletes looks at the list of runs of one
// moment, and leaves alone what a flush adds to it afterwards (docs/decisions/0022-flushes-wait-for-nobody.md).
#pragma once

#include <functional>
#include <utility>

#include "base/mutex.h"
#include "engine/rocksdb/env.h"
#include "engine/rocksdb/ingest.h"
#include "engine/rocksdb/runs/tables.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/rocksdb/troubles.h"

namespace varve::engine::rocksdb {

// Thread-safe.
class Flush {
 public:
  // `flushed`: a run is new.
  Flush(const Env& env, const Catalog& catalog, Ingest& ingest, Tables& tables, std::function<void()> flushed)
      : env_(env), catalog_(catalog), ingest_(ingest), tables_(tables), flushed_(std::move(flushed)) {}

  // One at a time: by the flush's thread, or by settle() and erase(), which want the heads empty.
  Mutex mutex;

  // What there is to do now, as the thread does it. False: nothing, or it failed.
  bool once() VARVE_EXCLUDES(mutex);
  // What both heads hold at the time of the call.
  Status all() VARVE_EXCLUDES(mutex);
  Status all_locked() VARVE_REQUIRES(mutex);
  Status immutable() VARVE_REQUIRES(mutex);

 private:
  Status write(const Head& head, std::uint64_t number, Change change) VARVE_REQUIRES(mutex);
  Status hand_over_definitions() VARVE_REQUIRES(mutex);

  const Env& env_;
  const Catalog& catalog_;
  Ingest& ingest_;
  Tables& tables_;
  const std::function<void()> flushed_;
  Troubles troubles_ VARVE_GUARDED_BY(mutex);
};

}  // namespace varve::engine::rocksdb
