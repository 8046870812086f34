// SPDX-License-Identifier: Apache-2.0
// What RocksDB says about itself goes into our log: errors only, and not more than a few a minute.
//
// It must not write the file LOG that it would make by itself: Debian's RocksDB is built with assertions, one of which
// is that nobody writes to a file that could not be written before, and its logger does. A full disk ended the process.
#pragma once

#include <rocksdb/env.h>

#include <memory>

namespace varve::engine::rocksdb {

std::shared_ptr<::rocksdb::Logger> database_log();

}  // namespace varve::engine::rocksdb
