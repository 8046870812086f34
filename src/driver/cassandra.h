// SPDX-License-Identifier: Apache-2.0
// Cassandra: a session, prepared statements, cells in and pages of cells out. Values are bytes in the encoding of the
// CQL protocol; whoever knows the table encodes them. Callbacks follow request.h.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "driver/request.h"

struct drv_cassandra;
struct drv_rows;
struct drv_statement;

namespace varve::driver {

void free_cassandra(drv_cassandra* session);
void free_rows(drv_rows* rows);
void free_statement(drv_statement* statement);

// A view of one encoded value; null is not the same as empty.
class Cell {
 public:
  constexpr Cell() = default;  // null
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
  constexpr Cell(const Text& text) : Cell(std::string_view(text), 0) {}
  [[nodiscard]] constexpr bool null() const { return data_ == nullptr; }
  [[nodiscard]] constexpr std::string_view bytes() const { return {data_, size_}; }  // empty where null

 private:
  constexpr Cell(std::string_view bytes, int) : data_(bytes.empty() ? "" : bytes.data()), size_(bytes.size()) {}
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

// The numbers of the protocol.
enum class Consistency : std::uint16_t {
  any = 0,
  one = 1,
  two = 2,
  three = 3,
  quorum = 4,
  all = 5,
  local_quorum = 6,
  each_quorum = 7,
  local_one = 10,
  session = 0xffff,  // what the session was opened with
};

struct SessionOptions {
  std::string contact_points;  // "host:port,host"
  std::string keyspace;        // must exist; empty: statements name theirs
  std::string local_dc;        // no other data centre is asked; empty: all are alike
  std::string user, password;
  Tls tls;
  Consistency consistency = Consistency::local_quorum;
  std::uint32_t request_timeout_ms = 10'000;  // with all retries; of connecting, too
  std::uint32_t connect_timeout_ms = 5'000;
  std::uint32_t schema_timeout_ms = 30'000;
  std::uint32_t connections_per_node = 1;
  std::uint32_t retries = 2;  // of idempotent requests that time out at the server
  bool lz4 = false;
};

struct ExecuteOptions {
  Consistency consistency = Consistency::session;
  bool idempotent = true;                    // may be sent again
  std::optional<std::int64_t> timestamp_us;  // of the write; later ones win
  std::uint32_t page_size = 0;               // rows; 0: all in one answer
  std::uint32_t timeout_ms = 0;              // 0: the session's
};

class Statement {
 public:
  explicit Statement(drv_statement* handle) : handle_(handle) {}
  [[nodiscard]] std::size_t cells() const;  // how many '?'
  [[nodiscard]] const drv_statement* handle() const { return handle_.get(); }

 private:
  Handle<drv_statement, free_statement> handle_;
};

// A page of rows; empty for a write. Cells point into it.
class Rows {
 public:
  explicit Rows(drv_rows* handle);
  [[nodiscard]] std::size_t count() const { return columns_ == 0 ? 0 : cells_.size() / columns_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::span<const Cell> row(std::size_t number) const {
    return cells_.subspan(number * columns_, columns_);
  }
  [[nodiscard]] bool more() const;
  // Fetches the next page; nothing is prefetched.
  Request next(Done<Rows> done) const;

 private:
  Handle<drv_rows, free_rows> handle_;
  std::span<const Cell> cells_;
  std::size_t columns_ = 0;
};

struct Bound {
  const Statement* statement;
  std::span<const Cell> cells;  // one for each '?'
};

// Thread-safe. Requests in flight outlive it.
class Session {
 public:
  explicit Session(drv_cassandra* handle) : handle_(handle) {}
  // Fails with io if no contact point answers; lost connections are re-established silently later.
  static Request connect(const Runtime& runtime, const SessionOptions& options, Done<Session> done);

  // A statement without values: DDL, which waits for schema agreement.
  Request query(std::string_view cql, const ExecuteOptions& options, Done<Rows> done) const;
  // Waits until all nodes that are up have the same schema.
  Request agree(Done<void> done) const;
  Request prepare(std::string_view cql, Done<Statement> done) const;
  // Sent to a replica of the partition if the statement binds the whole partition key.
  Request execute(const Bound& bound, const ExecuteOptions& options, Done<Rows> done) const;
  // Unlogged batch; sent to a replica of the first row's partition, so all rows should be of one partition. At most
  // 65,535.
  Request batch(std::span<const Bound> rows, const ExecuteOptions& options, Done<void> done) const;

 private:
  Handle<drv_cassandra, free_cassandra> handle_;
};

}  // namespace varve::driver
