// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/log.h"
#include "engine/rocksdb/log/log_format.h"

namespace varve::engine::rocksdb {
namespace {

std::string reason(const char* what, const std::string& path, int error) {
  return std::string(what) + " " + path + ": " + std::strerror(error);
}

std::string segment_path(const std::string& directory, std::uint64_t segment, const char* ending) {
  char name[48];
  std::snprintf(name, sizeof name, "/%016llx%s", static_cast<unsigned long long>(segment), ending);
  return directory + name;
}

Result<int> create(const std::string& path) {
  const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0) return fail(Code::unavailable, reason("cannot create", path, errno));
  std::byte head[kSegmentHeadBytes] = {};
  std::memcpy(head, kLogMagic, sizeof kLogMagic);
  store_le(head + 8, kLogVersion);
  if (::write(fd, head, sizeof head) != static_cast<ssize_t>(sizeof head)) {
    const int error = errno;
    ::close(fd);
    ::unlink(path.c_str());
    return fail(Code::unavailable, reason("cannot write", path, error));
  }
  return fd;
}

// Writes all parts at the end of the file, which is at `offset`, or leaves it as it was: half a record would look like
// damage to the next start.
Status append_to(int fd, std::uint64_t offset, const iovec* parts, int count, std::size_t bytes) {
  const ssize_t written = ::writev(fd, parts, count);
  if (written == static_cast<ssize_t>(bytes)) return {};
  const int error = written < 0 ? errno : ENOSPC;
  if (::ftruncate(fd, static_cast<off_t>(offset)) != 0 || ::lseek(fd, static_cast<off_t>(offset), SEEK_SET) < 0) {
    return fail(Code::unavailable, std::string("cannot write to the log: ") + std::strerror(errno));
  }
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    return fail(Code::unavailable, "disk full: the log cannot grow; writes go on when there is room");
  }
  return fail(Code::unavailable, std::string("cannot write to the log: ") + std::strerror(error));
}

Status not_synced() { return fail(Code::unavailable, "the log's disk failed to sync"); }

void sync_directory(const std::string& directory) {
  const int dir = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return;
  ::fsync(dir);
  ::close(dir);
}

}  // namespace

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

Status Log::start(std::uint64_t segment, std::uint64_t sequence) {
  sequence_ = sequence;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) older_bytes_ += entry.file_size();
  VARVE_CHECK_OK(open_segment(segment));
  thread_ = std::thread([this] { sync_loop(); });
  return {};
}

Status Log::open_segment(std::uint64_t number) {
  VARVE_TRY(const int fd, create(log_path(directory_, number)));
  const std::lock_guard lock(mutex_);
  if (fd_ >= 0) to_close_.push_back(fd_);
  if (definitions_fd_ >= 0) to_close_.push_back(definitions_fd_);
  definitions_fd_ = sync_definitions_fd_ = -1;
  older_bytes_ += offset_;
  fd_ = fd;
  sync_fd_ = fd;
  directory_synced_ = false;  // the new name must become as durable as what is written under it
  segment_ = number;
  offset_ = kSegmentHeadBytes;
  return {};
}

Status Log::write_definitions(std::span<const std::byte> definitions) {
  if (definitions_fd_ < 0) {
    VARVE_TRY(definitions_fd_, create(definitions_path(directory_, segment_)));
    definitions_offset_ = kSegmentHeadBytes;
  }
  std::byte head[kRecordHeadBytes];
  encode_record_head(head, sequence_ + 1, definitions, {});
  const iovec parts[2] = {{head, sizeof head}, {const_cast<std::byte*>(definitions.data()), definitions.size()}};
  const std::size_t bytes = sizeof head + definitions.size();
  VARVE_CHECK_OK(append_to(definitions_fd_, definitions_offset_, parts, 2, bytes));
  definitions_offset_ += bytes;
  const std::lock_guard lock(mutex_);
  older_bytes_ += bytes;
  directory_synced_ = false;
  sync_definitions_fd_ = definitions_fd_;
  return {};
}

Status Log::append(std::span<const std::byte> definitions, std::span<const std::byte> rows) {
  {
    const std::lock_guard lock(mutex_);
    if (failed_) return fail(Code::unavailable, "the log's disk failed to sync; restart when it is well again");
    if (stopping_) return fail(Code::unavailable, "the store is stopping");
  }
  std::byte head[kRecordHeadBytes];
  encode_record_head(head, sequence_ + 1, definitions, rows);
  iovec parts[3] = {{head, sizeof head},
                    {const_cast<std::byte*>(definitions.data()), definitions.size()},
                    {const_cast<std::byte*>(rows.data()), rows.size()}};
  const std::size_t bytes = sizeof head + definitions.size() + rows.size();
  if (!definitions.empty()) VARVE_CHECK_OK(write_definitions(definitions));
  VARVE_CHECK_OK(append_to(fd_, offset_, parts, 3, bytes));
  offset_ += bytes;
  ++sequence_;
  const std::lock_guard lock(mutex_);
  ++written_;
  return {};
}

Status Log::rotate() { return open_segment(segment_ + 1); }

void Log::when_durable(Done done) {
  if (!options_.sync_always) return done({});
  bool durable = false;
  {
    const std::lock_guard lock(mutex_);
    durable = synced_ >= written_;
    if (!durable && !stopping_ && !failed_) {
      waiters_.push_back({written_, std::move(done)});
      wake_.notify_one();
      return;
    }
  }
  done(durable ? Status{} : not_synced());
}

void Log::sync_loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto has_work = [this] { return stopping_ || (options_.sync_always && !waiters_.empty()); };
    if (options_.sync_always) {
      wake_.wait(lock, has_work);
    } else {
      wake_.wait_for(lock, std::chrono::milliseconds(options_.sync_interval_ms), has_work);
    }
    const bool last = stopping_;
    const std::uint64_t target = written_;
    if (target > synced_ || !to_close_.empty()) {
      const int fd = sync_fd_;
      const int definitions_fd = std::exchange(sync_definitions_fd_, -1);
      const std::vector<int> closing = std::exchange(to_close_, {});
      const bool new_name = !std::exchange(directory_synced_, true);
      lock.unlock();
      bool good = true;
      if (new_name) sync_directory(directory_);
      for (const int old : closing) {
        good = ::fdatasync(old) == 0 && good;
        ::close(old);
      }
      if (definitions_fd >= 0) good = ::fdatasync(definitions_fd) == 0 && good;
      good = ::fdatasync(fd) == 0 && good;
      lock.lock();
      if (good) synced_ = target;
      if (!good && !failed_) {
        failed_ = true;
        log::error("the log cannot be synced: writes are refused", {{"error", std::strerror(errno)}});
      }
    }
    std::vector<Waiter> ready;
    const auto split = std::stable_partition(waiters_.begin(), waiters_.end(),
                                             [&](const Waiter& w) { return w.written > synced_ && !failed_; });
    std::move(split, waiters_.end(), std::back_inserter(ready));
    waiters_.erase(split, waiters_.end());
    const std::uint64_t synced = synced_;
    lock.unlock();
    for (auto& waiter : ready) waiter.done(waiter.written <= synced ? Status{} : not_synced());
    lock.lock();
    if (last && waiters_.empty()) return;
  }
}

void Log::remove_before(std::uint64_t segment) {
  const auto numbers = log_segments(directory_);
  if (!numbers) return log::warn("old log segments stay", {{"error", numbers.error().message}});
  std::uint64_t removed = 0;
  for (const std::uint64_t number : *numbers) {
    if (number >= segment) break;
    removed += remove_segment(directory_, number);
  }
  const std::lock_guard lock(mutex_);
  older_bytes_ -= std::min(older_bytes_, removed);
}

std::uint64_t Log::bytes() const {
  const std::lock_guard lock(mutex_);
  return older_bytes_ + offset_;
}

void Log::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (fd_ >= 0) ::close(fd_);
  if (definitions_fd_ >= 0) ::close(definitions_fd_);
  fd_ = definitions_fd_ = -1;
}

}  // namespace varve::engine::rocksdb
