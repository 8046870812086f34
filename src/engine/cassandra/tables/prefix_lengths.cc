// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/prefix_lengths.h"

#include <algorithm>

#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/data_rows.h"
#include "engine/cassandra/tables/hot_rows.h"
#include "engine/cassandra/tables/spans.h"

namespace varve::engine::cassandra {

using model::Timestamp;

RowWrite prefix_length_write(const Tables& tables, std::string tenant, Timestamp slot, std::int64_t slot_ms,
                             unsigned bits, std::int64_t timestamp_us, Timestamp now_ms) {
  const Timestamp from = std::max(slot + slot_ms, now_ms) + kLengthsSlackMs;
  return {&tables.prefix_lengths,
          {std::move(tenant), timestamp_cell(model::window_start(slot, bucket_ms(slot_ms)))},
          {timestamp_cell(slot), smallint_cell(static_cast<std::int16_t>(bits))},
          {},
          timestamp_us,
          ttl_left_s(from, kHotKeptMs, now_ms).value_or(0)};
}

void PrefixLengthReads::add(const std::string& tenant, Timestamp slot) {
  slots_[{tenant, model::window_start(slot, bucket_ms(slot_ms_))}].insert(slot);
}

std::vector<RowRead> PrefixLengthReads::reads() {
  std::vector<RowRead> list;
  for (const auto& [bucket, slots] : slots_) {
    const RowRead read{&tables_.prefix_lengths, {bucket.first, timestamp_cell(bucket.second)}, {}, {}, {}};
    tenants_.insert(tenants_.end(), add_keyed_reads(list, read, slots, timestamp_cell), &bucket.first);
  }
  return list;
}

Status PrefixLengthReads::row(std::size_t read, const RowView& row) {
  if (row.cells.size() != 2) return fail(Code::corrupt, "a length of hash prefixes has not two cells");
  VARVE_ASSIGN_OR_RETURN(const Timestamp slot, timestamp_of(row.cells[0]));
  VARVE_ASSIGN_OR_RETURN(const std::int16_t bits, smallint_of(row.cells[1]));
  if (std::ranges::find(kPrefixLengths, static_cast<unsigned>(bits)) == kPrefixLengths.end()) {
    return fail(Code::corrupt, "no hash prefix has " + std::to_string(bits) + " bits");
  }
  found_[{*tenants_[read], slot}].push_back(static_cast<unsigned>(bits));
  return {};
}

std::span<const unsigned> PrefixLengthReads::of(const std::string& tenant, Timestamp slot) const {
  const auto found = found_.find({tenant, slot});
  if (found == found_.end()) return {};
  return found->second;
}

}  // namespace varve::engine::cassandra
