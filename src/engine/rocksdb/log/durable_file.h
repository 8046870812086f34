// SPDX-License-Identifier: Apache-2.0
// Writes files so that after a power cut they are complete and under their final names.
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace varve::engine::rocksdb {

// fsync of a file, or of a directory and so of the names in it. Error: io.
Status sync_path(const std::string& path);

// Writes to a temporary name and renames it, so that `path` is either unchanged or complete. Error: io.
Status write_durably(const std::string& path, std::span<const std::span<const std::byte>> parts);

// Creates the directory and its missing parents, and makes their names durable. Error: io.
Status make_folder_durably(const std::string& path);

}  // namespace varve::engine::rocksdb
