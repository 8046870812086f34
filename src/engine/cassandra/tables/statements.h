// SPDX-License-Identifier: Apache-2.0
// Statements: what is asked of each table, as CQL, prepared once. Writes when it is made; reads when they are first
// wanted, since there is one for each choice of columns and bounds.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "driver/cassandra.h"
#include "engine/cassandra/tables/row_store.h"

namespace varve::engine::cassandra {

// Markers: partition, clustering, values, timestamp, time to live.
std::string insert_cql(std::string_view keyspace, const Table& table);
// Markers: timestamp, partition, and, unless the whole of it goes, the clustering cells of one row, or the bounds of a
// range of the first of them.
enum class Deleted { partition, range, row };
std::string delete_cql(std::string_view keyspace, const Table& table, Deleted what);
// Markers: partition, then from, until or a list of keys. Columns: clustering, values; where both are empty, one that
// says it is there.
struct Bounds {
  bool from = false, until = false, keys = false;
  explicit Bounds(const RowRead& read)
      : from(read.from.has_value()), until(read.until.has_value()), keys(!read.keys.empty()) {}
  Bounds() = default;
  bool operator==(const Bounds&) const = default;
};
std::string select_cql(std::string_view keyspace, const Table& table, std::span<const std::string> values,
                       const Bounds& bounds);
// Markers: two tokens, first exclusive. Columns: partition, clustering, values.
std::string scan_cql(std::string_view keyspace, const Table& table, std::span<const std::string> values);

// A prepared read, and how large its rows have been.
class Select {
 public:
  Select(driver::Statement statement, const Table& table, std::span<const std::string> values);
  [[nodiscard]] const driver::Statement& statement() const { return statement_; }
  // Rows that make a page of half a megabyte, by those seen before.
  [[nodiscard]] std::uint32_t page_rows() const;
  void measured(std::size_t rows, std::size_t bytes);
  [[nodiscard]] bool known() const { return known_; }

 private:
  driver::Statement statement_;
  std::uint32_t rows_max_;
  std::atomic<std::size_t> row_bytes_;
  std::atomic<bool> known_ = false;
};

// Thread-safe; tables and session outlive it. Errors of all: unsupported (the schema in Cassandra is not this one),
// those of the driver.
class Statements {
 public:
  // Blocking.
  static Result<std::unique_ptr<Statements>> prepare(const driver::Session& session, const Tables& tables,
                                                     std::string keyspace, const Clock& clock);

  struct Writes {
    driver::Statement insert;
    driver::Statement erase_partition;
    std::optional<driver::Statement> erase_row, erase_range;  // where there are clustering columns
  };
  // Null: not one of the tables.
  [[nodiscard]] const Writes* writes(const Table& table) const;

  // Blocking when first asked for, within `limits` (errors also: cancelled, timeout). Stays where it is.
  Result<Select*> select(const RowRead& read, const RowStore::ReadLimits& limits);
  Result<Select*> scan(const Table& table, std::span<const std::string> values);

 private:
  Statements(const driver::Session& session, std::string keyspace, const Clock& clock)
      : session_(session), keyspace_(std::move(keyspace)), clock_(clock) {}
  Result<driver::Statement> prepared(const Table& table, const std::string& cql,
                                     const RowStore::ReadLimits& limits) const;
  Result<Select*> selected(const Table& table, std::span<const std::string> values, const std::string& cql,
                           const RowStore::ReadLimits& limits);

  const driver::Session& session_;
  const std::string keyspace_;
  const Clock& clock_;
  std::map<const Table*, Writes> writes_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<Select>, std::less<>> selects_ VARVE_GUARDED_BY(mutex_);  // by CQL
};

// What the driver said about a table, for a person who can do something about it. `doing`: "reading", "writing".
Error explained(Error error, const Table& table, std::string_view doing);

}  // namespace varve::engine::cassandra
