// SPDX-License-Identifier: Apache-2.0
// Counts records of a store that is closed, by the first byte of their keys (runs/keys.h).
#pragma once

#include <rocksdb/db.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rocksdb/runs/keys.h"
#include "engine/rocksdb/runs/run.h"

namespace varve::engine::rocksdb::testing {

inline std::unique_ptr<::rocksdb::DB> open_records(const std::string& directory) {
  ::rocksdb::DB* opened = nullptr;
  const auto status = ::rocksdb::DB::OpenForReadOnly({}, directory + "/db", &opened);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  return std::unique_ptr<::rocksdb::DB>(opened);
}

// To damage a store.
inline std::unique_ptr<::rocksdb::DB> open_records_to_write(const std::string& directory) {
  ::rocksdb::DB* opened = nullptr;
  const auto status = ::rocksdb::DB::Open({}, directory + "/db", &opened);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  return std::unique_ptr<::rocksdb::DB>(opened);
}

inline std::vector<std::string> keys(::rocksdb::DB& db, std::string_view prefix) {
  const std::unique_ptr<::rocksdb::Iterator> at(db.NewIterator({}));
  std::vector<std::string> found;
  for (at->Seek({prefix.data(), prefix.size()}); at->Valid(); at->Next()) {
    if (!at->key().starts_with({prefix.data(), prefix.size()})) break;
    found.push_back(at->key().ToString());
  }
  return found;
}

// As versions wrote it that did not count the runs and marks.
inline void shorten_checkpoint(const std::string& directory) {
  const auto db = open_records_to_write(directory);
  std::string value;
  const bool done = db->Get({}, "c", &value).ok() && value.size() == 48 && db->Put({}, "c", value.substr(0, 32)).ok() &&
                    db->Flush({}).ok();
  if (!done) throw std::runtime_error("there is no checkpoint that counts records");
}

inline std::map<char, int> count_records(const std::string& directory) {
  const auto db = open_records(directory);
  const std::unique_ptr<::rocksdb::Iterator> at(db->NewIterator({}));
  std::map<char, int> counts;
  for (at->SeekToFirst(); at->Valid(); at->Next()) ++counts[at->key()[0]];
  return counts;
}

// Runs of all slots of a granularity.
inline int count_runs(const std::string& directory, std::int64_t granularity_ms) {
  const auto db = open_records(directory);
  const std::unique_ptr<::rocksdb::Iterator> at(db->NewIterator({}));
  int runs = 0;
  for (at->Seek("r"); at->Valid() && at->key().starts_with("r"); at->Next()) {
    const auto run = decode_run(at->key().ToStringView(), at->value().ToStringView());
    if (!run) throw std::runtime_error(run.error().message);
    runs += run->key.slot.granularity_ms == granularity_ms ? 1 : 0;
  }
  return runs;
}

// Blocks that no run names.
inline int orphans(const std::string& directory) {
  const auto db = open_records(directory);
  const std::unique_ptr<::rocksdb::Iterator> at(db->NewIterator({}));
  int without = 0;
  RunKey run;
  std::string value;
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    if (parse_block_key(at->key().ToStringView(), run) && !db->Get({}, run_key(run), &value).ok()) ++without;
  }
  return without;
}

}  // namespace varve::engine::rocksdb::testing
