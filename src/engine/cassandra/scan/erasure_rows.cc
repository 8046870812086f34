// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/erasure_rows.h"

#include <algorithm>
#include <type_traits>

#include "base/bytes.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {
namespace {

constexpr std::uint8_t kErasureVersion = 1;

// The first four bits of the group's hash.
std::int16_t shard_of_group(std::string_view group) {
  return static_cast<std::int16_t>(group.empty() ? 0 : static_cast<unsigned char>(group[0]) >> 4U);
}

template <class Number>
void append_le(std::string& to, Number number) {
  for (std::size_t i = 0; i < sizeof(number); ++i) {
    to += static_cast<char>(static_cast<std::make_unsigned_t<Number>>(number) >> (8 * i));
  }
}

// docs/formats/cluster.md. That of an earlier build is the columns alone, which is an even number of bytes.
std::string encode_columns(const Erasure& erasure) {
  std::string blob;
  if (!erasure.by_time) {
    blob += static_cast<char>(kErasureVersion);
    append_le(blob, static_cast<std::uint16_t>(erasure.columns.size()));
  }
  for (const std::uint16_t column : erasure.columns) append_le(blob, column);
  for (const Arrival& last : erasure.seen) {
    append_le(blob, last.us);
    append_le(blob, last.source);
  }
  return blob;
}

Status read_columns(std::string_view blob, Erasure& erasure) {
  const auto* at = reinterpret_cast<const std::byte*>(blob.data());
  const auto* const end = at + blob.size();
  std::size_t columns = blob.size() / 2;
  erasure.by_time = blob.size() % 2 == 0;
  if (!erasure.by_time) {
    if (static_cast<std::uint8_t>(*at) != kErasureVersion) {
      return fail(Code::unsupported, "a delete was written by a newer varve");
    }
    if (blob.size() < 3) return fail(Code::corrupt, "a delete is cut short");
    columns = load_le<std::uint16_t>(at + 1);
    at += 3;
    const std::size_t rest = blob.size() - 3;
    if (rest < 2 * columns || (rest - 2 * columns) % 16 != 0) return fail(Code::corrupt, "a delete is cut short");
  }
  for (std::size_t i = 0; i < columns; ++i, at += 2) erasure.columns.push_back(load_le<std::uint16_t>(at));
  for (; at != end; at += 16) erasure.seen.push_back({load_le<std::int64_t>(at), load_le<std::int64_t>(at + 8)});
  if (std::ranges::is_sorted(erasure.seen, {}, &Arrival::source)) return {};
  return fail(Code::corrupt, "what a delete has seen is not in order");
}

// Behind the group.
Result<Erasure> erasure_of(std::span<const std::string_view> cells) {
  if (cells.size() != 5) return fail(Code::corrupt, "a delete is malformed");
  Erasure erasure;
  VARVE_ASSIGN_OR_RETURN(erasure.number, bigint_of(cells[0]));
  VARVE_ASSIGN_OR_RETURN(erasure.range.first, timestamp_of(cells[1]));
  VARVE_ASSIGN_OR_RETURN(erasure.range.last, timestamp_of(cells[2]));
  VARVE_ASSIGN_OR_RETURN(erasure.blocks, bigint_of(cells[4]));
  VARVE_RETURN_IF_ERROR(read_columns(cells[3], erasure));
  return erasure;
}

}  // namespace

RowWrite erasure_write(const Tables& tables, const GroupCells& group, const Erasure& erasure, std::int64_t version) {
  RowWrite row{&tables.erasures, {group.tenant, smallint_cell(shard_of_group(group.group))}, {}, {}, version, 0};
  row.clustering = {group.group, bigint_cell(erasure.number)};
  row.values = {timestamp_cell(erasure.range.first), timestamp_cell(erasure.range.last), encode_columns(erasure),
                bigint_cell(erasure.blocks)};
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
  VARVE_ASSIGN_OR_RETURN(const Erasure erasure, erasure_of(row.cells.subspan(1)));
  const auto group = of_read_[read]->find(row.cells[0]);
  if (group == of_read_[read]->end()) return {};
  for (const std::size_t number : group->second) each(number, erasure);
  return {};
}

}  // namespace varve::engine::cassandra
