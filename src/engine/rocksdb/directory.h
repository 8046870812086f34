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
        is_damaged_(other.is_damaged_),
        lacks_sum_(other.lacks_sum_),
        lock_fd_(std::exchange(other.lock_fd_, -1)) {}
  Directory& operator=(Directory&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(slot_width_ms_, other.slot_width_ms_);
    std::swap(is_new_, other.is_new_);
    std::swap(is_damaged_, other.is_damaged_);
    std::swap(lacks_sum_, other.lacks_sum_);
    std::swap(lock_fd_, other.lock_fd_);
    return *this;
  }

  // Creates the directory if it does not exist. Errors: conflict (locked by another process, or with files of somebody
  // else), invalid (created with another slot width), corrupt (FORMAT is unreadable, newer than this build, or missing
  // beside data), io. With `repair` a FORMAT that is damaged is no error: see format_is_damaged().
  static Result<Directory> open(const std::string& path, std::int64_t slot_width_ms, bool repair = false);

  // Nothing has been stored in it yet, and it has no FORMAT.
  [[nodiscard]] bool is_new() const { return is_new_; }
  // To be written anew when it is known that the data were written with this slot width.
  [[nodiscard]] bool format_is_damaged() const { return is_damaged_; }
  // To be called when its database exists. From then on it is damage if there is none.
  Status write_format();
  // That of older versions had no checksum. If it cannot be written, the log says so.
  void add_sum();

  [[nodiscard]] std::string wal() const { return path_ + "/wal"; }
  [[nodiscard]] std::string database() const { return path_ + "/db"; }

 private:
  [[nodiscard]] std::string format() const { return path_ + "/FORMAT"; }
  Status check_format(bool repair);

  std::string path_;
  std::int64_t slot_width_ms_ = 0;
  bool is_new_ = false;
  bool is_damaged_ = false;  // FORMAT; with repair
  bool lacks_sum_ = false;
  int lock_fd_ = -1;
};

}  // namespace varve::engine::rocksdb
