// SPDX-License-Identifier: Apache-2.0
// Slot data: the rows of one line group in one slot, as they were read, and the columns that result from them. Queries
// and sealing read samples through it.
//
// Later rows win: first the sealed block, then hot rows by arrival. The block may contain the oldest of these already;
// laid over it they change nothing. A delete removes what is in its range from blocks with a smaller version than its
// own, and from hot rows that existed when it was made.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chunk/block.h"
#include "engine/cassandra/tables/blobs.h"
#include "engine/shared/gather.h"
#include "model/time.h"

namespace varve::engine::cassandra {

// A delete as it concerns a group. Nothing of it depends on a clock: each process' hot rows ascend by themselves, and
// blocks have versions (tables/write_versions.h).
struct Erasure {
  std::int64_t number = 0;  // names it among those of the group
  // Blocks up to that version: drawn when the delete stood, so who drew a greater one has seen it.
  std::int64_t blocks = std::numeric_limits<std::int64_t>::max();
  model::TimeRange range;
  std::vector<std::uint16_t> columns;  // ascending
  // Of each process whose hot rows of the group stood then, the last of them; ascending by source. What it arrived
  // later is not deleted.
  std::vector<Arrival> seen;
  // Made by an earlier build: `seen` is empty, and it counts for all hot rows that arrived until `number`, in µs.
  bool by_time = false;

  [[nodiscard]] bool covers(const Arrival& arrival) const;
};

struct SlotData {
  struct Hot {
    Arrival arrival;
    std::string rows;  // plain (engine/shared/rows.h)
  };
  struct Sealed {
    unsigned shard = 0;
    std::int64_t version = 0;
    std::shared_ptr<const chunk::Block> block;  // nullptr: nothing
    std::size_t at = 0;                         // which group of it
  };
  model::Timestamp slot = 0;
  std::vector<Hot> hot;           // by arrival
  std::vector<Sealed> sealed;     // by shard
  std::vector<Arrival> arrivals;  // of all hot rows that were found, ascending
  unsigned stored_shards = 0;     // sealed rows that were found

  // Of the shard; nullptr: there is nothing.
  [[nodiscard]] const Sealed* chunk(unsigned shard) const;
  [[nodiscard]] std::int64_t version() const;  // the greatest of its sealed rows
  [[nodiscard]] std::size_t memory_bytes() const;

  // Afterwards nothing is left of what was deleted. `columns`: how many the group has. Error: corrupt.
  Status erase(std::size_t columns, std::span<const Erasure> erasures);

 private:
  // `covered`: the hot rows up to the last that a delete concerns.
  Status erase_shard(unsigned shard, std::size_t columns, std::span<const Erasure> erasures,
                     std::span<const Hot> covered);
};

// The greatest of any sealed row; 0: none.
std::int64_t greatest_version(std::span<const std::vector<SlotData>> lists);

// What comes from outside is checked before it is put there. Errors: corrupt.
Status check_hot_rows(std::string_view rows, std::size_t columns, model::TimeRange slot);
// The block of a shard of a group of so many columns, with a group for each slot; an empty chunk is nullptr. There may
// be one column more, of the rows' arrivals.
Result<std::shared_ptr<const chunk::Block>> open_chunk(std::string_view chunk, unsigned shard, std::size_t columns);

// Lays the data of some columns (ascending, of one shard, not empty) in a range into `gather`, not yet finished. Data
// and columns must outlive its use. Error: corrupt.
Status gather_columns(const SlotData& data, std::span<const std::uint16_t> columns, shared::Gather& gather,
                      model::TimeRange range = {});

// When each of these rows of the shard arrived, in µs: `times` as gather_columns() makes them. 0: it was sealed before
// anybody had reason to keep that. Error: corrupt.
Result<std::vector<std::uint64_t>> arrivals_of(const SlotData& data, unsigned shard, std::size_t columns,
                                               std::span<const model::Timestamp> times);
// Of the rows of a chunk itself.
Status chunk_arrivals(const SlotData::Sealed& chunk, std::size_t columns, std::vector<std::uint64_t>& out);

// All columns of a shard.
std::vector<std::uint16_t> columns_of_shard(unsigned shard, std::size_t columns);

}  // namespace varve::engine::cassandra
