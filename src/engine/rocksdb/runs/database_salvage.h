// SPDX-License-Identifier: Apache-2.0
// Writes a database anew from the data blocks of its tables, some of which RocksDB cannot open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace varve::engine::rocksdb {

struct Salvaged {
  std::vector<std::string> unopened;   // what RocksDB says of the tables that it cannot open
  std::uint64_t unreadable_bytes = 0;  // of all tables, between what can be read
  std::uint64_t lost_blocks = 0;       // that a run names
};

// Makes a database in `folder` of what can be read of the one at `path`, which stays as it is. Error: corrupt (a run is
// malformed), io.
Result<Salvaged> salvage_into(const std::string& path, const std::string& folder);

}  // namespace varve::engine::rocksdb
