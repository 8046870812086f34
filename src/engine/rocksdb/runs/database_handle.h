// SPDX-License-Identifier: Apache-2.0
// DatabaseHandle: the RocksDB that is open. After most errors of a write or a sync RocksDB takes nothing more until it
// is opened again, and after a full disk it says of flushes that they are done before they are. So after any error it
// is opened again, here, in place, while the program runs: what lay in RocksDB's memory alone is lost then, and whoever
// wrote it sees so by the epoch.
//
// Only runs/database*.cc include this. Thread-safe. Nobody asks for access while having it: who opens the database
// again is let in between.
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <shared_mutex>
#include <string>

#include "base/mutex.h"
#include "base/result.h"

namespace varve::engine::rocksdb {

class DatabaseHandle {
 public:
  static Result<std::unique_ptr<DatabaseHandle>> open(std::string path);
  ~DatabaseHandle();

  // As long as it lives, the database is not opened again.
  class Access {
   public:
    // False: it could not be opened again yet.
    explicit operator bool() const { return db_ != nullptr; }
    ::rocksdb::DB* operator->() const { return db_; }
    // How often it was opened.
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

  // Keeps what was there when it was made; one that is older than the last opening does not.
  class Snapshot {
   public:
    explicit Snapshot(DatabaseHandle& handle);
    ~Snapshot();
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;
    [[nodiscard]] const ::rocksdb::Snapshot* get() const { return snapshot_; }  // having access

   private:
    friend class DatabaseHandle;
    DatabaseHandle& handle_;
    const ::rocksdb::Snapshot* snapshot_ = nullptr;  // null: of an earlier epoch
  };
  // Snapshots that keep nothing any more, of queries that still run: nothing may be erased.
  [[nodiscard]] bool has_stale_snapshots() const;

  // Did a write, a flush or a compaction fail since it was opened? Then nothing that it says of writes counts.
  [[nodiscard]] bool is_broken() const { return *broken_; }
  void note_failure() { *broken_ = true; }
  // If it is broken: opened again, when a file can be written beside it. `restore` writes what must not be lost.
  Status mend(const std::function<Status(::rocksdb::DB&)>& restore);

 private:
  explicit DatabaseHandle(std::string path) : path_(std::move(path)) {}
  Status probe() const;
  Status open() VARVE_REQUIRES(gate_);
  void open_to_read() VARVE_REQUIRES(gate_);
  void let_go_of_snapshots() VARVE_REQUIRES(gate_);
  void take(::rocksdb::DB* db) VARVE_REQUIRES(gate_);

  const std::string path_;
  const std::shared_ptr<std::atomic<bool>> broken_ = std::make_shared<std::atomic<bool>>(false);  // RocksDB tells it
  mutable Mutex turn_;  // taken for a moment by those who want access, so that mend() gets its turn
  mutable SharedMutex gate_ VARVE_ACQUIRED_AFTER(turn_);
  std::unique_ptr<::rocksdb::DB> db_ VARVE_GUARDED_BY(gate_);
  std::atomic<std::uint64_t> epoch_{0};

  mutable Mutex snapshots_mutex_ VARVE_ACQUIRED_AFTER(gate_);
  std::set<Snapshot*> snapshots_ VARVE_GUARDED_BY(snapshots_mutex_);
  std::size_t stale_ VARVE_GUARDED_BY(snapshots_mutex_) = 0;
};

}  // namespace varve::engine::rocksdb
