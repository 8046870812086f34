// SPDX-License-Identifier: Apache-2.0
// Database::Batch: changes that are written together, or one part after the other, and then made durable. All of it
// belongs to one epoch: what was written before the database had to be opened again is gone with its memory, so
// whatever is written or flushed afterwards fails. Only the epoch tells: the flush of a database that has just been
// opened again succeeds, and has nothing of it. Included by database*.cc only.
#pragma once

#include <rocksdb/write_batch.h>

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "engine/rocksdb/runs/database.h"

namespace varve::engine::rocksdb {

// For one thread.
class Database::Batch {
 public:
  // Names of the steps (Options::at_step) before and after a write.
  struct Names {
    std::string_view before, after;
  };

  explicit Batch(State& of) : of_(of) {}

  // Everything belongs to this epoch, too: it says something of what was read in it.
  Status belong_to(std::uint64_t epoch);
  // Of a record, and then of its copy, or of a block.
  void put(std::string_view key, std::string_view value);
  void erase(std::string_view key);
  [[nodiscard]] std::size_t bytes() const { return batch_.GetDataSize(); }
  [[nodiscard]] bool empty() const { return batch_.Count() == 0; }

  // Writes what was put since the last write, all of it or, with an error, nothing. It is not durable yet.
  Status write(Names names);
  // Makes what was written durable. Error: it may be durable or not, or be lost.
  Status flush();
  Status commit_and_flush(Names names);
  // In which all of it was written; 0: nothing was.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

 private:
  State& of_;
  ::rocksdb::WriteBatch batch_;
  Status collected_;  // the first failure of put() and erase()
  std::uint64_t epoch_ = 0;
};

}  // namespace varve::engine::rocksdb
