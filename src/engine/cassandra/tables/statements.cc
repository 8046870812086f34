// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/statements.h"

#include <algorithm>
#include <chrono>
#include <future>

namespace varve::engine::cassandra {
namespace {

constexpr std::size_t kPageBytes = 512 << 10;
constexpr std::uint32_t kPageRowsMin = 16, kPageRows = 500;
// Of rows with blobs, which may be of a megabyte each without a warning.
constexpr std::uint32_t kPageRowsBlobs = 128;

constexpr auto kLook = std::chrono::milliseconds(20);  // how often limits are looked at

void append_names(std::string& out, std::span<const ColumnDefinition> columns, std::string_view between,
                  std::string_view after = "") {
  for (const ColumnDefinition& column : columns) {
    out += column.name;
    out += after;
    if (&column != &columns.back()) out += between;
  }
}

std::string select_list(const Table& table, std::span<const std::string> values, bool with_partition) {
  std::string out;
  if (with_partition) append_names(out, table.partition, ", ");
  if (!out.empty() && !table.clustering.empty()) out += ", ";
  append_names(out, table.clustering, ", ");
  for (const std::string& value : values) out += (out.empty() ? "" : ", ") + value;
  return out.empty() ? table.partition[0].name : out;
}

std::string from_table(std::string_view keyspace, const Table& table) {
  return std::string(keyspace) + "." + table.name;
}

bool has_blobs(const Table& table, std::span<const std::string> values) {
  return std::ranges::any_of(table.values, [&](const ColumnDefinition& column) {
    return column.type == CellType::blob && std::ranges::find(values, column.name) != values.end();
  });
}

std::string_view advice(Code code) {
  switch (code) {
    case Code::limit: return "Cassandra is overloaded; try again later, or give it more nodes";
    case Code::unavailable: return "too few nodes of Cassandra are up for the consistency that is asked for";
    case Code::timeout: return "Cassandra did not answer in time: it is overloaded, or nodes are away";
    case Code::io: return "no connection to Cassandra";
    case Code::conflict: return "the schema in Cassandra is not this build's: run varve schema --apply";
    case Code::cancelled: return "varve is stopping";
    default: return "";
  }
}

}  // namespace

std::string insert_cql(std::string_view keyspace, const Table& table) {
  std::string out = "INSERT INTO " + from_table(keyspace, table) + " (", markers;
  std::string_view between;
  for (const auto* columns : {&table.partition, &table.clustering, &table.values}) {
    for (const ColumnDefinition& column : *columns) {
      out.append(between).append(column.name);
      markers.append(between).append("?");
      between = ", ";
    }
  }
  return out + ") VALUES (" + markers + ") USING TIMESTAMP ? AND TTL ?";
}

std::string delete_cql(std::string_view keyspace, const Table& table, Deleted what) {
  std::string out = "DELETE FROM " + from_table(keyspace, table) + " USING TIMESTAMP ? WHERE ";
  append_names(out, table.partition, " AND ", " = ?");
  if (what == Deleted::partition || table.clustering.empty()) return out;
  out += " AND ";
  if (what == Deleted::range) return out + table.clustering[0].name + " >= ? AND " + table.clustering[0].name + " < ?";
  append_names(out, table.clustering, " AND ", " = ?");
  return out;
}

std::string select_cql(std::string_view keyspace, const Table& table, std::span<const std::string> values,
                       const Bounds& bounds) {
  std::string out = "SELECT " + select_list(table, values, false) + " FROM " + from_table(keyspace, table) + " WHERE ";
  append_names(out, table.partition, " AND ", " = ?");
  if (bounds.from) out += " AND " + table.clustering[0].name + " >= ?";
  if (bounds.until) out += " AND " + table.clustering[0].name + " < ?";
  if (bounds.keys) out += " AND " + table.clustering[0].name + " IN ?";
  return out;
}

std::string scan_cql(std::string_view keyspace, const Table& table, std::span<const std::string> values) {
  std::string key;
  append_names(key, table.partition, ", ");
  return "SELECT " + select_list(table, values, true) + " FROM " + from_table(keyspace, table) + " WHERE token(" + key +
         ") > ? AND token(" + key + ") <= ?";
}

Select::Select(driver::Statement statement, const Table& table, std::span<const std::string> values)
    : statement_(std::move(statement)),
      rows_max_(has_blobs(table, values) ? kPageRowsBlobs : kPageRows),
      row_bytes_(kPageBytes / rows_max_) {}

std::uint32_t Select::page_rows() const {
  const std::size_t fit = kPageBytes / std::max<std::size_t>(1, row_bytes_);
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(fit, kPageRowsMin, rows_max_));
}

void Select::measured(std::size_t rows, std::size_t bytes) {
  if (rows == 0) return;
  known_ = true;
  // Quickly up, slowly down. Between two threads one of the two may be lost, and does no harm.
  const std::size_t now = bytes / rows, before = row_bytes_;
  if (now != before) row_bytes_ = now > before ? now : before - (before - now + 15) / 16;
}

Result<driver::Statement> Statements::prepared(const Table& table, const std::string& cql,
                                               const RowStore::ReadLimits& limits) const {
  std::promise<Result<driver::Statement>> promise;
  auto answer = promise.get_future();
  const driver::Request request =
      session_.prepare(cql, [promise = std::move(promise)](Result<driver::Statement> statement) mutable {
        promise.set_value(std::move(statement));
      });
  while (answer.wait_for(kLook) != std::future_status::ready) {
    const Status status = within(limits, clock_);
    if (status) continue;
    request.cancel();
    return fail(status.error());
  }
  auto statement = answer.get();
  if (statement) return statement;
  Error error = std::move(statement.error());
  // The statement is ours: what is wrong with it is the table that it meets.
  if (error.code == Code::invalid) error.code = Code::conflict;
  return fail(explained(std::move(error), table, "preparing for"));
}

Result<std::unique_ptr<Statements>> Statements::prepare(const driver::Session& session, const Tables& tables,
                                                        std::string keyspace, const Clock& clock) {
  std::unique_ptr<Statements> out(new Statements(session, std::move(keyspace), clock));
  for (const Table* table : tables.all()) {
    VARVE_ASSIGN_OR_RETURN(auto insert, out->prepared(*table, insert_cql(out->keyspace_, *table), {}));
    VARVE_ASSIGN_OR_RETURN(auto partition,
                           out->prepared(*table, delete_cql(out->keyspace_, *table, Deleted::partition), {}));
    Writes writes{std::move(insert), std::move(partition), std::nullopt, std::nullopt};
    if (!table->clustering.empty()) {
      VARVE_ASSIGN_OR_RETURN(auto row, out->prepared(*table, delete_cql(out->keyspace_, *table, Deleted::row), {}));
      VARVE_ASSIGN_OR_RETURN(auto range, out->prepared(*table, delete_cql(out->keyspace_, *table, Deleted::range), {}));
      writes.erase_row.emplace(std::move(row));
      writes.erase_range.emplace(std::move(range));
    }
    out->writes_.emplace(table, std::move(writes));
  }
  return out;
}

const Statements::Writes* Statements::writes(const Table& table) const {
  const auto found = writes_.find(&table);
  return found == writes_.end() ? nullptr : &found->second;
}

Result<Select*> Statements::select(const RowRead& read, const RowStore::ReadLimits& limits) {
  return selected(*read.table, read.values, select_cql(keyspace_, *read.table, read.values, Bounds(read)), limits);
}

Result<Select*> Statements::scan(const Table& table, std::span<const std::string> values) {
  return selected(table, values, scan_cql(keyspace_, table, values), {});
}

Result<Select*> Statements::selected(const Table& table, std::span<const std::string> values, const std::string& cql,
                                     const RowStore::ReadLimits& limits) {
  {
    const MutexLock lock(mutex_);
    if (const auto found = selects_.find(cql); found != selects_.end()) return found->second.get();
  }
  VARVE_ASSIGN_OR_RETURN(auto statement,
                         prepared(table, cql, limits));  // perhaps twice at once: the first to come back stays
  const MutexLock lock(mutex_);
  auto& stands = selects_[cql];
  if (stands == nullptr) stands = std::make_unique<Select>(std::move(statement), table, values);
  return stands.get();
}

Error explained(Error error, const Table& table, std::string_view doing) {
  std::string message = std::string(doing) + " " + table.name + ": ";
  if (const std::string_view what = advice(error.code); !what.empty()) message.append(what).append(": ");
  message += error.message;
  switch (error.code) {
    case Code::limit:
    case Code::cancelled:
    case Code::io: return {Code::unavailable, std::move(message)};
    case Code::conflict: return {Code::unsupported, std::move(message)};
    default: return {error.code, std::move(message)};
  }
}

}  // namespace varve::engine::cassandra
