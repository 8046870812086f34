// SPDX-License-Identifier: Apache-2.0
// Slot data: what stands of one line group in one slot, as it was read, and the columns that it makes. Both queries and
// sealing see samples through it.
//
// Order of writing: the sealed block, which holds everything up to some arrivals, then hot rows by arrival; the block
// holds the oldest of them already, and laid over it they change nothing. A delete stands between: it takes away what
// is in its range of blocks that were read, and of hot rows that arrived, before it.
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

// A delete as it concerns a group.
struct Erasure {
  std::int64_t at_us = 0;  // hot rows that arrived until then
  // Blocks that were read until then: later than at_us, as who reads at the same time may not see the delete yet. What
  // arrived in between stands as hot rows, too.
  std::int64_t blocks_us = std::numeric_limits<std::int64_t>::max();
  model::TimeRange range;
  std::vector<std::uint16_t> columns;  // ascending
};

struct SlotData {
  struct Hot {
    Arrival arrival;
    std::string rows;  // plain (engine/shared/rows.h)
  };
  struct Sealed {
    unsigned part = 0;
    std::int64_t read_us = 0;
    std::shared_ptr<const chunk::Block> block;  // nullptr: nothing
  };
  model::Timestamp slot = 0;
  std::vector<Hot> hot;        // by arrival
  std::vector<Sealed> sealed;  // by part

  [[nodiscard]] const chunk::Block* block(unsigned part) const;
  [[nodiscard]] std::size_t memory_bytes() const;

  // Afterwards nothing is left of what was deleted. `columns`: how many the group has; erasures in order of time.
  // Error: corrupt.
  Status erase(std::size_t columns, std::span<const Erasure> erasures);

 private:
  Status erase_part(unsigned part, std::size_t columns, std::span<const Erasure> erasures);
};

// What comes from outside is checked before it is put there. Errors: corrupt.
Status check_hot_rows(std::string_view rows, std::size_t columns, model::TimeRange slot);
// The block of a part of a group of so many columns; an empty chunk is nullptr. It may have one column more, of the
// rows' arrivals.
Result<std::shared_ptr<const chunk::Block>> open_chunk(std::string_view chunk, unsigned part, std::size_t columns);

// Lays the data of some columns (ascending, of one part, not empty) into `gather`, not yet finished. Data and columns
// must outlive its use. Error: corrupt.
Status gather_columns(const SlotData& data, std::span<const std::uint16_t> columns, shared::Gather& gather);

// When each of these rows of the part arrived, in µs: `times` as gather_columns() makes them. 0: it was sealed before
// anybody had reason to keep that. Error: corrupt.
Result<std::vector<std::uint64_t>> arrivals_of(const SlotData& data, unsigned part, std::size_t columns,
                                               std::span<const model::Timestamp> times);
// Of the rows of a block itself.
Status block_arrivals(const chunk::Block& block, unsigned part, std::size_t columns, std::vector<std::uint64_t>& out);

// All columns of a part.
std::vector<std::uint16_t> columns_of_part(unsigned part, std::size_t columns);

}  // namespace varve::engine::cassandra
