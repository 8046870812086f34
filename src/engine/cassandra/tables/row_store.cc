// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/row_store.h"

#include <algorithm>

#include "base/wait.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {
namespace {

Status named(const Table& table, Status status) {
  if (!status) status.error().message.insert(0, table.name + ": ");
  return status;
}

// Bounds are of the first clustering column, where there is one.
Status check_bound(const Table& table, const std::string& bound) {
  const std::size_t columns = std::min<std::size_t>(1, table.clustering.size());
  return named(table, check_cells(std::span(table.clustering).first(columns), {&bound, 1}));
}

}  // namespace

Status RowStore::write_now(std::vector<RowWrite> rows) {
  return wait_for([&](Done done) { write(std::move(rows), std::move(done)); });
}

Status RowStore::erase_now(std::vector<RowDelete> rows) {
  return wait_for([&](Done done) { erase(std::move(rows), std::move(done)); });
}

Status check_shape(const RowWrite& row) {
  VARVE_RETURN_IF_ERROR(named(*row.table, check_cells(row.table->partition, row.partition)));
  VARVE_RETURN_IF_ERROR(named(*row.table, check_cells(row.table->clustering, row.clustering)));
  return named(*row.table, check_cells(row.table->values, row.values));
}

Status check_shape(const RowDelete& row) {
  VARVE_RETURN_IF_ERROR(named(*row.table, check_cells(row.table->partition, row.partition)));
  if (row.range) {
    if (!row.clustering.empty()) return fail(Code::invalid, row.table->name + ": a row and a range of rows together");
    VARVE_RETURN_IF_ERROR(check_bound(*row.table, row.range->first));
    return check_bound(*row.table, row.range->second);
  }
  if (row.clustering.empty()) return {};
  return named(*row.table, check_cells(row.table->clustering, row.clustering));
}

Status check_shape(const RowRead& read) {
  VARVE_RETURN_IF_ERROR(named(*read.table, check_cells(read.table->partition, read.partition)));
  for (const auto& bound : {read.from, read.until}) {
    if (bound) VARVE_RETURN_IF_ERROR(check_bound(*read.table, *bound));
  }
  if (read.keys.empty()) return {};
  if (read.from || read.until || read.table->clustering.empty()) {
    return fail(Code::invalid, read.table->name + ": keys and bounds together, or without a column for them");
  }
  for (const std::string& key : read.keys) {
    VARVE_RETURN_IF_ERROR(named(*read.table, check_cells(std::span(read.table->clustering).first(1), {&key, 1})));
  }
  return {};
}

Status within(const RowStore::ReadLimits& limits, const Clock& clock) {
  if (limits.cancelled != nullptr && *limits.cancelled) return fail(Code::cancelled, "nobody waits for it any more");
  if (limits.deadline_steady_ns != 0 && clock.steady_ns() >= limits.deadline_steady_ns)
    return fail(Code::timeout, "reading from Cassandra took longer than allowed");
  return {};
}

Result<std::vector<std::size_t>> value_numbers(const Table& table, std::span<const std::string> values) {
  std::vector<std::size_t> numbers;
  for (const std::string& name : values) {
    const auto found = std::ranges::find(table.values, name, &ColumnDefinition::name);
    if (found == table.values.end()) return fail(Code::invalid, table.name + " has no values of the name " + name);
    numbers.push_back(static_cast<std::size_t>(found - table.values.begin()));
  }
  return numbers;
}

}  // namespace varve::engine::cassandra
