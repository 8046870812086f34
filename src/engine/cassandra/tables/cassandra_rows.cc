// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/cassandra_rows.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/page_reader.h"

namespace varve::engine::cassandra {
namespace {

// What Cassandra can say, in its default storage_compatibility_mode: twenty years, and no time after 2038-01-19. Rows
// that would go later never do.
constexpr std::int64_t kTtlMaxS = 20LL * 365 * 86'400;
constexpr std::int64_t kExpiresMaxS = 2'147'483'646 - 86'400;  // its clock may be ahead of ours

constexpr unsigned kScanAttempts = 6;  // with pauses of 6 s together
constexpr std::size_t kScansInFlight = 8;

void move_to(std::vector<std::string>& cells, Cells&& from) {
  cells.insert(cells.end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
}

std::int32_t ttl_of(const RowWrite& row, std::int64_t now_ms) {
  const std::int64_t wanted = row.ttl_s == 0 ? row.table->ttl_s : row.ttl_s;
  const bool can_be_said = wanted <= kTtlMaxS && now_ms / 1000 + wanted <= kExpiresMaxS;
  return can_be_said ? static_cast<std::int32_t>(wanted) : 0;
}

BoundRow bound(const Statements::Writes& writes, RowWrite&& row, std::int64_t now_ms) {
  BoundRow out{row.table, &writes.insert, std::move(row.partition)};
  out.cells.reserve(out.cells.size() + row.clustering.size() + row.values.size() + 2);
  move_to(out.cells, std::move(row.clustering));
  move_to(out.cells, std::move(row.values));
  out.cells.push_back(bigint_cell(row.timestamp_us));
  // Without one it would not be the table's, but none at all.
  out.cells.push_back(integer_cell(ttl_of(row, now_ms)));
  return out;
}

BoundRow bound(const Statements::Writes& writes, RowDelete&& row, std::int64_t) {
  BoundRow out{row.table, &writes.erase_partition, {}};
  if (row.range && writes.erase_range) out.statement = &*writes.erase_range;
  if (!row.clustering.empty() && writes.erase_row) out.statement = &*writes.erase_row;
  out.cells.push_back(bigint_cell(row.timestamp_us));
  move_to(out.cells, std::move(row.partition));
  move_to(out.cells, std::move(row.clustering));
  if (row.range) {
    out.cells.push_back(std::move(row.range->first));
    out.cells.push_back(std::move(row.range->second));
  }
  return out;
}

// Where the partition's cells stand among the bound ones.
constexpr std::ptrdiff_t partition_at(const RowWrite&) { return 0; }
constexpr std::ptrdiff_t partition_at(const RowDelete&) { return 1; }

// Puts rows together that may go as one batch.
class Units {
 public:
  Units(const CassandraRowsOptions& options, std::int64_t now_ms) : options_(options), now_ms_(now_ms) {}

  template <class Row>
  void add(const Statements::Writes& writes, Row&& row) {
    const bool joins = !units_.empty() && same_partition(units_.back().rows.back(), row);
    std::size_t payload = 0;
    BoundRow next = bound(writes, std::forward<Row>(row), now_ms_);
    for (const std::string& cell : next.cells) payload += cell.size();
    if (!joins || units_.back().rows.size() >= options_.batch_rows_max ||
        payload_ + payload > options_.batch_bytes_max) {
      units_.emplace_back();
      payload_ = 0;
    }
    payload_ += payload;
    units_.back().bytes += payload + sizeof(BoundRow) + next.cells.size() * sizeof(std::string);
    units_.back().rows.push_back(std::move(next));
  }
  std::vector<WriteUnit> take() { return std::move(units_); }

 private:
  template <class Row>
  [[nodiscard]] bool same_partition(const BoundRow& before, const Row& row) const {
    return before.table == row.table &&
           std::equal(row.partition.begin(), row.partition.end(), before.cells.begin() + partition_at(row));
  }

  const CassandraRowsOptions& options_;
  const std::int64_t now_ms_;
  std::vector<WriteUnit> units_;
  std::size_t payload_ = 0;  // of the last one
};

// `keys` holds what a cell of the list looks at.
std::vector<driver::Cell> cells_of(const RowRead& read, std::string& keys) {
  std::vector<driver::Cell> cells(read.partition.begin(), read.partition.end());
  for (const auto* bound : {&read.from, &read.until}) {
    if (*bound) cells.emplace_back(**bound);
  }
  if (!read.keys.empty()) {
    keys = list_cell(std::vector<std::string_view>(read.keys.begin(), read.keys.end()));
    cells.emplace_back(keys);
  }
  return cells;
}

// Of the ring's parts, number `i`: tokens from (exclusive) and until (inclusive).
std::array<std::string, 2> tokens(std::size_t i, std::size_t parts) {
  const std::uint64_t step = UINT64_MAX / parts;
  const auto token = [](std::uint64_t above_least) {
    return bigint_cell(static_cast<std::int64_t>(above_least ^ (std::uint64_t{1} << 63U)));
  };
  return {token(i * step), token(i + 1 == parts ? UINT64_MAX : (i + 1) * step)};
}

// The cells of a row as views, in one place that is used again for each.
class Views {
 public:
  RowView of(std::span<const driver::Cell> row, std::size_t count) {
    views_.clear();
    for (const driver::Cell& cell : row.first(count)) views_.push_back(cell.bytes());
    return {views_};
  }

 private:
  std::vector<std::string_view> views_;
};

}  // namespace

Result<std::unique_ptr<CassandraRows>> CassandraRows::open(const driver::Session& session, const Tables& tables,
                                                           const CassandraRowsOptions& options, const Clock& clock) {
  VARVE_ASSIGN_OR_RETURN(auto statements, Statements::prepare(session, tables, options.keyspace, clock));
  return std::unique_ptr<CassandraRows>(new CassandraRows(session, options, clock, std::move(statements)));
}

std::unique_ptr<CassandraRows> CassandraRows::with_own_queue() const {
  return std::unique_ptr<CassandraRows>(new CassandraRows(session_, options_, clock_, statements_));
}

CassandraRows::CassandraRows(const driver::Session& session, const CassandraRowsOptions& options, const Clock& clock,
                             std::shared_ptr<Statements> statements)
    : session_(session),
      options_(options),
      clock_(clock),
      statements_(std::move(statements)),
      queue_({.in_flight = options.in_flight_requests, .bytes_max = options.queued_bytes_max}, clock,
             [this](const std::vector<BoundRow>& rows, WriteQueue::Done done) { send(rows, std::move(done)); }) {}

void CassandraRows::write(std::vector<RowWrite> rows, Done done) { submit(std::move(rows), std::move(done)); }

void CassandraRows::erase(std::vector<RowDelete> rows, Done done) { submit(std::move(rows), std::move(done)); }

template <class Row>
void CassandraRows::submit(std::vector<Row> rows, Done done) {
  const Table* table = nullptr;
  const Statements::Writes* writes = nullptr;
  Status status;
  for (const Row& row : rows) {
    if (status = check_shape(row); !status) break;
    if (statements_->writes(*row.table) != nullptr) continue;
    status = fail(Code::invalid, row.table->name + " is not a table of this schema");
    break;
  }
  if (!status) {
    done(std::move(status));
    return;
  }
  Units units(options_, clock_.now_ms());
  for (Row& row : rows) {
    if (row.table != table) writes = statements_->writes(*(table = row.table));
    units.add(*writes, std::move(row));
  }
  queue_.submit(units.take(), std::move(done));
}

void CassandraRows::send(const std::vector<BoundRow>& rows, WriteQueue::Done done) const {
  std::vector<driver::Cell> cells;
  std::vector<driver::Bound> all;
  std::size_t count = 0;
  for (const BoundRow& row : rows) count += row.cells.size();
  cells.reserve(count);
  all.reserve(rows.size());
  for (const BoundRow& row : rows) {
    cells.insert(cells.end(), row.cells.begin(), row.cells.end());
    all.push_back({row.statement, std::span(cells).last(row.cells.size())});
  }
  const driver::ExecuteOptions how{.consistency = options_.consistency, .timestamp_us = {}};
  const auto answer = [table = rows[0].table, done = std::move(done)](auto result) {
    done(result ? Status() : Status(fail(explained(std::move(result.error()), *table, "writing"))));
  };
  if (all.size() == 1)
    session_.execute(all[0], how, answer);
  else
    session_.batch(all, how, answer);
}

driver::Request CassandraRows::ask(const Select& select, std::span<const driver::Cell> cells,
                                   driver::Done<driver::Rows> done) const {
  const driver::ExecuteOptions how{
      .consistency = options_.consistency, .timestamp_us = {}, .page_size = select.page_rows()};
  return session_.execute({&select.statement(), cells}, how, std::move(done));
}

Status CassandraRows::read(std::span<const RowRead> reads, const ReadLimits& limits, const Each& each) {
  std::vector<Select*> selects;
  selects.reserve(reads.size());
  for (const RowRead& read : reads) {
    VARVE_RETURN_IF_ERROR(check_shape(read));
    VARVE_RETURN_IF_ERROR(value_numbers(*read.table, read.values));
    const RowRead* const before = selects.empty() ? nullptr : &reads[selects.size() - 1];
    if (before != nullptr && before->table == read.table && before->values == read.values &&
        Bounds(*before) == Bounds(read)) {
      selects.push_back(selects.back());
      continue;
    }
    VARVE_ASSIGN_OR_RETURN(Select* const select, statements_->select(read, limits));
    selects.push_back(select);
  }
  Views views;
  const PageQueries queries{
      .count = reads.size(),
      .ask =
          [&](std::size_t number, driver::Done<driver::Rows> done) {
            std::string keys;
            const auto cells = cells_of(reads[number], keys);
            return ask(*selects[number], cells, std::move(done));
          },
      .each =
          [&](std::size_t number, std::span<const driver::Cell> row) {
            return each(number, views.of(row, reads[number].table->clustering.size() + reads[number].values.size()));
          },
      .measured = [&](std::size_t number, std::size_t rows,
                      std::size_t bytes) { selects[number]->measured(rows, bytes); },
      .explain = [&](std::size_t number,
                     Error error) { return explained(std::move(error), *reads[number].table, "reading"); }};
  const bool known = std::ranges::all_of(selects, &Select::known);
  const PageLimits pages{.in_flight = options_.reads_in_flight,
                         .at_first = known ? options_.reads_in_flight : PageLimits().at_first,
                         .bytes = options_.read_bytes,
                         .within = limits};
  return read_pages(queries, pages, clock_);
}

Status CassandraRows::read_all(const Table& table, std::span<const std::string> values, const EachOfAll& each) {
  VARVE_RETURN_IF_ERROR(value_numbers(table, values));
  VARVE_ASSIGN_OR_RETURN(Select* const select, statements_->scan(table, values));
  Views views;
  const std::size_t columns = table.partition.size() + table.clustering.size() + values.size();
  const PageQueries queries{
      .count = options_.scan_ranges,
      .ask =
          [&](std::size_t number, driver::Done<driver::Rows> done) {
            const auto range = tokens(number, options_.scan_ranges);
            return ask(*select, std::array<driver::Cell, 2>{range[0], range[1]}, std::move(done));
          },
      .each = [&](std::size_t, std::span<const driver::Cell> row) { return each(views.of(row, columns)); },
      .measured = [&](std::size_t, std::size_t rows, std::size_t bytes) { select->measured(rows, bytes); },
      .explain = [&](std::size_t, Error error) { return explained(std::move(error), table, "reading all of"); }};
  const PageLimits pages{.in_flight = kScansInFlight, .bytes = options_.read_bytes, .attempts = kScanAttempts};
  return read_pages(queries, pages, clock_);
}

}  // namespace varve::engine::cassandra
