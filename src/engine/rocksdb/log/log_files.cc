// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log_files.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace varve::engine::rocksdb {

int LogFiles::create(const std::string& path) {
  return ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
}

ssize_t LogFiles::write(int fd, const iovec* parts, int count) { return ::writev(fd, parts, count); }

int LogFiles::truncate(int fd, std::uint64_t size) { return ::ftruncate(fd, static_cast<off_t>(size)); }

int LogFiles::sync(int fd) { return ::fdatasync(fd); }

int LogFiles::sync_directory(int fd) { return ::fsync(fd); }

int LogFiles::remove(const std::string& path) { return ::unlink(path.c_str()); }

LogFiles& LogFiles::system() {
  static LogFiles files;
  return files;
}

}  // namespace varve::engine::rocksdb
