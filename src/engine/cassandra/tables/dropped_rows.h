// SPDX-License-Identifier: Apache-2.0
// Dropped rows: up to which arrival the hot rows of a slot are in sealed rows and do not count any more
// (settle/dropper.h). The mark stands before the first of them is deleted, and deletes come to partitions and nodes one
// after the other: who reads hot rows reads the mark afterwards, leaves out what it covers, and reads the sealed rows
// last. Otherwise he might lay the first of two writes over the sealed row that has both, or miss both.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/row_store.h"
#include "engine/cassandra/tables/schema.h"
#include "engine/cassandra/tables/spans.h"
#include "model/time.h"

namespace varve::engine::cassandra {

// All that arrived until then (inclusive, µs). Its write timestamp is the same: the greatest one stays.
inline RowWrite dropped_write(const Tables& tables, std::string tenant, model::Timestamp slot, std::int64_t slot_ms,
                              std::int64_t until_us) {
  const model::Timestamp bucket = model::window_start(slot, bucket_ms(slot_ms));
  return {&tables.dropped,
          {std::move(tenant), timestamp_cell(bucket)},
          {timestamp_cell(slot)},
          {bigint_cell(until_us)},
          until_us,
          0};
}

// What to read for some slots: those of a partition bucket at once.
class DroppedReads {
 public:
  explicit DroppedReads(const Tables& tables) : tables_(tables) {}
  void add(std::string tenant, model::Timestamp slot, std::int64_t slot_ms) {
    slots_[{std::move(tenant), model::window_start(slot, bucket_ms(slot_ms))}].insert(slot);
  }
  [[nodiscard]] std::vector<RowRead> reads() {  // once, after all was added
    std::vector<RowRead> list;
    for (const auto& [bucket, slots] : slots_) {
      const RowRead read{&tables_.dropped, {bucket.first, timestamp_cell(bucket.second)}, {}, {}, {"until"}};
      const std::size_t count = add_keyed_reads(list, read, slots, timestamp_cell);
      tenants_.insert(tenants_.end(), count, &bucket.first);
    }
    return list;
  }
  struct Mark {
    const std::string& tenant;
    model::Timestamp slot = 0;
    std::int64_t until_us = 0;
  };
  // A row of one of these reads. Errors: corrupt.
  Result<Mark> row(std::size_t read, const RowView& row) const {
    if (row.cells.size() != 2) return fail(Code::corrupt, "a mark of what was dropped has not two cells");
    Mark mark{*tenants_[read]};
    VARVE_ASSIGN_OR_RETURN(mark.slot, timestamp_of(row.cells[0]));
    VARVE_ASSIGN_OR_RETURN(mark.until_us, bigint_of(row.cells[1]));
    return mark;
  }

 private:
  const Tables& tables_;
  std::map<std::pair<std::string, model::Timestamp>, std::set<model::Timestamp>> slots_;  // by tenant, partition bucket
  std::vector<const std::string*> tenants_;                                               // of each read
};

}  // namespace varve::engine::cassandra
