// SPDX-License-Identifier: Apache-2.0
// wal/END: how far the log goes at least. A segment that is gone, or a part of the last one, leaves no other trace.
// docs/formats/log.md, "End".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace varve::engine::rocksdb {

struct LogEnd {
  std::uint64_t segment = 0;   // it is on disk, and its name, too
  std::uint64_t sequence = 0;  // records up to this one are on disk
};

std::string end_path(const std::string& directory);
// Durable when it returns. Error: io.
Status write_end(const std::string& directory, LogEnd end);
// nullopt: there is none, or it cannot be read, which is told.
std::optional<LogEnd> read_end(const std::string& directory);

}  // namespace varve::engine::rocksdb
