// SPDX-License-Identifier: Apache-2.0
// DatabaseWriter: fills a database that is to take the place of a damaged one. Only runs/database*.cc include this.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/rocksdb/runs/database_options.h"
#include "engine/rocksdb/runs/database_reads.h"
#include "engine/rocksdb/runs/write_batch.h"

namespace varve::engine::rocksdb {

// A new one.
inline Result<std::unique_ptr<::rocksdb::DB>> make_database(const std::string& folder) {
  ::rocksdb::Options options = database_options(nullptr);
  options.create_if_missing = true;
  ::rocksdb::DB* opened = nullptr;
  const auto status = ::rocksdb::DB::Open(options, folder, &opened);
  std::unique_ptr<::rocksdb::DB> db(opened);
  VARVE_RETURN_IF_ERROR(outcome(status, "making the database " + folder));
  return db;
}

// Writes in batches. For one thread.
class DatabaseWriter {
 public:
  explicit DatabaseWriter(::rocksdb::DB& db) : db_(db) { options_.disableWAL = true; }
  Status put(std::string_view key, std::string_view value) {
    constexpr std::size_t kAtOnce = std::size_t{1} << 20;  // bytes
    VARVE_RETURN_IF_ERROR(outcome(rocksdb::put(batch_, slice(key), slice(value)), "collecting what is written anew"));
    return batch_.GetDataSize() < kAtOnce ? Status{} : write();
  }
  Status finish() {
    VARVE_RETURN_IF_ERROR(write());
    return outcome(db_.Flush({}), "flushing what is written anew");
  }

 private:
  Status write() {
    VARVE_RETURN_IF_ERROR(outcome(db_.Write(options_, &batch_), "writing the database anew"));
    batch_.Clear();
    return {};
  }
  ::rocksdb::DB& db_;
  ::rocksdb::WriteOptions options_;
  ::rocksdb::WriteBatch batch_;
};

}  // namespace varve::engine::rocksdb
