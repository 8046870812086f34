// SPDX-License-Identifier: Apache-2.0
// Files that are there, whole and under their names, also after a power cut.
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace varve::engine::rocksdb {

// Brings a file, or the names in a folder, to the disk. Error: io.
Status sync_path(const std::string& path);

// Writes the file under another name first, so that `path` is as it was, or whole. Error: io.
Status write_durably(const std::string& path, std::span<const std::span<const std::byte>> parts);

// Makes the folder and those above it that are missing, and their names durable. Error: io.
Status make_folder_durably(const std::string& path);

}  // namespace varve::engine::rocksdb
