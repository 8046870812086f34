// SPDX-License-Identifier: Apache-2.0
// Which table of the database is damaged, and what lies in it: for those who have to decide what to do. Included by
// database*.cc only.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace varve::engine::rocksdb {

struct DamagedTable {
  std::string file;  // "000123.sst"; empty: the error does not name one
  int level = -1;    // −1: the database has it no more
  std::uint64_t bytes = 0;
  std::string first, last;  // of what lies in it, in words
};

// `error`: what RocksDB said.
DamagedTable find_damaged_table(::rocksdb::DB& db, std::string_view error);

// "blocks of run 7 of tenant 0, granularity 0, from 1700000000000", "marks of slots". Safe for untrusted bytes.
std::string describe_key(std::string_view key);

}  // namespace varve::engine::rocksdb
