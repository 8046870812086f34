// SPDX-License-Identifier: Apache-2.0
// Database::State: the open RocksDB, and what is known about writes to it. Included by database*.cc only.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/database_handle.h"
#include "engine/rocksdb/runs/keys.h"

namespace varve::engine::rocksdb {

inline Error translate(const ::rocksdb::Status& status, std::string_view doing) {
  Code code = Code::io;
  if (status.IsCorruption()) code = Code::corrupt;
  if (status.IsNoSpace()) code = Code::unavailable;
  return {code, std::string(doing) + ": " + status.ToString()};
}

inline ::rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

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
  std::uint64_t generation = 0;  // of the definitions; changes at start only
  Mutex definitions_mutex;
  std::vector<Definitions> definitions VARVE_GUARDED_BY(definitions_mutex);

  // Numbers of commits; at most one is written and not flushed.
  std::uint64_t last_commit = 0;
  std::optional<std::uint64_t> open_commit;
  std::uint64_t open_epoch = 0;  // the epoch in which it was written

  Status step(std::string_view name) const { return at_step ? at_step(name) : Status{}; }

  // Names of the steps (Options::at_step) before and after a write.
  struct Names {
    std::string_view before, after;
  };
  // Writes without RocksDB's own log: a full disk must not end the process
  // (docs/decisions/0029-rocksdb-writes-tables-only.md). If `epoch` is given and not 0, the write fails in any other
  // epoch; 0 is replaced by the current epoch.
  Status write(::rocksdb::WriteBatch& what, Names names, std::uint64_t* epoch = nullptr) {
    VARVE_RETURN_IF_ERROR(step(names.before));
    VARVE_RETURN_IF_ERROR(mend());
    {
      const auto db = handle->access();
      if (!db) return fail(DatabaseHandle::closed());
      if (epoch != nullptr && *epoch != 0 && *epoch != db.epoch()) {
        return fail(Code::unavailable, "the database had to be opened again meanwhile");
      }
      if (epoch != nullptr) *epoch = db.epoch();
      ::rocksdb::WriteOptions options;
      options.disableWAL = true;
      if (const auto status = db->Write(options, &what); !status.ok()) {
        handle->note_failure();
        return fail(translate(status, "writing to the database"));
      }
    }
    what.Clear();
    return names.after.empty() ? Status{} : step(names.after);
  }

  // Writes everything of this epoch to files.
  Status flush() {
    VARVE_RETURN_IF_ERROR(mend());
    std::vector<Definitions> flushed;
    {
      const MutexLock lock(definitions_mutex);
      flushed.swap(definitions);
    }
    const Status status = flush_tables();
    if (!status) {
      const MutexLock lock(definitions_mutex);
      definitions.insert(definitions.begin(), flushed.begin(), flushed.end());
    }
    return status;
  }

  // RocksDB's report of success counts only if nothing failed meanwhile.
  Status flush_tables() {
    const auto db = handle->access();
    if (!db) return fail(DatabaseHandle::closed());
    ::rocksdb::FlushOptions options;
    options.allow_write_stall = true;
    const auto status = db->Flush(options);
    if (!status.ok()) handle->note_failure();
    if (!status.ok()) return fail(translate(status, "flushing the database"));
    if (handle->is_broken()) return fail(Code::unavailable, "the database failed while it was flushed");
    return {};
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
      for (const auto& [key, packed] : definitions) batch.Put(key, packed);
    }
    ::rocksdb::WriteOptions options;
    options.disableWAL = true;
    if (const auto status = db.Write(options, &batch); !status.ok()) {
      return fail(translate(status, "writing definitions again"));
    }
    const MutexLock lock(garbage_mutex);
    garbage.clear();
    return list_garbage(db);
  }

  // Finds the generation, and passes on the definitions in order of writing; returns the sequence of the newest.
  Result<std::uint64_t> read_definitions(::rocksdb::DB& db,
                                         const std::function<Status(std::string_view definitions)>& define);
  // Those of all other generations go.
  Status erase_old_definitions();

  // Reads the garbage records.
  Status list_garbage(::rocksdb::DB& db) VARVE_REQUIRES(garbage_mutex) {
    ::rocksdb::ReadOptions options;
    options.fill_cache = false;
    const std::unique_ptr<::rocksdb::Iterator> at(db.NewIterator(options));
    for (at->Seek("g"); at->Valid() && at->key().starts_with("g"); at->Next()) {
      RunKey left;
      if (!parse_garbage_key(at->key().ToStringView(), left)) {
        return fail(Code::corrupt, "a run without blocks has a malformed key");
      }
      garbage.push_back({left, std::nullopt, false});
    }
    if (!at->status().ok()) return fail(translate(at->status(), "reading the list of what is to be erased"));
    return {};
  }

  // Adds the deletion of a run's blocks and of its garbage record to the batch.
  Status add_erasure(const Garbage& of, ::rocksdb::WriteBatch& batch) const {
    if (of.first_groups) {
      const std::string prefix = of.has_old_keys ? old_block_prefix(of.run) : block_prefix(of.run);
      for (const std::uint32_t group : *of.first_groups) batch.Delete(block_key(prefix, model::GroupId{group}));
    } else {
      VARVE_RETURN_IF_ERROR(add_erasure(block_prefix(of.run), batch));
      VARVE_RETURN_IF_ERROR(add_erasure(old_block_prefix(of.run), batch));
    }
    batch.Delete(garbage_key(of.run));
    return {};
  }

  // Adds the deletion of all keys with this prefix.
  Status add_erasure(const std::string& prefix, ::rocksdb::WriteBatch& batch) const {
    const auto db = handle->access();
    if (!db) return fail(DatabaseHandle::closed());
    ::rocksdb::ReadOptions options;
    options.fill_cache = false;
    const std::unique_ptr<::rocksdb::Iterator> at(db->NewIterator(options));
    for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) batch.Delete(at->key());
    if (!at->status().ok()) return fail(translate(at->status(), "looking for blocks without a run"));
    return {};
  }
};

}  // namespace varve::engine::rocksdb
