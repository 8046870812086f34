// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/check.h"
#include "base/guarded.h"
#include "base/log.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::chrono::milliseconds kOutOfMemoryPause{10};

std::string reason(const char* what, const std::string& path, int error) {
  return std::string(what) + " " + path + ": " + std::strerror(error);
}

std::string segment_path(const std::string& directory, std::uint64_t segment, const char* ending) {
  char name[48];
  std::snprintf(name, sizeof name, "/%016llx%s", static_cast<unsigned long long>(segment), ending);
  return directory + name;
}

std::uint64_t half_of_boot_id(const std::string& digits, std::size_t at) {
  return digits.size() < at + 16 ? 0 : std::stoull(digits.substr(at, 16), nullptr, 16);
}

// Makes the file, with its head and its first mark.
Result<int> create(LogFiles& files, const std::string& path, LogMark mark) {
  const int fd = files.create(path);
  if (fd < 0) return fail(Code::unavailable, reason("cannot create", path, errno));
  mark.file = file_identity(fd);
  std::byte head[kSegmentHeadBytes + kMarkRecordBytesMax] = {};
  std::memcpy(head, kLogMagic, sizeof kLogMagic);
  store_le(head + 8, kLogVersion);
  std::byte record[kMarkRecordBytesMax];
  encode_mark(record, mark);
  std::memcpy(head + kSegmentHeadBytes, record, sizeof record);
  const iovec part{head, sizeof head};
  const ssize_t written = files.write(fd, &part, 1);
  if (written != static_cast<ssize_t>(sizeof head)) {
    const int error = written < 0 ? errno : ENOSPC;
    ::close(fd);
    files.remove(path);
    return fail(Code::unavailable, reason("cannot write", path, error));
  }
  return fd;
}

Status not_written(int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    return fail(Code::unavailable, "disk full: the log cannot grow; writes go on when there is room");
  }
  return fail(Code::unavailable, std::string("cannot write to the log: ") + std::strerror(error));
}

Status not_synced() { return fail(Code::unavailable, "the log's disk failed to sync"); }

}  // namespace

FileIdentity file_identity(int fd) {
  FileIdentity identity;
  struct statx status{};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &status) == 0) {
    identity.inode = status.stx_ino;
    if ((status.stx_mask & STATX_BTIME) != 0) {
      identity.born_ns = static_cast<std::uint64_t>(status.stx_btime.tv_sec) * 1'000'000'000 + status.stx_btime.tv_nsec;
    }
  }
  static const std::string boot_id = [] {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    std::erase(id, '-');
    return id.find_first_not_of("0123456789abcdef") == std::string::npos ? id : std::string();
  }();
  identity.boot[0] = half_of_boot_id(boot_id, 0);
  identity.boot[1] = half_of_boot_id(boot_id, 16);
  return identity;
}

std::string log_path(const std::string& directory, std::uint64_t segment) {
  return segment_path(directory, segment, ".log");
}

std::string definitions_path(const std::string& directory, std::uint64_t segment) {
  return segment_path(directory, segment, ".definitions");
}

Result<std::vector<std::uint64_t>> log_segments(const std::string& directory) {
  std::vector<std::uint64_t> numbers;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() != 20 || !name.ends_with(".log")) continue;
    if (name.find_first_not_of("0123456789abcdef") != 16) continue;
    numbers.push_back(std::stoull(name.substr(0, 16), nullptr, 16));
  }
  if (error) return fail(Code::io, "cannot list " + directory + ": " + error.message());
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::uint64_t remove_segment(const std::string& directory, std::uint64_t segment) {
  std::uint64_t removed = 0;
  for (const std::string& path : {log_path(directory, segment), definitions_path(directory, segment)}) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (!error && std::filesystem::remove(path, error)) removed += size;
  }
  return removed;
}

Log::~Log() { stop(); }

Status Log::start(std::uint64_t segment, std::uint64_t sequence, std::uint64_t given) {
  directory_fd_ = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory_fd_ < 0) return fail(Code::io, reason("cannot open", directory_, errno));
  sequence_ = std::max(sequence, given);
  next_segment_ = segment;
  {
    const MutexLock lock(mutex_);
    written_ = synced_ = sequence_;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
      if (entry.path() != end_path(directory_)) older_bytes_ += entry.file_size();
    }
  }
  VARVE_RETURN_IF_ERROR(open_segment(sequence));
  thread_ = std::thread([this] {
    while (!guarded([this] { sync_loop(); })) std::this_thread::sleep_for(kOutOfMemoryPause);
  });
  return {};
}

Status Log::open_segment(std::uint64_t after) {
  LogMark mark{after, 0, sequence_ + 1, {}};
  {
    const MutexLock lock(mutex_);
    mark.synced = synced_;
  }
  const std::uint64_t number = next_segment_++;
  VARVE_ASSIGN_OR_RETURN(const int fd, create(files_, log_path(directory_, number), mark));
  check(number > segment_ && mark.synced <= sequence_, "segments ascend, and only what was written is synced");
  marked_ = mark.synced;
  segment_ended_ = false;
  const MutexLock lock(mutex_);
  if (fd_ >= 0) to_close_.push_back(fd_);
  if (definitions_fd_ >= 0) to_close_.push_back(definitions_fd_);
  definitions_fd_ = sync_definitions_fd_ = -1;
  older_bytes_ += offset_;
  fd_ = fd;
  sync_fd_ = fd;
  sync_segment_ = number;
  directory_synced_ = false;  // the new name must become as durable as what is written under it
  segment_ = number;
  offset_ = kSegmentHeadBytes + kMarkRecordBytesMax;
  return {};
}

// Writes all parts at the end of the file, which is at `offset`, or leaves it as it was. Half a record that cannot be
// cut off ends the segment: the next one says which record came before it, and what is behind that one counts no more.
Status Log::write_at_end(int fd, std::uint64_t offset, std::span<const iovec> parts) {
  check(fd >= 0 && offset >= kSegmentHeadBytes, "a segment has a head");
  std::size_t bytes = 0;
  for (const iovec& part : parts) bytes += part.iov_len;
  const ssize_t written = files_.write(fd, parts.data(), static_cast<int>(parts.size()));
  if (written == static_cast<ssize_t>(bytes)) return {};
  const int error = written < 0 ? errno : ENOSPC;
  if (files_.truncate(fd, offset) != 0 || ::lseek(fd, static_cast<off_t>(offset), SEEK_SET) < 0) segment_ended_ = true;
  return not_written(error);
}

Status Log::write_definitions(std::span<const std::byte> definitions) {
  if (definitions_fd_ < 0) {
    VARVE_ASSIGN_OR_RETURN(definitions_fd_,
                           create(files_, definitions_path(directory_, segment_), {sequence_, 0, sequence_ + 1, {}}));
    definitions_offset_ = kSegmentHeadBytes + kMarkRecordBytesMax;
  }
  std::byte head[kRecordHeadBytes];
  encode_record_head(head, sequence_ + 1, definitions, {});
  const iovec parts[2] = {{head, sizeof head}, {const_cast<std::byte*>(definitions.data()), definitions.size()}};
  VARVE_RETURN_IF_ERROR(write_at_end(definitions_fd_, definitions_offset_, parts));
  definitions_offset_ += sizeof head + definitions.size();
  const MutexLock lock(mutex_);
  older_bytes_ += sizeof head + definitions.size();
  directory_synced_ = false;
  sync_definitions_fd_ = definitions_fd_;
  return {};
}

Status Log::append(std::span<const std::byte> definitions, std::span<const std::byte> rows) {
  if (definitions.size() + rows.size() > kPayloadBytesMax) {
    return fail(Code::too_large, "a request takes more than 1 GiB in the log");
  }
  std::uint64_t synced = 0;
  {
    const MutexLock lock(mutex_);
    if (failed_) return fail(Code::unavailable, "the log's disk failed to sync; restart when it is well again");
    if (stopping_) return fail(Code::unavailable, "the store is stopping");
    synced = synced_;
  }
  if (segment_ended_) VARVE_RETURN_IF_ERROR(rotate());
  if (!definitions.empty()) VARVE_RETURN_IF_ERROR(write_definitions(definitions));
  std::byte mark[kMarkRecordBytesMax];
  const std::size_t mark_bytes = synced > marked_ ? encode_mark(mark, {sequence_, synced, sequence_ + 1, {}}) : 0;
  std::byte head[kRecordHeadBytes];
  encode_record_head(head, sequence_ + 1, definitions, rows);
  const iovec parts[4] = {{mark, mark_bytes},
                          {head, sizeof head},
                          {const_cast<std::byte*>(definitions.data()), definitions.size()},
                          {const_cast<std::byte*>(rows.data()), rows.size()}};
  VARVE_RETURN_IF_ERROR(write_at_end(fd_, offset_, parts));
  offset_ += mark_bytes + sizeof head + definitions.size() + rows.size();
  marked_ = std::max(marked_, synced);
  ++sequence_;
  const MutexLock lock(mutex_);
  check(written_ < sequence_ && synced_ <= written_, "records are numbered one after the other");
  if (synced_ == written_) unsynced_since_ns_ = clock_.steady_ns();
  written_ = sequence_;
  return {};
}

Status Log::rotate() { return open_segment(sequence_); }

void Log::when_durable(Done done) {
  check(done != nullptr, "somebody is told");
  bool durable = false;
  {
    const MutexLock lock(mutex_);
    durable = synced_ >= written_ || (!options_.sync_always && unsynced_ms_locked() < 2 * options_.sync_interval_ms);
    if (!durable && !stopping_ && !failed_) {
      waiters_.push_back({written_, std::move(done)});
      wake_.notify_one();
      return;
    }
  }
  done(durable ? Status{} : not_synced());
}

// In this order: a record is durable only with all that came before it, and under its name.
bool Log::sync_files(std::span<const int> closing, int definitions_fd, int fd, bool new_name) {
  bool good = !new_name || files_.sync_directory(directory_fd_) == 0;
  int error = errno;
  const auto sync = [&](int file) {
    if (files_.sync(file) == 0) return;
    error = errno;
    good = false;
  };
  for (const int old : closing) {
    sync(old);
    ::close(old);
  }
  if (definitions_fd >= 0) sync(definitions_fd);
  sync(fd);
  errno = error;
  return good;
}

bool Log::wants_end() const { return !failed_ && wanted_in_end_ > named_in_end_; }

bool Log::has_to_sync() const {
  return written_ > synced_ || !to_close_.empty() || (wants_end() && !directory_synced_);
}

void Log::sync_loop() {
  MutexLock lock(mutex_);
  while (true) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.sync_interval_ms);
    while (!stopping_ && waiters_.empty() && !wants_end()) {
      if (options_.sync_always) {
        wake_.wait(mutex_);
      } else if (wake_.wait_until(mutex_, until) == std::cv_status::timeout) {
        break;
      }
    }
    const bool last = stopping_;
    const std::uint64_t target = written_;
    if (has_to_sync()) {
      const int fd = sync_fd_;
      const int definitions_fd = std::exchange(sync_definitions_fd_, -1);
      const std::vector<int> closing = std::exchange(to_close_, {});
      const bool new_name = !std::exchange(directory_synced_, true);
      const std::uint64_t segment = sync_segment_;
      const std::int64_t began_ns = clock_.steady_ns();
      lock.unlock();
      const bool good = sync_files(closing, definitions_fd, fd, new_name);
      const int error = errno;
      lock.lock();
      check(target >= synced_ && target <= written_, "what is synced was written before");
      if (good) {
        synced_ = target;
        unsynced_since_ns_ = std::max(unsynced_since_ns_, began_ns);
        if (new_name && !failed_) named_ = {segment, target};
      }
      if (!good && !failed_) {
        failed_ = true;
        end_noted_.notify_all();
        log::error("the log cannot be synced: writes are refused until a restart", {{"error", std::strerror(error)}});
      }
    }
    std::vector<Waiter> ready;
    ready.reserve(waiters_.size());  // if memory is out here, nobody's answer is lost: the loop begins again
    const std::uint64_t synced = synced_;
    const bool failed = failed_;
    const LogEnd end = named_;
    const bool is_new_end = end.segment > named_in_end_;
    const auto split = std::stable_partition(waiters_.begin(), waiters_.end(),
                                             [&](const Waiter& w) { return w.written > synced && !failed; });
    std::move(split, waiters_.end(), std::back_inserter(ready));
    waiters_.erase(split, waiters_.end());
    lock.unlock();
    for (auto& waiter : ready) waiter.done(waiter.written <= synced ? Status{} : not_synced());
    if (is_new_end) note_end(end);
    lock.lock();
    if (is_new_end) {
      named_in_end_ = end.segment;
      end_noted_.notify_all();
    }
    if (last && waiters_.empty()) return;
  }
}

std::int64_t Log::unsynced_ms() const {
  const MutexLock lock(mutex_);
  return unsynced_ms_locked();
}

std::int64_t Log::unsynced_ms_locked() const {
  return synced_ >= written_ ? 0 : (clock_.steady_ns() - unsynced_since_ns_) / 1'000'000;
}

void Log::remove_before(std::uint64_t segment) {
  // The database names the first one that stays: with none at all, a start would have to think that it is lost.
  if (files_.sync_directory(directory_fd_) != 0) {
    return log::warn("old log segments stay", {{"error", reason("cannot sync", directory_, errno)}});
  }
  const auto numbers = log_segments(directory_);
  if (!numbers) return log::warn("old log segments stay", {{"error", numbers.error().message}});
  if (numbers->empty() || numbers->front() >= segment || !step("log.end")) return;
  await_end();
  std::uint64_t removed = 0;
  Status status = step("log.noted");
  for (const std::uint64_t number : *numbers) {
    if (number >= segment || !status) break;
    removed += remove_segment(directory_, number);
    status = step("log.removed");
  }
  const MutexLock lock(mutex_);
  older_bytes_ -= std::min(older_bytes_, removed);
}

// Until wal/END names the segment that is written now: the one it names may be removed, and says nothing then. Where it
// cannot be replaced they go all the same: on a full disk their room is what the others need.
void Log::await_end() {
  MutexLock lock(mutex_);
  const std::uint64_t wanted = sync_segment_;
  wanted_in_end_ = std::max(wanted_in_end_, wanted);
  wake_.notify_one();
  while (named_in_end_ < wanted && !stopping_ && !failed_) end_noted_.wait(mutex_);
}

std::uint64_t Log::bytes() const {
  const MutexLock lock(mutex_);
  return older_bytes_ + offset_;
}

void Log::stop() {
  {
    const MutexLock lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
  }
  wake_.notify_all();
  end_noted_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (fd_ >= 0) write_last_mark();
  for (int* fd : {&fd_, &definitions_fd_, &directory_fd_}) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
}

// The next record would tell that the last sync was done: none comes any more.
void Log::write_last_mark() {
  const MutexLock lock(mutex_);
  if (failed_ || segment_ended_ || synced_ != sequence_ || synced_ <= marked_) return;
  std::byte mark[kMarkRecordBytesMax];
  const iovec part{mark, encode_mark(mark, {sequence_, synced_, sequence_ + 1, {}})};
  if (!write_at_end(fd_, offset_, {&part, 1}) || files_.sync(fd_) != 0) return;
  marked_ = synced_;
  note_end({segment_, synced_});
}

// Each names a newer segment than the one before, or more of it. What it said before stays true.
void Log::note_end(LogEnd end) {
  if (const Status status = write_end(directory_, end); !status) {
    log::warn("how far the log goes is not noted", {{"error", status.error().message}});
  }
}

}  // namespace varve::engine::rocksdb
