// SPDX-License-Identifier: Apache-2.0
// Ingest: writes batches to the log and then to the head, and limits how much memory they take.
//
// Log and head have the same order, because both are written under the append lock, which no query takes. A batch that
// finds no room is queued, and refused after Options::head_wait_ms; append() itself never blocks for that. Where room
// gets scarce, batches are taken in, but their senders hear of it later (Options::head_pause_ms).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "engine/rocksdb/env/env.h"
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
  // `wake_flush` is called when there is something to flush.
  Ingest(const Env& env, SlabPool& slabs, Catalog& catalog, Visible& visible, std::function<void()> wake_flush)
      : env_(env), slabs_(slabs), catalog_(catalog), visible_(visible), wake_flush_(std::move(wake_flush)) {}
  ~Ingest() { stop(); }

  // At start: takes over what recovery restored. `definitions`: those that are in the log but not in the database.
  void recovered(std::unique_ptr<Log> log, std::shared_ptr<Head> head, std::string definitions) VARVE_EXCLUDES(mutex_);
  void start();                          // starts the thread that admits queued batches, and gives delayed answers
  void refuse() VARVE_EXCLUDES(mutex_);  // from now on refuses queued batches, and new ones that find no room
  // Implies refuse(). The head's rows stay in the log.
  void stop() VARVE_EXCLUDES(mutex_);

  // As SampleStore::append() in storage/sample_store.h. Never blocks for room: then the rows are copied and queued, or
  // refused.
  void append(std::span<const std::byte> rows, storage::SampleStore::AppendDone done) VARVE_EXCLUDES(mutex_);
  // At start: rows that an earlier start had set aside. Returns whether the head is full.
  Result<bool> take_in(std::span<const std::byte> rows) VARVE_EXCLUDES(mutex_);
  // Writes pending definitions to the log without waiting for a batch that uses them.
  Status log_definitions() VARVE_EXCLUDES(mutex_);
  // Runs `work` under the append lock.
  void between_appends(const std::function<void()>& work) VARVE_EXCLUDES(mutex_);

  // --- for flushes
  enum class When { full, filled, now };  // if the head is over its size limit; if it holds any row; in any case
  // Makes the head immutable, unless there is an immutable head already. Error: the log cannot be rotated.
  Status rotate(When when) VARVE_EXCLUDES(mutex_);
  struct Immutable {
    std::shared_ptr<const Head> head;  // nullptr: there is nothing to flush
    Checkpoint checkpoint;             // to be committed with the head; next_run is not set
  };
  // Of the last record in the log.
  [[nodiscard]] std::uint64_t sequence() const VARVE_EXCLUDES(mutex_);
  [[nodiscard]] Immutable immutable() const VARVE_EXCLUDES(mutex_);
  // Remembers why a flush failed: refused batches are told.
  void note_flush(const Status& status) VARVE_EXCLUDES(mutex_);
  // The immutable head, and all log segments below this one, are in the database.
  void flushed(std::uint64_t first_segment) VARVE_EXCLUDES(mutex_);
  // Definitions that are in the log but not in the database; take…() returns them with the sequence of the last record.
  [[nodiscard]] bool has_logged_definitions() const VARVE_EXCLUDES(mutex_);
  [[nodiscard]] std::pair<std::uint64_t, std::string> take_logged_definitions() VARVE_EXCLUDES(mutex_);
  void put_back_logged_definitions(std::string_view taken) VARVE_EXCLUDES(mutex_);

  // How near refusals are: up to kWaitingFromPercent the head and its log grow towards the size at which writes wait,
  // from there on the room for those that wait is taken.
  static constexpr double kWaitingFromPercent = 80;
  [[nodiscard]] double percent() const { return percent_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t log_bytes() const { return log_->bytes(); }
  [[nodiscard]] std::int64_t unsynced_ms() const { return log_->unsynced_ms(); }
  [[nodiscard]] SlabPool& slabs() { return slabs_; }

 private:
  // A batch that is being appended.
  struct Entering {
    const std::span<const std::byte> all;
    std::span<const std::byte> rows = all;  // without the rows that are left out
    std::vector<std::byte> kept = {};
    Status left_out = {};  // why some rows are left out (invalid)
  };
  Status revive(Entering& batch);
  Status enter(Entering& batch) VARVE_EXCLUDES(mutex_);
  void acknowledge(Status status, Status left_out, storage::SampleStore::AppendDone done) VARVE_EXCLUDES(mutex_);
  // --- ingest_waiting.cc
  // A batch that is taken in, and whose sender is to hear of it later.
  struct Paused {
    WaitingAppends::Clock::time_point until;
    Status left_out;
    storage::SampleStore::AppendDone done;
  };
  // Of a batch that is written; false: not later, and nothing was moved.
  [[nodiscard]] bool answers_later(Entering& batch, storage::SampleStore::AppendDone& done) VARVE_REQUIRES(mutex_);
  void admit_waiting() VARVE_EXCLUDES(mutex_);  // what the thread does
  void answer_first() VARVE_REQUIRES(mutex_);   // of paused_; unlocks meanwhile, as the next one
  void admit_first() VARVE_REQUIRES(mutex_);    // or refuse, of waiting_

  Status write(std::span<const std::byte> rows) VARVE_REQUIRES(mutex_);
  Status write_log(std::span<const std::byte> rows) VARVE_REQUIRES(mutex_);  // pending definitions, then the rows
  Status rotate_head() VARVE_REQUIRES(mutex_);
  [[nodiscard]] bool head_over(std::size_t times) const VARVE_REQUIRES(mutex_) {
    return head_times() > static_cast<double>(times);
  }
  // How many times as large as a head may get it is, or its log.
  [[nodiscard]] double head_times() const VARVE_REQUIRES(mutex_);
  void note_size() VARVE_REQUIRES(mutex_);
  [[nodiscard]] bool has_room() VARVE_REQUIRES(mutex_);
  [[nodiscard]] Error no_room() const VARVE_REQUIRES(mutex_);

  static constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 20;  // of queued rows

  const Env& env_;
  SlabPool& slabs_;  // of heads
  Catalog& catalog_;
  Visible& visible_;
  const std::function<void()> wake_flush_;

  mutable Mutex mutex_;       // the append lock
  std::unique_ptr<Log> log_;  // written and rotated under the append lock
  std::shared_ptr<Head> head_ VARVE_GUARDED_BY(mutex_);
  Checkpoint immutable_checkpoint_ VARVE_GUARDED_BY(mutex_);
  std::string flush_error_ VARVE_GUARDED_BY(mutex_);         // why flushes fail at present; empty: they do not
  std::string rotate_error_ VARVE_GUARDED_BY(mutex_);        // why the log cannot be rotated at present
  std::string logged_definitions_ VARVE_GUARDED_BY(mutex_);  // in the log, not yet in the database
  WaitingAppends waiting_ VARVE_GUARDED_BY(mutex_){kWaitingBytesMax};
  std::deque<Paused> paused_ VARVE_GUARDED_BY(mutex_);  // `until` ascends
  std::atomic<double> percent_{0};                      // written under the lock
  bool admits_ VARVE_GUARDED_BY(mutex_) = true;
  Condition room_;  // the immutable head was flushed, a batch was queued, or the store is closing
  std::thread admitter_;
};

}  // namespace varve::engine::rocksdb
