// SPDX-License-Identifier: Apache-2.0
// Ingest: the way of a batch into the log and then into the head, and the room there is for it.
//
// The order of the log is the order of the head: both are written under the append lock, which no query takes. A batch
// for which there is no room waits, and is refused when it has waited long enough; nobody waits in a call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "engine/rocksdb/env.h"
#include "engine/rocksdb/head/head.h"
#include "engine/rocksdb/log/log.h"
#include "engine/rocksdb/runs/view.h"
#include "engine/rocksdb/series/catalog.h"
#include "engine/rocksdb/waiting_appends.h"
#include "storage/sample_store.h"

namespace varve::engine::rocksdb {

// Thread-safe.
class Ingest {
 public:
  // `wake_flush`: there is something to flush.
  Ingest(const Env& env, SlabPool& slabs, Catalog& catalog, Visible& visible, std::function<void()> wake_flush)
      : env_(env), slabs_(slabs), catalog_(catalog), visible_(visible), wake_flush_(std::move(wake_flush)) {}
  ~Ingest() { stop(); }

  // A start: what recovery made, in this order. `definitions`: in the log and not in the database.
  void recovered(std::unique_ptr<Log> log, std::shared_ptr<Head> head, std::string definitions) VARVE_EXCLUDES(mutex_);
  void start();                          // takes in those that wait
  void refuse() VARVE_EXCLUDES(mutex_);  // those that wait, and all for which there is no room
  // After that. What is in the head stays in the log.
  void stop() VARVE_EXCLUDES(mutex_);

  // Never waits: where there is no room the rows are copied, and their turn comes, or they are refused. As append() of
  // storage/sample_store.h.
  void append(std::span<const std::byte> rows, storage::SampleStore::AppendDone done) VARVE_EXCLUDES(mutex_);
  // Of a start: rows that an earlier one has set aside. Returns whether the head is full.
  Result<bool> take_in(std::span<const std::byte> rows) VARVE_EXCLUDES(mutex_);
  // Puts definitions that nobody's rows bring along into the log.
  Status log_definitions() VARVE_EXCLUDES(mutex_);
  // Nothing is appended while `work` runs.
  void between_appends(const std::function<void()>& work) VARVE_EXCLUDES(mutex_);

  // --- for flushes
  enum class When { full, filled, now };  // the head: is over its size; holds anything
  // The head becomes immutable, if there is no such head yet. Error: the log cannot be rotated.
  Status rotate(When when) VARVE_EXCLUDES(mutex_);
  struct Immutable {
    std::shared_ptr<const Head> head;  // none: nothing is to be flushed
    Checkpoint checkpoint;             // true once it is in the database; without next run
  };
  [[nodiscard]] Immutable immutable() const VARVE_EXCLUDES(mutex_);
  // Those that are refused are told why it cannot be flushed.
  void note_flush(const Status& status) VARVE_EXCLUDES(mutex_);
  // It is in the database, and so are the segments of the log below this one.
  void flushed(std::uint64_t first_segment) VARVE_EXCLUDES(mutex_);
  // Definitions that are in the log and not in the database, and the number of the last record.
  [[nodiscard]] bool has_logged_definitions() const VARVE_EXCLUDES(mutex_);
  [[nodiscard]] std::pair<std::uint64_t, std::string> take_logged_definitions() VARVE_EXCLUDES(mutex_);
  void put_back_logged_definitions(std::string_view taken) VARVE_EXCLUDES(mutex_);

  [[nodiscard]] std::uint64_t log_bytes() const { return log_->bytes(); }
  [[nodiscard]] SlabPool& slabs() { return slabs_; }

 private:
  // A batch on its way in.
  struct Entering {
    const std::span<const std::byte> all;
    std::span<const std::byte> rows = all;  // without those that are left out
    std::vector<std::byte> kept = {};
    Status left_out = {};  // why some are not kept (invalid)
  };
  Status revive(Entering& batch);
  Status enter(Entering& batch) VARVE_EXCLUDES(mutex_);
  void acknowledge(Status status, Status left_out, storage::SampleStore::AppendDone done) VARVE_EXCLUDES(mutex_);
  void admit_waiting() VARVE_EXCLUDES(mutex_);

  Status write(std::span<const std::byte> rows) VARVE_REQUIRES(mutex_);
  Status write_log(std::span<const std::byte> rows) VARVE_REQUIRES(mutex_);  // what was defined, then the rows
  Status rotate_head() VARVE_REQUIRES(mutex_);
  [[nodiscard]] bool head_over(std::size_t times) const VARVE_REQUIRES(mutex_);
  [[nodiscard]] bool has_room() VARVE_REQUIRES(mutex_);
  [[nodiscard]] Error no_room() const VARVE_REQUIRES(mutex_);

  static constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 20;  // of rows that wait for room

  const Env& env_;
  SlabPool& slabs_;  // of heads
  Catalog& catalog_;
  Visible& visible_;
  const std::function<void()> wake_flush_;

  mutable Mutex mutex_;       // the append lock
  std::unique_ptr<Log> log_;  // written and rotated under the append lock
  std::shared_ptr<Head> head_ VARVE_GUARDED_BY(mutex_);
  Checkpoint immutable_checkpoint_ VARVE_GUARDED_BY(mutex_);
  std::string flush_error_ VARVE_GUARDED_BY(mutex_);         // why a flush fails for now; empty: none does
  std::string rotate_error_ VARVE_GUARDED_BY(mutex_);        // why the log cannot be rotated for now
  std::string logged_definitions_ VARVE_GUARDED_BY(mutex_);  // in the log, not yet handed to the database
  WaitingAppends waiting_ VARVE_GUARDED_BY(mutex_){kWaitingBytesMax};
  bool admits_ VARVE_GUARDED_BY(mutex_) = true;
  Condition room_;  // the immutable head is gone, something waits, or the store is closed
  std::thread admitter_;
};

}  // namespace varve::engine::rocksdb
