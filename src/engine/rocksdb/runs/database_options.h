// SPDX-License-Identifier: Apache-2.0
// How RocksDB is set up, wherever a database is opened. Included by database*.cc only.
#pragma once

#include <rocksdb/options.h>

#include <atomic>
#include <memory>

namespace varve::engine::rocksdb {

// `failed`: is set when a flush or a compaction fails; nullptr: nobody is told. A database must exist.
::rocksdb::Options database_options(const std::shared_ptr<std::atomic<bool>>& failed);

}  // namespace varve::engine::rocksdb
