// SPDX-License-Identifier: Apache-2.0
#include "driver/cassandra.h"

#include <type_traits>
#include <vector>

#include "driver/border.h"

namespace varve::driver {

// Cells cross the border as they are.
static_assert(std::is_standard_layout_v<Cell> && sizeof(Cell) == sizeof(drv_slice) &&
              alignof(Cell) == alignof(drv_slice) && offsetof(drv_slice, size) == sizeof(void*));

namespace {

drv_bound bound_of(const Bound& bound) {
  return {bound.statement->handle(), reinterpret_cast<const drv_slice*>(bound.cells.data()), bound.cells.size()};
}

drv_execute_options execute_options(const ExecuteOptions& options) {
  return {static_cast<std::uint16_t>(options.consistency),
          options.idempotent,
          options.timestamp_us.has_value(),
          options.timestamp_us.value_or(0),
          options.page_size,
          options.timeout_ms};
}

drv_cassandra_options session_options(const SessionOptions& options) {
  drv_cassandra_options out{};
  out.contact_points = option(options.contact_points);
  out.keyspace = option(options.keyspace);
  out.local_dc = option(options.local_dc);
  out.user = option(options.user);
  out.password = option(options.password);
  out.tls = tls(options.tls);
  out.consistency = static_cast<std::uint16_t>(options.consistency);
  out.request_timeout_ms = options.request_timeout_ms;
  out.connect_timeout_ms = options.connect_timeout_ms;
  out.schema_timeout_ms = options.schema_timeout_ms;
  out.connections_per_node = options.connections_per_node;
  out.retries = options.retries;
  out.lz4 = options.lz4;
  return out;
}

using PendingRows = Pending<Rows, drv_rows>;
using PendingNothing = Pending<void, drv_rows>;

}  // namespace

void free_cassandra(drv_cassandra* session) { drv_cassandra_free(session); }
void free_rows(drv_rows* rows) { drv_rows_free(rows); }
void free_statement(drv_statement* statement) { drv_statement_free(statement); }

std::size_t Statement::cells() const { return drv_statement_cells(handle_.get()); }

Rows::Rows(drv_rows* handle)
    : handle_(handle),
      cells_(reinterpret_cast<const Cell*>(drv_rows_cells(handle)), drv_rows_count(handle) * drv_rows_columns(handle)),
      columns_(drv_rows_columns(handle)) {}

bool Rows::more() const { return handle_ != nullptr && drv_rows_more(handle_.get()); }

Request Rows::next(Done<Rows> done) const {
  if (handle_ == nullptr) {
    done(fail(Code::invalid, "there is no page after this one"));
    return {};
  }
  drv_request* request = nullptr;
  drv_rows_next(handle_.get(), PendingRows::call, PendingRows::create(std::move(done)), &request);
  return Request(request);
}

Request Session::connect(const Runtime& runtime, const SessionOptions& options, Done<Session> done) {
  using Connecting = Pending<Session, drv_cassandra>;
  if (runtime.stopped()) {
    done(fail(Code::cancelled, "the runtime of the drivers has stopped"));
    return {};
  }
  const auto converted = session_options(options);
  drv_request* request = nullptr;
  drv_cassandra_connect(runtime.handle(), &converted, Connecting::call, Connecting::create(std::move(done)), &request);
  return Request(request);
}

Request Session::query(std::string_view cql, const ExecuteOptions& options, Done<Rows> done) const {
  const auto converted = execute_options(options);
  drv_request* request = nullptr;
  drv_cassandra_query(handle_.get(), slice(cql), &converted, PendingRows::call, PendingRows::create(std::move(done)),
                      &request);
  return Request(request);
}

Request Session::agree(Done<void> done) const {
  drv_request* request = nullptr;
  drv_cassandra_agree(handle_.get(), PendingNothing::call, PendingNothing::create(std::move(done)), &request);
  return Request(request);
}

Request Session::prepare(std::string_view cql, Done<Statement> done) const {
  using Preparing = Pending<Statement, drv_statement>;
  drv_request* request = nullptr;
  drv_cassandra_prepare(handle_.get(), slice(cql), Preparing::call, Preparing::create(std::move(done)), &request);
  return Request(request);
}

Request Session::execute(const Bound& bound, const ExecuteOptions& options, Done<Rows> done) const {
  const auto converted = execute_options(options);
  const auto one = bound_of(bound);
  drv_request* request = nullptr;
  drv_cassandra_execute(handle_.get(), &one, &converted, PendingRows::call, PendingRows::create(std::move(done)),
                        &request);
  return Request(request);
}

Request Session::batch(std::span<const Bound> rows, const ExecuteOptions& options, Done<void> done) const {
  const auto converted = execute_options(options);
  std::vector<drv_bound> all;
  all.reserve(rows.size());
  for (const auto& row : rows) all.push_back(bound_of(row));
  drv_request* request = nullptr;
  drv_cassandra_batch(handle_.get(), all.data(), all.size(), &converted, PendingNothing::call,
                      PendingNothing::create(std::move(done)), &request);
  return Request(request);
}

}  // namespace varve::driver
