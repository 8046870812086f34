// SPDX-License-Identifier: Apache-2.0
// DatabaseHandle: owns the open RocksDB and reopens it after errors. After most failed writes or syncs RocksDB accepts
// no writes until it is reopened, and after a full disk it may report flushes as done that are not. So after any error
// it is reopened in place, while the program runs. Data that was only in RocksDB's memory is lost then; writers notice
// by the epoch.
//
// Only runs/database*.cc include this. Thread-safe. A thread that has access must not ask for it again (mutex.h).
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>

#include "base/mutex.h"
#include "base/result.h"
#include "engine/rocksdb/runs/compaction_switch.h"
#include "engine/rocksdb/runs/database_options.h"

namespace varve::engine::rocksdb {

class DatabaseHandle {
 public:
  // `is_new`: it is made if it does not exist.
  static Result<std::unique_ptr<DatabaseHandle>> open(std::string path, bool is_new);
  ~DatabaseHandle();

  // While it exists, the database is not reopened.
  class Access {
   public:
    // False: it could not be reopened yet.
    explicit operator bool() const { return db_ != nullptr; }
    ::rocksdb::DB* operator->() const { return db_; }
    ::rocksdb::DB& operator*() const { return *db_; }
    // Incremented each time the database is opened.
    [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

   private:
    friend class DatabaseHandle;
    Access(std::shared_lock<SharedMutex> lock, ::rocksdb::DB* db, std::uint64_t epoch)
        : lock_(std::move(lock)), db_(db), epoch_(epoch) {}
    std::shared_lock<SharedMutex> lock_;
    ::rocksdb::DB* db_;
    std::uint64_t epoch_;
  };
  // The analysis does not follow a lock that is returned.
  [[nodiscard]] Access access() const VARVE_NO_THREAD_ANALYSIS;
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  [[nodiscard]] static Error closed();

  // Keeps the state at its creation readable, until the database is reopened.
  class Snapshot {
   public:
    explicit Snapshot(DatabaseHandle& handle);
    ~Snapshot();
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;
    [[nodiscard]] const ::rocksdb::Snapshot* get() const { return snapshot_; }  // requires access

   private:
    friend class DatabaseHandle;
    DatabaseHandle& handle_;
    const ::rocksdb::Snapshot* snapshot_ = nullptr;  // nullptr: of an earlier epoch
  };
  // Do running queries hold snapshots of an earlier epoch? These protect nothing any more, so nothing may be erased.
  [[nodiscard]] bool has_stale_snapshots() const;

  // Did a write, a flush or a compaction fail since it was opened? Then its reports of success cannot be trusted.
  [[nodiscard]] bool is_broken() const { return failures_->any(); }
  void note_failure() { failures_->note(); }
  // Does it compact? Not after a compaction that failed (compaction_switch.h).
  [[nodiscard]] bool compacts() const { return compactions_.is_on(); }
  // So many tables were found damaged by compactions.
  [[nodiscard]] std::uint64_t damaged_tables() const { return damaged_tables_; }
  // A flush went well.
  void note_flush(const Access& db);
  // If it is broken: reopens it, provided that files can be written in its directory. `restore` then writes the data
  // that must not be lost.
  Status mend(const std::function<Status(::rocksdb::DB&)>& restore);

 private:
  explicit DatabaseHandle(std::string path) : path_(std::move(path)) {}
  Status probe() const;
  Status open(bool is_new) VARVE_REQUIRES(gate_);
  void open_to_read() VARVE_REQUIRES(gate_);
  void switch_compactions(const std::optional<Error>& failed);
  void say_what_is_damaged(const Error& error) VARVE_REQUIRES(gate_);
  void let_go_of_snapshots() VARVE_REQUIRES(gate_);
  void take(::rocksdb::DB* db) VARVE_REQUIRES(gate_);

  const std::string path_;
  const std::shared_ptr<Failures> failures_ = std::make_shared<Failures>();  // RocksDB notes them
  CompactionSwitch compactions_;
  mutable SharedMutex gate_;
  std::unique_ptr<::rocksdb::DB> db_ VARVE_GUARDED_BY(gate_);
  std::atomic<std::uint64_t> epoch_{0};
  std::set<std::string> damaged_ VARVE_GUARDED_BY(gate_);  // names of tables
  std::atomic<std::uint64_t> damaged_tables_{0};           // how many

  mutable Mutex snapshots_mutex_ VARVE_ACQUIRED_AFTER(gate_);
  std::set<Snapshot*> snapshots_ VARVE_GUARDED_BY(snapshots_mutex_);
  std::size_t stale_ VARVE_GUARDED_BY(snapshots_mutex_) = 0;
};

}  // namespace varve::engine::rocksdb
