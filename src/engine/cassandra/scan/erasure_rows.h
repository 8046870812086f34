// SPDX-License-Identifier: Apache-2.0
// Deletes as rows of their table, and back. They are rare and asked for with each read of samples, so that those of
// many groups share a partition: a question about a thousand groups costs sixteen reads of nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/cassandra/scan/slot_data.h"
#include "engine/cassandra/tables/data_rows.h"

namespace varve::engine::cassandra {

// It is written first, and again with its `blocks` when it stands. `version`: greater the second time.
RowWrite erasure_write(const Tables& tables, const GroupCells& group, const Erasure& erasure, std::int64_t version);

class ErasureReads {
 public:
  explicit ErasureReads(const Tables& tables) : tables_(tables) {}
  // `number`: what each() calls the group.
  void add(const GroupCells& group, std::size_t number);
  [[nodiscard]] std::vector<RowRead> reads();  // once, after all was added

  using Each = std::function<void(std::size_t number, const Erasure& erasure)>;
  // A row of one of these reads; those of a group come in order of time. Errors: corrupt.
  Status row(std::size_t read, const RowView& row, const Each& each) const;

 private:
  using Numbers = std::map<std::string, std::vector<std::size_t>, std::less<>>;  // by group
  const Tables& tables_;
  std::map<std::pair<std::string, std::int16_t>, Numbers> partitions_;
  std::vector<const Numbers*> of_read_;
};

}  // namespace varve::engine::cassandra
