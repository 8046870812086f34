// SPDX-License-Identifier: Apache-2.0
// MemoryRows: a RowStore in memory, for tests without a Cassandra. Timestamps, time to live, deletes and order are
// Cassandra's; and tests may count what is done, make it fail, or do something in between.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/tables/row_store.h"

namespace varve::engine::cassandra::testing {

class MemoryRows final : public RowStore {
 public:
  explicit MemoryRows(const Clock& clock) : clock_(clock) {}

  void write(std::vector<RowWrite> rows, Done done) override;
  void erase(std::vector<RowDelete> rows, Done done) override;
  Status read(std::span<const RowRead> reads, const ReadLimits& limits, const Each& each) override;
  Status read_all(const Table& table, std::span<const std::string> values, const EachOfAll& each) override;

  // While set, every call fails (unavailable) and does nothing.
  void refuse(bool all) { refuses_ = all; }

  // That many rows more are written or erased; then every write and delete fails (io), until it is called again. Rows
  // of one call are done in their order, so the first of them may stand: a process that dies in between.
  void fail_writes_after(std::size_t rows) { left_ = rows; }
  void let_write() { left_ = kUnlimited; }

  // Called before each row is written (or erased, or a partition read) on the asking thread, with no lock held: it may
  // use this store. An error ends the call with it; rows before stand.
  struct Change {
    const Table& table;
    const Cells& partition;
    const Cells& clustering;
    bool erases;
  };
  void before_write(std::function<Status(const Change&)> hook);
  void before_read(std::function<Status(const RowRead&)> hook);

  struct Counts {
    std::size_t rows_written = 0;
    std::size_t rows_erased = 0;  // deletes, of a row, a range or a partition
    std::size_t batches = 0;      // calls of write() that wrote into this table
    std::size_t reads = 0;        // partitions asked for; a read of the whole table is one, too
    std::size_t rows_read = 0;    // given out
  };
  [[nodiscard]] Counts counts(const Table& table) const;
  void reset_counts();
  // Rows of a table that can be read now.
  [[nodiscard]] std::size_t size(const Table& table);

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

  struct Row {
    std::int64_t erased_us = kNever;
    std::int64_t written_us = kNever;
    std::int64_t expires_s = 0;  // 0: never
    Cells values;
  };
  struct ByClustering {
    const Table* table;
    bool operator()(const Cells& a, const Cells& b) const;
  };
  struct ErasedRange {
    std::string from, until;  // of the first clustering column
    std::int64_t erased_us = kNever;
  };
  struct Partition {
    std::int64_t erased_us = kNever;
    std::map<Cells, Row, ByClustering> rows;
    std::vector<ErasedRange> ranges = {};
  };
  using Partitions = std::map<Cells, Partition>;
  struct Stored {
    Partitions partitions;
    Counts counts;
  };

  Status check_open() const;
  Status let(const Change& change);
  Partition& partition(const Table& table, const Cells& cells);  // under mutex_
  Status write_row(RowWrite& row);
  Status erase_row(RowDelete& row);
  [[nodiscard]] bool readable(const Table& table, const Partition& partition, const Cells& clustering,
                              const Row& row) const;
  // Copies of the rows of a partition that are wanted, so that `each` runs without the lock.
  std::vector<Cells> rows_of(const RowRead& read, const std::vector<std::size_t>& values);
  Status read_one(const RowRead& read, std::size_t number, const Each& each);

  const Clock& clock_;
  std::atomic<bool> refuses_ = false;
  std::atomic<std::size_t> left_ = kUnlimited;
  mutable std::mutex mutex_;
  std::map<std::string, Stored, std::less<>> tables_;  // by name
  std::function<Status(const Change&)> before_write_;
  std::function<Status(const RowRead&)> before_read_;
};

}  // namespace varve::engine::cassandra::testing
