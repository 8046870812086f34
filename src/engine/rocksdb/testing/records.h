// SPDX-License-Identifier: Apache-2.0
// Counts records of a store that is closed, by the first byte of their keys (runs/keys.h).
#pragma once

#include <rocksdb/db.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "engine/rocksdb/runs/keys.h"

namespace varve::engine::rocksdb::testing {

inline std::map<char, int> count_records(const std::string& directory) {
  ::rocksdb::DB* opened = nullptr;
  const auto status = ::rocksdb::DB::OpenForReadOnly({}, directory + "/db", &opened);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  const std::unique_ptr<::rocksdb::DB> db(opened);
  const std::unique_ptr<::rocksdb::Iterator> at(db->NewIterator({}));
  std::map<char, int> counts;
  for (at->SeekToFirst(); at->Valid(); at->Next()) ++counts[at->key()[0]];
  return counts;
}

// Blocks that no run names.
inline int orphans(const std::string& directory) {
  ::rocksdb::DB* opened = nullptr;
  const auto status = ::rocksdb::DB::OpenForReadOnly({}, directory + "/db", &opened);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  const std::unique_ptr<::rocksdb::DB> db(opened);
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
