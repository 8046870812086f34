// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_handle.h"

#include <fcntl.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/thread_priority.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kMemtableBytes = std::size_t{16} << 20;
constexpr std::size_t kTableCacheBytes = std::size_t{8} << 20;  // index blocks; chunks are cached decoded, above
constexpr int kProbedDescriptors = 32;                          // opening a database takes some
constexpr off_t kProbedBytes = off_t{1} << 20;                  // and it writes its list of files anew

constexpr int kLinesPerMinute = 10;

// What RocksDB says about itself goes into our log: errors only, and not more than a few a minute. It must not write
// the file LOG that it would make by itself: Debian's RocksDB is built with assertions, one of which is that nobody
// writes to a file that could not be written before, and its logger does. A full disk ended the process.
class DatabaseLog final : public ::rocksdb::Logger {
 public:
  DatabaseLog() : Logger(::rocksdb::InfoLogLevel::ERROR_LEVEL) {}
  using Logger::Logv;
  void Logv(::rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (level >= ::rocksdb::InfoLogLevel::ERROR_LEVEL && level != ::rocksdb::InfoLogLevel::HEADER_LEVEL) {
      Logv(format, arguments);
    }
  }
  void Logv(const char* format, va_list arguments) override {
    const auto minute =
        std::chrono::duration_cast<std::chrono::minutes>(std::chrono::steady_clock::now().time_since_epoch()).count();
    if (minute_.exchange(minute) != minute) lines_ = 0;
    if (++lines_ > kLinesPerMinute) return;
    char text[1024];
    std::vsnprintf(text, sizeof text, format, arguments);
    log::warn("RocksDB reports an error", {{"text", std::string(text)}});
  }

 private:
  std::atomic<std::int64_t> minute_{0};
  std::atomic<int> lines_{0};
};

// Notes every failure of a flush or a compaction. RocksDB is not to come back by itself: after that a flush may be said
// to be done that is not (docs/decisions/0032).
class FailureListener final : public ::rocksdb::EventListener {
 public:
  explicit FailureListener(std::shared_ptr<std::atomic<bool>> failed) : failed_(std::move(failed)) {}
  void OnBackgroundError(::rocksdb::BackgroundErrorReason, ::rocksdb::Status*) override { *failed_ = true; }
  // Called by the thread that compacts. What it does is as little urgent as maintenance (worker.h).
  void OnCompactionBegin(::rocksdb::DB*, const ::rocksdb::CompactionJobInfo&) override {
    thread_local bool is_low = false;
    if (!std::exchange(is_low, true)) lower_thread_priority();
  }
  void OnErrorRecoveryBegin(::rocksdb::BackgroundErrorReason, ::rocksdb::Status, bool* by_itself) override {
    *by_itself = false;
  }

 private:
  const std::shared_ptr<std::atomic<bool>> failed_;
};

::rocksdb::Options database_options(const std::shared_ptr<std::atomic<bool>>& failed) {
  ::rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = ::rocksdb::kNoCompression;
  options.write_buffer_size = kMemtableBytes;
  options.max_write_buffer_number = 2;
  options.max_background_jobs = 3;  // a flush, and two compactions: one of them may be of everything
  // Who writes is held up by the room in the head, not here: a compaction of everything must not keep a flush waiting.
  options.level0_slowdown_writes_trigger = 128;
  options.level0_stop_writes_trigger = 1024;
  // A commit is a table of its own, often a small one: each compaction of a few of them writes the first level again.
  options.level0_file_num_compaction_trigger = 16;
  // A table has keys of all kinds, so whatever is compacted into the first level meets all of that: it is kept small.
  // From there on tables are moved as they are, as blocks ascend as they are written (keys.h).
  options.target_file_size_base = 16ULL << 20;
  options.max_bytes_for_level_base = 64ULL << 20;
  options.level_compaction_dynamic_level_bytes = true;
  options.max_open_files = 512;
  options.info_log = std::make_shared<DatabaseLog>();
  options.avoid_flush_during_shutdown = true;  // the log has what was not flushed
  options.max_bgerror_resume_count = 0;
  options.listeners.push_back(std::make_shared<FailureListener>(failed));
  ::rocksdb::BlockBasedTableOptions table;
  table.block_cache = ::rocksdb::NewLRUCache(kTableCacheBytes);
  table.block_size = 16 * 1024;
  table.format_version = 5;
  // Who reads a block need not look into every table that has not been compacted yet.
  table.filter_policy.reset(::rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(::rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

Status failed(std::string_view doing) {
  return fail(Code::unavailable, std::string(doing) + ": " + std::strerror(errno));
}

}  // namespace

DatabaseHandle::~DatabaseHandle() = default;

Result<std::unique_ptr<DatabaseHandle>> DatabaseHandle::open(std::string path) {
  std::unique_ptr<DatabaseHandle> handle(new DatabaseHandle(std::move(path)));
  const MutexLock lock(handle->gate_);
  VARVE_RETURN_IF_ERROR(handle->open());
  return handle;
}

Status DatabaseHandle::open() {
  ::rocksdb::DB* db = nullptr;
  const auto status = ::rocksdb::DB::Open(database_options(broken_), path_, &db);
  if (!status.ok()) {
    const std::string message = "opening the database " + path_ + ": " + status.ToString();
    if (status.IsCorruption()) return fail(Code::corrupt, message);
    if (status.IsNoSpace()) return fail(Code::unavailable, message);
    const bool locked = status.IsIOError() && message.find("lock") != std::string::npos;
    return fail(locked ? Code::conflict : Code::io, message);
  }
  take(db);
  return {};
}

// Where it cannot be opened to be written to, as no file can be made, what is in it can still be asked for.
void DatabaseHandle::open_to_read() {
  ::rocksdb::DB* db = nullptr;
  if (::rocksdb::DB::OpenForReadOnly(database_options(broken_), path_, &db).ok()) take(db);
}

void DatabaseHandle::take(::rocksdb::DB* db) {
  db_.reset(db);
  ++epoch_;
}

DatabaseHandle::Access DatabaseHandle::access() const {
  {
    const MutexLock turn(turn_);
  }
  return {std::shared_lock(gate_), db_.get(), epoch_};
}

Error DatabaseHandle::closed() {
  return {Code::unavailable, "the database failed and is not open again yet; it is tried every second"};
}

DatabaseHandle::Snapshot::Snapshot(DatabaseHandle& handle) : handle_(handle) {
  const auto db = handle_.access();
  if (db) snapshot_ = db->GetSnapshot();
  const MutexLock lock(handle_.snapshots_mutex_);
  handle_.snapshots_.insert(this);
  if (snapshot_ == nullptr) ++handle_.stale_;
}

DatabaseHandle::Snapshot::~Snapshot() {
  const auto db = handle_.access();
  {
    const MutexLock lock(handle_.snapshots_mutex_);
    handle_.snapshots_.erase(this);
    if (snapshot_ == nullptr) --handle_.stale_;
  }
  if (snapshot_ != nullptr) db->ReleaseSnapshot(snapshot_);
}

bool DatabaseHandle::has_stale_snapshots() const {
  const MutexLock lock(snapshots_mutex_);
  return stale_ > 0;
}

void DatabaseHandle::let_go_of_snapshots() {
  const MutexLock lock(snapshots_mutex_);
  for (Snapshot* one : snapshots_) {
    if (one->snapshot_ == nullptr) continue;
    db_->ReleaseSnapshot(one->snapshot_);
    one->snapshot_ = nullptr;
    ++stale_;
  }
}

// A file beside the database can be made, written and synced, and there are descriptors.
Status DatabaseHandle::probe() const {
  const std::string path = path_ + "/PROBE";
  std::vector<int> open;
  Status status;
  for (int i = 0; i < kProbedDescriptors && status; ++i) {
    const int fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    if (fd < 0) {
      status = failed("opening " + path);
    } else {
      open.push_back(fd);
    }
  }
  const std::array<char, 4096> bytes{};
  if (status && ::write(open[0], bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    status = failed("writing " + path);
  }
  if (status) {
    errno = ::posix_fallocate(open[0], 0, kProbedBytes);
    if (errno != 0) status = failed("writing " + path);
  }
  if (status && ::fdatasync(open[0]) != 0) status = failed("syncing " + path);
  for (const int fd : open) ::close(fd);
  ::unlink(path.c_str());
  return status;
}

Status DatabaseHandle::mend(const std::function<Status(::rocksdb::DB&)>& restore) {
  if (!is_broken()) return {};
  VARVE_RETURN_IF_ERROR(probe());
  {
    const auto db = access();
    // Whoever waits inside for a flush or a compaction comes back. A failed flush sleeps for a second: who reads, goes
    // on meanwhile.
    if (db) ::rocksdb::CancelAllBackgroundWork(&*db, true);
  }
  const MutexLock turn(turn_);
  const MutexLock lock(gate_);
  if (!is_broken()) return {};
  if (db_ != nullptr) let_go_of_snapshots();
  db_.reset();
  *broken_ = false;
  Status opened = open();
  if (opened) opened = restore(*db_);
  if (!opened) {
    *broken_ = true;
    db_.reset();
    open_to_read();
    return opened;
  }
  log::info("the database is open again", {{"path", path_}});
  return {};
}

}  // namespace varve::engine::rocksdb
