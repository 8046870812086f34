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
  Directory(Directory&& other) noexcept
      : path_(std::move(other.path_)),
        slot_width_ms_(other.slot_width_ms_),
        is_new_(other.is_new_),
        lock_fd_(std::exchange(other.lock_fd_, -1)) {}
  Directory& operator=(Directory&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(slot_width_ms_, other.slot_width_ms_);
    std::swap(is_new_, other.is_new_);
    std::swap(lock_fd_, other.lock_fd_);
    return *this;
  }

  // Creates the directory if it does not exist. Errors: conflict (locked by another process, or with files of somebody
  // else), invalid (created with another slot width), corrupt (FORMAT is unreadable, newer than this build, or missing
  // beside data), io.
  static Result<Directory> open(const std::string& path, std::int64_t slot_width_ms);

  // Nothing has been stored in it yet, and it has no FORMAT.
  [[nodiscard]] bool is_new() const { return is_new_; }
  // To be called when its database exists. From then on it is damage if there is none.
  Status write_format();

  [[nodiscard]] std::string wal() const { return path_ + "/wal"; }
  [[nodiscard]] std::string database() const { return path_ + "/db"; }

 private:
  [[nodiscard]] std::string format() const { return path_ + "/FORMAT"; }

  std::string path_;
  std::int64_t slot_width_ms_ = 0;
  bool is_new_ = false;
  int lock_fd_ = -1;
};

}  // namespace varve::engine::rocksdb
