// SPDX-License-Identifier: Apache-2.0
// RowStore: rows of the schema's tables. cassandra_rows.h has them in a Cassandra, testing/memory_rows.h in memory, for
// tests without servers; both pass testing/row_store_contract.h.
//
// Writes are idempotent: of two writes of one row the one with the later timestamp counts, cell by cell, and a row goes
// when its time to live is over. All methods are thread-safe; callbacks come once, on any thread, perhaps before the
// method has returned, and must not block.
//
// Errors: unavailable (with what to try; too much under way, nodes away), timeout: the same may be tried again, and a
// write may have been done or not. invalid, corrupt: it is of no use.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/cassandra/tables/schema.h"

namespace varve::engine::cassandra {

using Cells = std::vector<std::string>;  // encoded (cell.h), in the order of the schema's columns

struct RowWrite {
  const Table* table = nullptr;
  Cells partition;
  Cells clustering;
  Cells values;  // all of them
  std::int64_t timestamp_us = 0;
  std::uint32_t ttl_s = 0;  // 0: the table's
};

struct RowDelete {
  const Table* table = nullptr;
  Cells partition;
  Cells clustering;               // all of them, or none: the whole partition, or the range of it
  std::int64_t timestamp_us = 0;  // what was written later stays
  // Of the first clustering column, encoded: rows from `first` to before `second`.
  std::optional<std::pair<std::string, std::string>> range = {};
};

// One partition, or a part of it.
struct RowRead {
  const Table* table = nullptr;
  Cells partition;
  // Of the first clustering column: rows in [from, until). Encoded; nullopt: no bound.
  std::optional<std::string> from, until;
  std::vector<std::string> values;  // names of the columns wanted beside the clustering ones
  // Rows with one of these in the first clustering column; empty: no bound. Ascending, unique, and without from, until.
  std::vector<std::string> keys = {};
};

// Clustering cells, then the values that were asked for. Views are valid during the call.
struct RowView {
  std::span<const std::string_view> cells;
};

class RowStore {
 public:
  using Done = std::function<void(Status)>;
  // An error ends the reading with it.
  using Each = std::function<Status(std::size_t read, const RowView& row)>;
  // The same for a whole table, whose rows begin with their partition's cells.
  using EachOfAll = std::function<Status(const RowView& row)>;

  virtual ~RowStore() = default;

  // Rows of one partition that stand together go in one unlogged batch. `done` with the first error, when all have
  // ended. What is under way is bounded: over it, everything is refused at once (unavailable), nothing is written.
  virtual void write(std::vector<RowWrite> rows, Done done) = 0;
  virtual void erase(std::vector<RowDelete> rows, Done done) = 0;

  // Reads all of `reads`, some at a time, and calls `each` on the caller's thread: all rows of one read in order of
  // their clustering, and reads in any order. Blocking, page by page: what is held is bounded. `deadline_steady_ns` 0:
  // none. Errors also: cancelled, timeout, and those of `each`.
  struct ReadLimits {
    const std::atomic<bool>* cancelled = nullptr;
    std::int64_t deadline_steady_ns = 0;
  };
  virtual Status read(std::span<const RowRead> reads, const ReadLimits& limits, const Each& each) = 0;

  // Every row of the table, in any order, on the caller's thread; `values` as in RowRead. Blocking, for rare use.
  virtual Status read_all(const Table& table, std::span<const std::string> values, const EachOfAll& each) = 0;

  // write() and wait.
  Status write_now(std::vector<RowWrite> rows);
  Status erase_now(std::vector<RowDelete> rows);
};

// Appends `wanted` for all these keys (as RowRead::keys), some at a time: a list is one thing for Cassandra to hold.
// Returns how many reads that are.
template <class Keys, class KeyOf>
std::size_t add_keyed_reads(std::vector<RowRead>& reads, const RowRead& wanted, const Keys& keys, KeyOf&& key_of) {
  constexpr std::size_t kKeysMax = 64;
  const std::size_t before = reads.size();
  for (const auto& key : keys) {
    if (reads.size() == before || reads.back().keys.size() == kKeysMax) reads.push_back(wanted);
    reads.back().keys.push_back(key_of(key));
  }
  return reads.size() - before;
}

// For stores: does it fit its table? Errors: invalid, naming table and column.
Status check_shape(const RowWrite& row);
Status check_shape(const RowDelete& row);
Status check_shape(const RowRead& read);
// May reading go on? Errors: cancelled, timeout.
Status within(const RowStore::ReadLimits& limits, const Clock& clock);
// Where these columns stand in Table::values. Errors: invalid.
Result<std::vector<std::size_t>> value_numbers(const Table& table, std::span<const std::string> values);

}  // namespace varve::engine::cassandra
