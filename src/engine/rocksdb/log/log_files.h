// SPDX-License-Identifier: Apache-2.0
// LogFiles: the system calls by which the log changes files, so that tests can make each of them fail.
//
// Each returns what the system call returns and sets errno: −1 is an error, and write() may be partial.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

struct iovec;

namespace varve::engine::rocksdb {

class LogFiles {
 public:
  LogFiles() = default;
  virtual ~LogFiles() = default;
  LogFiles(const LogFiles&) = delete;
  LogFiles& operator=(const LogFiles&) = delete;

  virtual int create(const std::string& path);  // of a new file, opened for writing
  virtual ssize_t write(int fd, const iovec* parts, int count);
  virtual int truncate(int fd, std::uint64_t size);
  virtual int sync(int fd);            // fdatasync
  virtual int sync_directory(int fd);  // fsync: names are as durable as the files
  virtual int remove(const std::string& path);

  static LogFiles& system();  // thread-safe
};

}  // namespace varve::engine::rocksdb
