// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/erasure_rows.h"

#include "base/bytes.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {
namespace {

// The first four bits of the group's hash.
std::int16_t shard_of_group(std::string_view group) {
  return static_cast<std::int16_t>(group.empty() ? 0 : static_cast<unsigned char>(group[0]) >> 4U);
}

// Behind the group.
Result<Erasure> erasure_of(std::span<const std::string_view> cells) {
  if (cells.size() != 5 || cells[3].size() % 2 != 0) return fail(Code::corrupt, "a delete is malformed");
  Erasure erasure;
  VARVE_TRY(erasure.at_us, bigint_of(cells[0]));
  VARVE_TRY(erasure.range.first, timestamp_of(cells[1]));
  VARVE_TRY(erasure.range.last, timestamp_of(cells[2]));
  VARVE_TRY(erasure.blocks_us, bigint_of(cells[4]));
  const auto* const bytes = reinterpret_cast<const std::byte*>(cells[3].data());
  for (std::size_t i = 0; i < cells[3].size(); i += 2) {
    erasure.columns.push_back(load_le<std::uint16_t>(bytes + i));
  }
  return erasure;
}

}  // namespace

RowWrite erasure_write(const Tables& tables, const GroupCells& group, const Erasure& erasure, std::int64_t now_us) {
  std::string columns;
  for (const std::uint16_t column : erasure.columns) {
    columns += static_cast<char>(column & 0xff);
    columns += static_cast<char>(column >> 8);
  }
  RowWrite row{&tables.erasures, {group.tenant, smallint_cell(shard_of_group(group.group))}, {}, {}, now_us, 0};
  row.clustering = {group.group, bigint_cell(erasure.at_us)};
  row.values = {timestamp_cell(erasure.range.first), timestamp_cell(erasure.range.last), std::move(columns),
                bigint_cell(erasure.blocks_us)};
  return row;
}

void ErasureReads::add(const GroupCells& group, std::size_t number) {
  partitions_[{group.tenant, shard_of_group(group.group)}][group.group].push_back(number);
}

std::vector<RowRead> ErasureReads::reads() {
  std::vector<RowRead> list;
  for (const auto& [partition, numbers] : partitions_) {
    const RowRead read{&tables_.erasures,
                       {partition.first, smallint_cell(partition.second)},
                       {},
                       {},
                       {"first", "last", "columns", "blocks"}};
    const std::size_t count = add_keyed_reads(list, read, numbers, [](const auto& group) { return group.first; });
    of_read_.insert(of_read_.end(), count, &numbers);
  }
  return list;
}

Status ErasureReads::row(std::size_t read, const RowView& row, const Each& each) const {
  if (row.cells.empty()) return fail(Code::corrupt, "a delete without a group");
  VARVE_TRY(const Erasure erasure, erasure_of(row.cells.subspan(1)));
  const auto group = of_read_[read]->find(row.cells[0]);
  if (group == of_read_[read]->end()) return {};
  for (const std::size_t number : group->second) each(number, erasure);
  return {};
}

}  // namespace varve::engine::cassandra
