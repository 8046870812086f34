// SPDX-License-Identifier: Apache-2.0
// For tests that open stores many times: directories in memory, where syncing costs nothing. What a dead process has
// written is there as well as on a disk.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace varve::engine::rocksdb::testing {

inline void make_directories_in_memory() {
  std::error_code ignored;
  if (std::filesystem::is_directory("/dev/shm", ignored)) ::setenv("TMPDIR", "/dev/shm", 0);
}

}  // namespace varve::engine::rocksdb::testing
