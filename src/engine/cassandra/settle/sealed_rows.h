// SPDX-License-Identifier: Apache-2.0
// Sealed rows: what was read of slots as rows of the table of sealed rows, a slot in each, or many (tables/strata.h):
// one block for each column shard.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/cassandra/scan/slot_data.h"
#include "engine/cassandra/scan/slot_reader.h"
#include "engine/cassandra/tables/data_rows.h"

namespace varve::engine::cassandra {

// What is said of it for people.
struct RowsMade {
  std::uint64_t chunks = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // of the chunks
};

struct SlotToSeal {
  const SlotData* data = nullptr;
  bool with_arrivals = false;  // of its rows, as far as they are known
};

class SealedRows {
 public:
  // `version`: of all of them; it was drawn before the slots were read (tables/write_versions.h).
  SealedRows(const ChunkTable& table, std::int64_t version, std::int64_t now_ms)
      : table_(table), version_(version), now_ms_(now_ms) {}

  // Error: corrupt, and nothing was added.
  Result<RowsMade> add_slot(const GroupRef& group, const SlotToSeal& slot);
  // Successive slots of one day. What was made of each (chunks and bytes are the first one's); none: they are too large
  // together. Error: corrupt. Nothing was added then.
  Result<std::vector<RowsMade>> add_stratum(const GroupRef& group, std::span<const SlotToSeal> slots);

  // None of what is over by now.
  [[nodiscard]] std::span<const RowWrite> made() const { return rows_; }
  std::vector<RowWrite> take() { return std::move(rows_); }

 private:
  const ChunkTable& table_;
  const std::int64_t version_, now_ms_;
  std::vector<RowWrite> rows_;
};

}  // namespace varve::engine::cassandra
