// SPDX-License-Identifier: Apache-2.0
// The log's system calls, of which some fail: of those of the chosen kinds, the n-th and so many after it.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cerrno>
#include <vector>

#include "engine/rocksdb/log/log_files.h"

namespace varve::engine::rocksdb::testing {

class FailingFiles final : public LogFiles {
 public:
  enum Kind : unsigned { kCreate = 1, kWrite = 2, kTruncate = 4, kSync = 8, kSyncDirectory = 16, kRemove = 32 };
  static constexpr unsigned kAll = 63;

  // From now on. `first` 0: none; `shorten`: writes that fail have written the half.
  void fail(unsigned kinds, std::uint64_t first, std::uint64_t count, int error = EIO, bool shorten = false) {
    calls_ = 0;
    kinds_ = kinds;
    first_ = first;
    end_ = first + count;
    error_ = error;
    shorten_ = shorten;
  }
  void heal() { fail(0, 0, 0); }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }

  int create(const std::string& path) override { return fails(kCreate) ? -1 : LogFiles::create(path); }
  ssize_t write(int fd, const iovec* parts, int count) override {
    if (!fails(kWrite)) return LogFiles::write(fd, parts, count);
    return shorten_ ? half(fd, parts, count) : -1;
  }
  int truncate(int fd, std::uint64_t size) override { return fails(kTruncate) ? -1 : LogFiles::truncate(fd, size); }
  int sync(int fd) override { return fails(kSync) ? -1 : LogFiles::sync(fd); }
  int sync_directory(int fd) override { return fails(kSyncDirectory) ? -1 : LogFiles::sync_directory(fd); }
  int remove(const std::string& path) override { return fails(kRemove) ? -1 : LogFiles::remove(path); }

 private:
  bool fails(unsigned kind) {
    if ((kinds_ & kind) == 0) return false;
    const std::uint64_t call = ++calls_;
    if (first_ == 0 || call < first_ || call >= end_) return false;
    ++failed_;
    errno = error_;
    return true;
  }
  static ssize_t half(int fd, const iovec* parts, int count) {
    std::vector<std::byte> bytes;
    for (int i = 0; i < count; ++i) {
      const auto* at = static_cast<const std::byte*>(parts[i].iov_base);
      bytes.insert(bytes.end(), at, at + parts[i].iov_len);
    }
    const iovec part{bytes.data(), bytes.size() / 2};
    return ::writev(fd, &part, 1);
  }

  std::atomic<unsigned> kinds_{0};
  std::atomic<std::uint64_t> calls_{0}, first_{0}, end_{0}, failed_{0};
  std::atomic<int> error_{0};
  std::atomic<bool> shorten_{false};
};

}  // namespace varve::engine::rocksdb::testing
