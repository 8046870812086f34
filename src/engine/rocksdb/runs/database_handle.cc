// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_handle.h"

#include <fcntl.h>
#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/log.h"
#include "engine/rocksdb/runs/damaged_table.h"
#include "engine/rocksdb/runs/database_reads.h"

namespace varve::engine::rocksdb {
namespace {

constexpr int kProbedDescriptors = 32;          // opening a database takes some
constexpr off_t kProbedBytes = off_t{1} << 20;  // and it writes its list of files anew

Status failed(std::string_view doing) {
  return fail(Code::unavailable, std::string(doing) + ": " + std::strerror(errno));
}

}  // namespace

DatabaseHandle::~DatabaseHandle() = default;

Result<std::unique_ptr<DatabaseHandle>> DatabaseHandle::open(std::string path, bool is_new) {
  std::unique_ptr<DatabaseHandle> handle(new DatabaseHandle(std::move(path)));
  const MutexLock lock(handle->gate_);
  VARVE_RETURN_IF_ERROR(handle->open(is_new));
  return handle;
}

Status DatabaseHandle::open(bool is_new) {
  ::rocksdb::DB* db = nullptr;
  ::rocksdb::Options options = database_options(failures_);
  options.create_if_missing = is_new;
  options.disable_auto_compactions = !compactions_.is_on();
  const auto status = ::rocksdb::DB::Open(options, path_, &db);
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
  if (::rocksdb::DB::OpenForReadOnly(database_options(failures_), path_, &db).ok()) take(db);
}

void DatabaseHandle::take(::rocksdb::DB* db) {
  db_.reset(db);
  ++epoch_;
}

DatabaseHandle::Access DatabaseHandle::access() const { return {std::shared_lock(gate_), db_.get(), epoch_}; }

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

void DatabaseHandle::switch_compactions(const std::optional<Error>& failed) {
  if (!failed) return;
  compactions_.failed(failed->code == Code::corrupt);
  if (failed->code == Code::corrupt) return;  // say_what_is_damaged()
  log::warn("the database cannot be compacted; that is tried again later, all else goes on",
            {{"error", failed->message}});
}

void DatabaseHandle::say_what_is_damaged(const Error& error) {
  const DamagedTable table = find_damaged_table(*db_, error.message);
  log::error("a table of the database is damaged: compacting rests and is tried again later, all else goes on",
             {{"error", error.message},
              {"file", table.file},
              {"level", table.level},
              {"bytes", table.bytes},
              {"from", table.first},
              {"to", table.last}});
  damaged_.insert(table.file);
  damaged_tables_ = damaged_.size();
}

void DatabaseHandle::note_flush(const Access& db) {
  if (!compactions_.flushed()) return;
  const auto on = outcome(db->EnableAutoCompaction({db->DefaultColumnFamily()}), "compacting the database again");
  if (on) return log::info("the database is compacted again");
  log::warn("the database cannot be compacted", {{"error", on.error().message}});
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
  const MutexLock lock(gate_);
  if (!is_broken()) return {};
  if (db_ != nullptr) let_go_of_snapshots();
  db_.reset();
  const std::optional<Error> not_compacted = failures_->clear();
  switch_compactions(not_compacted);
  Status opened = open(false);
  if (opened && not_compacted && not_compacted->code == Code::corrupt) say_what_is_damaged(*not_compacted);
  if (opened) opened = restore(*db_);
  if (!opened) {
    failures_->note();
    db_.reset();
    open_to_read();
    return opened;
  }
  log::info("the database is open again", {{"path", path_}});
  return {};
}

}  // namespace varve::engine::rocksdb
