// SPDX-License-Identifier: Apache-2.0
// Changes of RocksDB's write batch that memory may run out in. Only runs/database*.cc include this.
#pragma once

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace varve::engine::rocksdb {

// Makes room for one change. If memory ran out within Put() or Delete() themselves, the process would end: their save
// point asserts on the way out that it was committed (db/write_batch_internal.h, LocalSavePoint). Throws
// std::bad_alloc.
inline void make_room(::rocksdb::WriteBatch& batch, std::size_t key_bytes, std::size_t value_bytes = 0) {
  constexpr std::size_t kAround = 32;  // the kind of the change, and both lengths
  // The text is a member of the batch, which is not const: only its accessor is.
  std::string& text = const_cast<std::string&>(batch.Data());
  const std::size_t wanted = text.size() + key_bytes + value_bytes + kAround;
  if (wanted > text.capacity()) text.reserve(std::max(wanted, 2 * text.capacity()));
}

inline ::rocksdb::Status put(::rocksdb::WriteBatch& batch, const ::rocksdb::Slice& key, const ::rocksdb::Slice& value) {
  make_room(batch, key.size(), value.size());
  return batch.Put(key, value);
}

inline ::rocksdb::Status erase(::rocksdb::WriteBatch& batch, const ::rocksdb::Slice& key) {
  make_room(batch, key.size());
  return batch.Delete(key);
}

}  // namespace varve::engine::rocksdb
