// SPDX-License-Identifier: Apache-2.0
// A database that opens after a power cut at any moment, whatever part of what was not synced is on the disk. RocksDB
// leaves two gaps in the list of its files (MANIFEST), and calls the database corrupt where a cut falls into one:
// - CURRENT names a new list before the folder was synced, so the name of the list may be lost;
// - records of several changes are written before one sync, so a later one may be there and an earlier one not.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <memory>

namespace varve::engine::rocksdb {

// As `below`, but a folder is synced before a file of it gets the name CURRENT, and a list of files before anything is
// added to what was not synced yet.
std::shared_ptr<::rocksdb::FileSystem> with_synced_manifest(std::shared_ptr<::rocksdb::FileSystem> below);

// That of this machine's files; for all databases, and never freed.
::rocksdb::Env* env_with_synced_manifest();

}  // namespace varve::engine::rocksdb
