// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/testing/memory_rows.h"

#include <algorithm>

#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra::testing {
namespace {

Status give(const Cells& cells, const std::function<Status(const RowView&)>& each) {
  const std::vector<std::string_view> views(cells.begin(), cells.end());
  return each({views});
}

}  // namespace

bool MemoryRows::ByClustering::operator()(const Cells& a, const Cells& b) const {
  for (std::size_t i = 0; i < table->clustering.size(); ++i) {
    const auto order = compare_cells(table->clustering[i].type, a[i], b[i]);
    if (order != 0) return order < 0;
  }
  return false;
}

Status MemoryRows::check_open() const {
  if (refuses_) return fail(Code::unavailable, "Cassandra is not there: try again later");
  return {};
}

Status MemoryRows::let(const Change& change) {
  std::function<Status(const Change&)> hook;
  {
    const std::lock_guard lock(mutex_);
    hook = before_write_;
  }
  if (hook) VARVE_RETURN_IF_ERROR(hook(change));
  VARVE_RETURN_IF_ERROR(check_open());  // the hook may have changed its mind
  std::size_t left = left_;
  while (left != kUnlimited) {
    if (left == 0) return fail(Code::unavailable, "no connection to Cassandra");
    if (left_.compare_exchange_weak(left, left - 1)) break;
  }
  return {};
}

MemoryRows::Partition& MemoryRows::partition(const Table& table, const Cells& cells) {
  return tables_[table.name]
      .partitions.try_emplace(cells, Partition{kNever, decltype(Partition::rows)({&table})})
      .first->second;
}

Status MemoryRows::write_row(RowWrite& row) {
  VARVE_RETURN_IF_ERROR(let({*row.table, row.partition, row.clustering, false}));
  const std::lock_guard lock(mutex_);
  ++tables_[row.table->name].counts.rows_written;
  const std::uint32_t ttl_s = row.ttl_s == 0 ? row.table->ttl_s : row.ttl_s;
  const std::int64_t expires_s = ttl_s == 0 ? 0 : clock_.now_ms() / 1000 + ttl_s;
  Row& standing = partition(*row.table, row.partition).rows[row.clustering];
  // Of two writes with one timestamp the one that ends later counts, what ends before what stays; then larger values.
  const auto rank = [](std::int64_t us, std::int64_t s) { return std::pair(us, s); };
  const auto order = rank(row.timestamp_us, expires_s) <=> rank(standing.written_us, standing.expires_s);
  if (order < 0) return {};
  if (order == 0) {
    for (std::size_t i = 0; i < row.values.size(); ++i)
      standing.values[i] = std::max(standing.values[i], row.values[i]);
    return {};
  }
  standing.written_us = row.timestamp_us;
  standing.expires_s = expires_s;
  standing.values = std::move(row.values);
  return {};
}

void MemoryRows::write(std::vector<RowWrite> rows, Done done) {
  Status status = check_open();
  for (const RowWrite& row : rows) {
    if (status) status = check_shape(row);
  }
  if (status) {
    const std::lock_guard lock(mutex_);
    std::vector<const Table*> seen;
    for (const RowWrite& row : rows) {
      if (std::ranges::find(seen, row.table) != seen.end()) continue;
      seen.push_back(row.table);
      ++tables_[row.table->name].counts.batches;
    }
  }
  for (RowWrite& row : rows) {
    if (status) status = write_row(row);
  }
  done(std::move(status));
}

Status MemoryRows::erase_row(RowDelete& row) {
  VARVE_RETURN_IF_ERROR(let({*row.table, row.partition, row.clustering, true}));
  const std::lock_guard lock(mutex_);
  ++tables_[row.table->name].counts.rows_erased;
  Partition& within = partition(*row.table, row.partition);
  if (row.range) {
    within.ranges.push_back({row.range->first, row.range->second, row.timestamp_us});
    return {};
  }
  std::int64_t& erased_us = row.clustering.empty() ? within.erased_us : within.rows[row.clustering].erased_us;
  erased_us = std::max(erased_us, row.timestamp_us);
  return {};
}

void MemoryRows::erase(std::vector<RowDelete> rows, Done done) {
  Status status = check_open();
  for (const RowDelete& row : rows) {
    if (status) status = check_shape(row);
  }
  for (RowDelete& row : rows) {
    if (status) status = erase_row(row);
  }
  done(std::move(status));
}

bool MemoryRows::readable(const Table& table, const Partition& partition, const Cells& clustering,
                          const Row& row) const {
  if (row.written_us == kNever || row.written_us <= std::max(partition.erased_us, row.erased_us)) return false;
  const auto is_before = [&](const std::string& a, const std::string& b) {
    return compare_cells(table.clustering[0].type, a, b) < 0;
  };
  const auto covers = [&](const ErasedRange& range) {
    return row.written_us <= range.erased_us && !is_before(clustering[0], range.from) &&
           is_before(clustering[0], range.until);
  };
  if (std::ranges::any_of(partition.ranges, covers)) return false;
  return row.expires_s == 0 || clock_.now_ms() / 1000 < row.expires_s;
}

std::vector<Cells> MemoryRows::rows_of(const RowRead& read, const std::vector<std::size_t>& values) {
  std::vector<Cells> out;
  const std::lock_guard lock(mutex_);
  Stored& stored = tables_[read.table->name];
  ++stored.counts.reads;
  const auto found = stored.partitions.find(read.partition);
  if (found == stored.partitions.end()) return out;
  for (const auto& [clustering, row] : found->second.rows) {
    if (!readable(*read.table, found->second, clustering, row)) continue;
    const auto before = [&](const std::string& bound) {
      return compare_cells(read.table->clustering[0].type, clustering[0], bound) < 0;
    };
    if (read.from && before(*read.from)) continue;
    if (read.until && !before(*read.until)) break;
    if (!read.keys.empty() && std::ranges::find(read.keys, clustering[0]) == read.keys.end()) continue;
    Cells& cells = out.emplace_back(clustering);
    for (const std::size_t number : values) cells.push_back(row.values[number]);
  }
  stored.counts.rows_read += out.size();
  return out;
}

Status MemoryRows::read_one(const RowRead& read, std::size_t number, const Each& each) {
  VARVE_RETURN_IF_ERROR(check_open());
  VARVE_RETURN_IF_ERROR(check_shape(read));
  VARVE_ASSIGN_OR_RETURN(const auto values, value_numbers(*read.table, read.values));
  std::function<Status(const RowRead&)> hook;
  {
    const std::lock_guard lock(mutex_);
    hook = before_read_;
  }
  if (hook) VARVE_RETURN_IF_ERROR(hook(read));
  for (const Cells& cells : rows_of(read, values)) {
    VARVE_RETURN_IF_ERROR(give(cells, [&](const RowView& row) { return each(number, row); }));
  }
  return {};
}

Status MemoryRows::read(std::span<const RowRead> reads, const ReadLimits& limits, const Each& each) {
  VARVE_RETURN_IF_ERROR(check_open());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    VARVE_RETURN_IF_ERROR(within(limits, clock_));
    VARVE_RETURN_IF_ERROR(read_one(reads[i], i, each));
  }
  return {};
}

Status MemoryRows::read_all(const Table& table, std::span<const std::string> values, const EachOfAll& each) {
  VARVE_RETURN_IF_ERROR(check_open());
  VARVE_ASSIGN_OR_RETURN(const auto numbers, value_numbers(table, values));
  std::vector<Cells> all;
  {
    const std::lock_guard lock(mutex_);
    Stored& stored = tables_[table.name];
    ++stored.counts.reads;
    for (const auto& [key, partition] : stored.partitions) {
      for (const auto& [clustering, row] : partition.rows) {
        if (!readable(table, partition, clustering, row)) continue;
        Cells& cells = all.emplace_back(key);
        cells.insert(cells.end(), clustering.begin(), clustering.end());
        for (const std::size_t number : numbers) cells.push_back(row.values[number]);
      }
    }
    stored.counts.rows_read += all.size();
  }
  for (const Cells& cells : all) VARVE_RETURN_IF_ERROR(give(cells, each));
  return {};
}

void MemoryRows::before_write(std::function<Status(const Change&)> hook) {
  const std::lock_guard lock(mutex_);
  before_write_ = std::move(hook);
}

void MemoryRows::before_read(std::function<Status(const RowRead&)> hook) {
  const std::lock_guard lock(mutex_);
  before_read_ = std::move(hook);
}

MemoryRows::Counts MemoryRows::counts(const Table& table) const {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(table.name);
  return found == tables_.end() ? Counts{} : found->second.counts;
}

void MemoryRows::reset_counts() {
  const std::lock_guard lock(mutex_);
  for (auto& [name, stored] : tables_) stored.counts = {};
}

std::size_t MemoryRows::size(const Table& table) {
  const std::lock_guard lock(mutex_);
  std::size_t rows = 0;
  for (const auto& [key, partition] : tables_[table.name].partitions) {
    rows += static_cast<std::size_t>(std::ranges::count_if(
        partition.rows, [&](const auto& row) { return readable(table, partition, row.first, row.second); }));
  }
  return rows;
}

}  // namespace varve::engine::cassandra::testing
