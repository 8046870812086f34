// SPDX-License-Identifier: Apache-2.0
// Log: appends records to the current segment and makes them durable in groups.
//
// Definitions are written twice, the second time to a file beside the segment: all later rows depend on them, so a bad
// sector must not cost more than the rows in it (storage.repair reads that file).
//
// append() writes with one writev() before it returns, so the record survives the process; fdatasync runs in the log's
// own thread, once for all records written since the last one. How far it has synced is recorded in a mark in front of
// a later record. A failed write is undone by truncating the file; if that fails, too, the segment ends there. After a
// failed sync nothing more is written, because it is unknown which data the kernel dropped.
// append() and rotate() are called under the store's append lock; when_durable() from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "engine/rocksdb/env/options.h"
#include "engine/rocksdb/log/log_end.h"
#include "engine/rocksdb/log/log_files.h"
#include "engine/rocksdb/log/log_format.h"

namespace varve::engine::rocksdb {

class Log {
 public:
  using Done = std::function<void(Status)>;

  // `directory` exists.
  Log(std::string directory, const Options& options, const Clock& clock)
      : directory_(std::move(directory)),
        options_(options),
        clock_(clock),
        files_(options.log_files ? *options.log_files : system()) {}
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Starts segment `segment` after the record `sequence`. New records get numbers above `sequence` and above `given`.
  // Older segments must be on disk already.
  Status start(std::uint64_t segment, std::uint64_t sequence, std::uint64_t given = 0);

  // Errors: unavailable (disk full or I/O error; nothing was written), too_large (kPayloadBytesMax).
  Status append(std::span<const std::byte> definitions, std::span<const std::byte> rows);

  // Closes the current segment and starts the next. Older segments stay until remove_before().
  Status rotate();
  [[nodiscard]] std::uint64_t segment() const { return segment_; }
  [[nodiscard]] std::uint64_t segment_bytes() const { return offset_; }
  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }

  // Calls `done` once all records appended so far are as durable as the options require: with sync_always on the sync
  // thread after fdatasync, else immediately, unless the disk falls behind: where something has waited to be synced for
  // twice sync_interval_ms, what comes is answered as with sync_always.
  void when_durable(Done done);
  // How long the oldest record that is not synced has waited; 0: there is none.
  [[nodiscard]] std::int64_t unsynced_ms() const;

  // Deletes the segments below `segment`, once the names of those that stay are on disk and wal/END names the newest.
  void remove_before(std::uint64_t segment) VARVE_EXCLUDES(mutex_);
  [[nodiscard]] std::uint64_t bytes() const;  // of all segments

  // Syncs a last time and stops the thread.
  void stop();

 private:
  struct Waiter {
    std::uint64_t written;
    Done done;
  };
  static LogFiles& system() { return LogFiles::system(); }
  [[nodiscard]] std::int64_t unsynced_ms_locked() const VARVE_REQUIRES(mutex_);
  void sync_loop() VARVE_EXCLUDES(mutex_);
  bool sync_files(std::span<const int> closing, int definitions_fd, int fd, bool new_name);
  Status open_segment(std::uint64_t after);
  Status write_definitions(std::span<const std::byte> definitions);
  Status write_at_end(int fd, std::uint64_t offset, std::span<const iovec> parts);
  void write_last_mark() VARVE_EXCLUDES(mutex_);
  [[nodiscard]] bool has_to_sync() const VARVE_REQUIRES(mutex_);
  [[nodiscard]] bool wants_end() const VARVE_REQUIRES(mutex_);
  void await_end() VARVE_EXCLUDES(mutex_);
  void note_end(LogEnd end);
  Status step(std::string_view name) const { return options_.at_step ? options_.at_step(name) : Status{}; }

  const std::string directory_;
  const Options options_;
  const Clock& clock_;
  LogFiles& files_;
  int directory_fd_ = -1;  // stays open, so that new names can be synced even when descriptors run out

  // Under the store's append lock.
  int fd_ = -1;
  int definitions_fd_ = -1;  // of the copy; opened for the segment's first definition
  std::uint64_t definitions_offset_ = 0;
  std::uint64_t segment_ = 0;
  std::uint64_t next_segment_ = 0;  // a number is used once, even if creating the segment failed
  std::atomic<std::uint64_t> offset_{0};
  std::uint64_t sequence_ = 0;
  std::uint64_t marked_ = 0;    // `synced` of the last mark
  bool segment_ended_ = false;  // its last record is followed by bytes that could not be truncated

  mutable Mutex mutex_;
  Condition wake_;
  std::vector<Waiter> waiters_ VARVE_GUARDED_BY(mutex_);
  std::vector<int> to_close_ VARVE_GUARDED_BY(mutex_);           // of older segments, to be synced and closed
  std::uint64_t written_ VARVE_GUARDED_BY(mutex_) = 0;           // sequence of the last record
  std::uint64_t synced_ VARVE_GUARDED_BY(mutex_) = 0;            // of the last durable one
  std::int64_t unsynced_since_ns_ VARVE_GUARDED_BY(mutex_) = 0;  // when the first record after it came, at the latest
  int sync_fd_ VARVE_GUARDED_BY(mutex_) = -1;
  std::uint64_t sync_segment_ VARVE_GUARDED_BY(mutex_) = 0;  // whose that is
  int sync_definitions_fd_ VARVE_GUARDED_BY(mutex_) = -1;    // -1: nothing to sync
  bool directory_synced_ VARVE_GUARDED_BY(mutex_) = true;
  LogEnd named_ VARVE_GUARDED_BY(mutex_);                     // the newest segment whose name is on disk
  std::uint64_t named_in_end_ VARVE_GUARDED_BY(mutex_) = 0;   // the newest that wal/END names, or could not be made to
  std::uint64_t wanted_in_end_ VARVE_GUARDED_BY(mutex_) = 0;  // somebody waits until wal/END names it
  Condition end_noted_;
  bool stopping_ VARVE_GUARDED_BY(mutex_) = false;
  bool failed_ VARVE_GUARDED_BY(mutex_) =
      false;  // an fdatasync failed: it is unknown what the kernel dropped, so nothing is called durable any more
  std::uint64_t older_bytes_ VARVE_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

// The numbers of the segments in the directory, ascending.
Result<std::vector<std::uint64_t>> log_segments(const std::string& directory);
std::string definitions_path(const std::string& directory, std::uint64_t segment);  // of the copy, which may not exist
std::uint64_t remove_segment(const std::string& directory, std::uint64_t segment);  // with its copy; bytes removed
std::string log_path(const std::string& directory, std::uint64_t segment);
FileIdentity file_identity(int fd);  // current

}  // namespace varve::engine::rocksdb
