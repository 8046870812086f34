// SPDX-License-Identifier: Apache-2.0
// Foreign bytes as tables of RocksDB: reading them must end and stay inside, and what comes out ascends.
#include <cstdlib>
#include <string>

#include "engine/rocksdb/runs/raw_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve::engine::rocksdb;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  const std::span<const std::byte> tables[] = {bytes, bytes.first(size / 2), bytes.subspan(size / 2)};
  RawMerge merge(tables);
  std::string before;
  bool is_first = true;
  while (const auto entry = merge.next()) {
    if (!is_first && entry->key <= before) std::abort();
    if (entry->value.size() > size) std::abort();
    before = entry->key;
    is_first = false;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (merge.unreadable_bytes(i) > size) std::abort();
  }
  return 0;
}
