// SPDX-License-Identifier: Apache-2.0
// What stood in the log behind its end after a power cut, kept in wal/<segment>.aside for storage.repair.
// docs/formats/log.md, "Aside".
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

// Paths of those in the directory, oldest first.
std::vector<std::string> aside_files(const std::string& directory);

// Durable when it returns. `groups`: how many line groups were defined in front of these bytes; later numbers have been
// given to others since. Error: io.
Status write_aside(const std::string& directory, std::uint64_t segment, std::uint64_t groups,
                   std::span<const std::span<const std::byte>> bytes);

// Gives each good record to `apply`. Errors: corrupt, io, or what `apply` answered.
Status read_aside(const std::string& path,
                  const std::function<Status(const LogRecord& record, std::uint64_t groups)>& apply);

}  // namespace varve::engine::rocksdb
