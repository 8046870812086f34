// SPDX-License-Identifier: Apache-2.0
// Directory: the data directory of a store. Locks it for one process and checks its format.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"

namespace varve::engine::rocksdb {

class Directory {
 public:
  Directory() = default;
  ~Directory();
  Directory(Directory&& other) noexcept : path_(std::move(other.path_)), lock_fd_(std::exchange(other.lock_fd_, -1)) {}
  Directory& operator=(Directory&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(lock_fd_, other.lock_fd_);
    return *this;
  }

  // Creates the directory if it does not exist. Errors: conflict (locked by another process), invalid (created with
  // another slot width), corrupt (FORMAT is unreadable or newer than this build), io.
  static Result<Directory> open(const std::string& path, std::int64_t slot_width_ms);

  [[nodiscard]] std::string wal() const { return path_ + "/wal"; }
  [[nodiscard]] std::string database() const { return path_ + "/db"; }

 private:
  std::string path_;
  int lock_fd_ = -1;
};

}  // namespace varve::engine::rocksdb
