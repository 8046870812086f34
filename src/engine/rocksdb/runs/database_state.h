// SPDX-License-Identifier: Apache-2.0
// Database::State: the open RocksDB, and what is known about writes to it. Included by database*.cc only.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/database_batch.h"
#include "engine/rocksdb/runs/database_handle.h"
#include "engine/rocksdb/runs/database_reads.h"
#include "engine/rocksdb/runs/keys.h"
#include "engine/rocksdb/runs/write_batch.h"

namespace varve::engine::rocksdb {

struct Database::State {
  // Blocks that no run names, if there are any.
  struct Garbage {
    RunKey run;
    std::optional<std::vector<std::uint32_t>> first_groups;  // of all its blocks; nullopt: to be looked up
    bool has_old_keys = false;                               // not known if they are to be looked up
  };

  std::unique_ptr<DatabaseHandle> handle;
  AtStep at_step;
  mutable Mutex garbage_mutex;
  std::vector<Garbage> garbage VARVE_GUARDED_BY(garbage_mutex);

  // Definitions that may not be in files yet. The log drops them with the next commit.
  struct Definitions {
    std::string key, packed;
  };
  bool has_other_generations = false;  // of definitions; for who writes them anew
  Mutex definitions_mutex;
  std::uint64_t generation VARVE_GUARDED_BY(definitions_mutex) = 0;  // of the definitions
  bool writes_next VARVE_GUARDED_BY(definitions_mutex) = false;      // put_definitions() writes the next one, too
  std::deque<Definitions> definitions VARVE_GUARDED_BY(definitions_mutex);
  std::uint64_t definitions_flushed VARVE_GUARDED_BY(definitions_mutex) = 0;  // so many were in the list before

  // Numbers of commits; at most one is written and not flushed.
  std::uint64_t last_commit = 0;
  std::optional<std::uint64_t> open_commit;
  std::uint64_t open_epoch = 0;  // the epoch in which it was written

  // Texts are written one after the other, as each write says how many there are then.
  Mutex texts_mutex;
  std::optional<TextCounts> texts VARVE_GUARDED_BY(texts_mutex);  // nullopt: some cannot be read
  std::uint64_t texts_epoch VARVE_GUARDED_BY(texts_mutex) = 0;    // in which they were counted
  std::uint64_t texts_commit VARVE_GUARDED_BY(texts_mutex) = 0;   // number of the last commit then

  Status step(std::string_view name) const { return at_step ? at_step(name) : Status{}; }

  // Writes without RocksDB's own log: a full disk must not end the process
  // (docs/decisions/0029-rocksdb-writes-tables-only.md). `epoch`: in which alone it may be written; 0: in any, which it
  // becomes.
  Status write(::rocksdb::WriteBatch& what, std::uint64_t& epoch) {
    const auto db = handle->access();
    VARVE_RETURN_IF_ERROR(check_epoch(db, epoch));
    epoch = db.epoch();
    ::rocksdb::WriteOptions options;
    options.disableWAL = true;
    auto written = outcome(db->Write(options, &what), "writing to the database");
    if (!written) handle->note_failure();
    return written;
  }

  // Writes everything of an epoch to files; 0: of the one that there is.
  Status flush(std::uint64_t epoch) {
    VARVE_RETURN_IF_ERROR(mend());
    const auto db = handle->access();  // while it is held, the epoch does not change
    VARVE_RETURN_IF_ERROR(check_epoch(db, epoch));
    std::uint64_t listed = 0;
    {
      const MutexLock lock(definitions_mutex);
      listed = definitions_flushed + definitions.size();
    }
    ::rocksdb::FlushOptions options;
    options.allow_write_stall = true;
    if (auto flushed = outcome(db->Flush(options), "flushing the database"); !flushed) {
      handle->note_failure();
      return flushed;
    }
    // RocksDB's report of success counts only if nothing failed meanwhile.
    if (handle->is_broken()) return fail(Code::unavailable, "the database failed while it was flushed");
    handle->note_flush(db);
    const MutexLock lock(definitions_mutex);
    for (; definitions_flushed < listed; ++definitions_flushed) definitions.pop_front();
    return {};
  }

  static Status check_epoch(const DatabaseHandle::Access& db, std::uint64_t epoch) {
    if (!db) return fail(DatabaseHandle::closed());
    if (epoch == 0 || epoch == db.epoch()) return {};
    return fail(Code::unavailable, "the database had to be opened again meanwhile");
  }

  // Reopens it after an error.
  Status mend() {
    if (!handle->is_broken()) return {};
    return handle->mend([this](::rocksdb::DB& db) { return restore(db); });
  }

  Status restore(::rocksdb::DB& db) {
    ::rocksdb::WriteBatch batch;
    {
      const MutexLock lock(definitions_mutex);
      for (const auto& [key, packed] : definitions) {
        VARVE_RETURN_IF_ERROR(outcome(put(batch, key, packed), "collecting definitions"));
        VARVE_RETURN_IF_ERROR(outcome(put(batch, copy_key(key), packed), "collecting definitions"));
      }
    }
    ::rocksdb::WriteOptions options;
    options.disableWAL = true;
    VARVE_RETURN_IF_ERROR(outcome(db.Write(options, &batch), "writing definitions again"));
    const MutexLock lock(garbage_mutex);
    garbage.clear();
    return list_garbage(db);
  }

  // Finds the generation, and passes on the definitions in order of writing; returns the sequence of the newest.
  Result<std::uint64_t> read_definitions(::rocksdb::DB& db,
                                         const std::function<Status(std::string_view definitions)>& define);
  [[nodiscard]] std::uint64_t generation_now() VARVE_EXCLUDES(definitions_mutex) {
    const MutexLock lock(definitions_mutex);
    return generation;
  }
  void note_generation(std::uint64_t number) VARVE_EXCLUDES(definitions_mutex) {
    const MutexLock lock(definitions_mutex);
    generation = number;
    writes_next = false;
  }
  Status write_next_generation(std::uint64_t next, std::uint64_t sequence, std::string_view all);
  Result<bool> count_generation(std::uint64_t next);
  // Those of all but this one go, if there are any.
  Status erase_other_generations(std::uint64_t kept);
  // Are they in the database, as they are, in this generation?
  Status check_definitions(std::uint64_t of_generation, std::string_view wanted) const;

  // --- database_copies.cc
  Status make_copies();
  Status in_pieces(Batch& batch, std::string_view prefix, const EachKey& each);

  // --- database_texts.cc
  // Counts them if that has not been done in this epoch.
  Status know_texts() VARVE_REQUIRES(texts_mutex);
  static void put_counts(Batch& batch, const std::optional<TextCounts>& counts, std::uint64_t commit);
  Result<std::optional<TextCounts>> counts_with(const std::string& key, std::optional<std::string_view> text,
                                                std::uint64_t epoch) const VARVE_REQUIRES(texts_mutex);
  Status write_text(const std::string& key, std::optional<std::string_view> text);  // nullopt: erases it

  // Reads the garbage records.
  Status list_garbage(::rocksdb::DB& db) VARVE_REQUIRES(garbage_mutex) {
    std::vector<Garbage> found;
    const auto add = [&](std::string_view key, std::string_view) -> Status {
      RunKey left;
      if (!parse_garbage_key(key, left)) return fail(Code::corrupt, "a run without blocks has a malformed key");
      found.push_back({left, std::nullopt, false});
      return {};
    };
    VARVE_RETURN_IF_ERROR(for_each_key(db, "g", "reading the list of what is to be erased", add));
    garbage.insert(garbage.end(), found.begin(), found.end());
    return {};
  }

  // Adds the deletion of a run's blocks and of its garbage record to the batch.
  Status add_erasure(const Garbage& of, Batch& batch) const {
    if (of.first_groups) {
      const std::string prefix = of.has_old_keys ? old_block_prefix(of.run) : block_prefix(of.run);
      for (const std::uint32_t group : *of.first_groups) batch.erase(block_key(prefix, model::GroupId{group}));
    } else {
      VARVE_RETURN_IF_ERROR(add_erasure(block_prefix(of.run), batch));
      VARVE_RETURN_IF_ERROR(add_erasure(old_block_prefix(of.run), batch));
    }
    batch.erase(garbage_key(of.run));
    return {};
  }

  // Adds the deletion of all keys with this prefix.
  Status add_erasure(const std::string& prefix, Batch& batch) const {
    const auto db = handle->access();
    if (!db) return fail(DatabaseHandle::closed());
    return for_each_key(*db, prefix, "looking for blocks without a run",
                        [&](std::string_view key, std::string_view) -> Status {
                          batch.erase(key);
                          return {};
                        });
  }
};

}  // namespace varve::engine::rocksdb
