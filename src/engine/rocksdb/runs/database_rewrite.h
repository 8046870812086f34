// SPDX-License-Identifier: Apache-2.0
// With storage.repair: a database in which something cannot be read is written anew, without that. A damaged block
// would else stay where it is: RocksDB cannot compact the table that has it. Included by database*.cc only.
#pragma once

#include <string>

#include "base/result.h"

namespace varve::engine::rocksdb {

// Reads all of it. If something cannot be read, the rest is written into a new database that takes its place, and the
// old one is kept beside it: records are read from their copies, and blocks are left out, so that who asks for what was
// in them hears of it as before. Nothing else may have it open. Error: nothing has changed.
Status rewrite_if_damaged(const std::string& path);

}  // namespace varve::engine::rocksdb
