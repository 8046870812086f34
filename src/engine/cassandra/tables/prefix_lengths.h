// SPDX-License-Identifier: Apache-2.0
// Prefix lengths: how many bits the hash prefixes of a slot's hot rows have (hot_rows.h). Most slots have one length,
// of seven that are possible: who knows which asks for hot rows where there are some, and nowhere else.
//
// A row of them stands before the first hot row that relies on it is written, and longer than any of these
// (hot/known_lengths.h). It is read before hot rows are: so none that was acknowledged is missed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/cassandra/tables/row_store.h"
#include "model/time.h"

namespace varve::engine::cassandra {

// Has all hot rows of the slot that are written until `now_ms` + kLengthsSlackMs.
RowWrite prefix_length_write(const Tables& tables, std::string tenant, model::Timestamp slot, std::int64_t slot_ms,
                             unsigned bits, std::int64_t timestamp_us, model::Timestamp now_ms);

// What to read for some slots, and what was found: those of a partition bucket at once.
class PrefixLengthReads {
 public:
  PrefixLengthReads(const Tables& tables, std::int64_t slot_ms) : tables_(tables), slot_ms_(slot_ms) {}
  void add(const std::string& tenant, model::Timestamp slot);
  [[nodiscard]] std::vector<RowRead> reads();  // once, after all was added
  // A row of one of these reads. Errors: corrupt.
  Status row(std::size_t read, const RowView& row);
  // Of one of the slots, ascending. Valid until the next row.
  [[nodiscard]] std::span<const unsigned> of(const std::string& tenant, model::Timestamp slot) const;

 private:
  using TenantTime = std::pair<std::string, model::Timestamp>;
  const Tables& tables_;
  const std::int64_t slot_ms_;
  std::map<TenantTime, std::set<model::Timestamp>> slots_;  // by tenant and partition bucket
  std::vector<const std::string*> tenants_;                 // of each read
  std::map<TenantTime, std::vector<unsigned>> found_;
};

}  // namespace varve::engine::cassandra
