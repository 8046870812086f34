// SPDX-License-Identifier: Apache-2.0
// Records that a start took out of the log and keeps: those after a hole that a power cut left, in wal/<segment>.aside
// for storage.repair, and those that make no sense, in wal/<segment>.rejected for people. docs/formats/log.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/rocksdb/log/log_format.h"

namespace varve::engine::rocksdb {

std::string aside_path(const std::string& directory, std::uint64_t segment);
std::string rejected_path(const std::string& directory, std::uint64_t segment);

// The paths of the aside files in the directory, oldest first.
std::vector<std::string> aside_files(const std::string& directory);

// Durable when it returns. `groups`: the number of line groups defined before these bytes; numbers from there on may
// have been given to other groups since. Error: io.
Status write_aside(const std::string& path, std::uint64_t groups, std::span<const std::span<const std::byte>> bytes);

// Calls `apply` with each valid record. Errors: corrupt, io, or the error of `apply`.
Status read_aside(const std::string& path,
                  const std::function<Status(const LogRecord& record, std::uint64_t groups)>& apply);

}  // namespace varve::engine::rocksdb
