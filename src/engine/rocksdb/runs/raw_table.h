// SPDX-License-Identifier: Apache-2.0
// RawTable: the entries of one of RocksDB's tables, read from its data blocks alone, for a table that RocksDB cannot
// open because its index, its properties or its footer is damaged. It knows the layout that database_options.h asks
// for: no compression, blocks with restarts, checksums by XXH3.
//
//   table := block*  (data, then filter, index, properties, …)   footer
//   block := entry*  restart:u32*  restarts:u32   type:u8 (0)  checksum:u32
//   entry := shared:varint  other:varint  value bytes:varint   key without its shared beginning   value
//   key   := user key  sequence << 8 | kind:u64 (kind 0: erased, 1: a value)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace varve::engine::rocksdb {

struct RawEntry {
  std::string_view key;
  std::uint64_t sequence = 0;
  bool is_value = false;  // else the key is erased
  std::string_view value;
};

// For one thread. Any bytes may be read; each step moves on.
class RawTable {
 public:
  explicit RawTable(std::span<const std::byte> bytes)
      : bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  // The next entry, in the order of the table: by key, of one key the newest first. nullopt: there is no more. Valid
  // until the next call.
  std::optional<RawEntry> next();

  // Bytes between blocks of data that are whole, so far. What is behind the last one does not count.
  [[nodiscard]] std::uint64_t unreadable_bytes() const { return unreadable_; }

 private:
  bool find_block();

  std::string_view bytes_;
  std::size_t at_ = 0;        // behind the last block that was found
  std::string_view entries_;  // of the block that is being read, what is left
  std::string key_;           // with its sequence
  std::uint64_t unreadable_ = 0;
};

// Several tables as one: of each key the newest entry, also if it erases it, in ascending order.
class RawMerge {
 public:
  explicit RawMerge(std::span<const std::span<const std::byte>> tables);

  // Valid until the next call.
  std::optional<RawEntry> next();
  // By table.
  [[nodiscard]] std::uint64_t unreadable_bytes(std::size_t table) const {
    return sources_[table].table.unreadable_bytes();
  }

 private:
  struct Source {
    RawTable table;
    std::optional<RawEntry> entry;
  };
  void step(std::size_t source);
  [[nodiscard]] bool is_behind(std::size_t a, std::size_t b) const;

  std::vector<Source> sources_;
  std::vector<std::size_t> heap_;  // of sources that have an entry
  std::string key_;
  std::string value_;
  bool is_first_ = true;
};

}  // namespace varve::engine::rocksdb
