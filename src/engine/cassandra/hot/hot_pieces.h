// SPDX-License-Identifier: Apache-2.0
// Hot pieces: a batch cut into what becomes one hot row each: the rows of one line group in one slot
// (docs/formats/cluster.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"
#include "model/row.h"
#include "model/time.h"

namespace varve::engine::cassandra {

// A longer one is cut, between rows: Cassandra likes no large cells, and refuses requests of 16 MiB.
inline constexpr std::size_t kHotRowBytesMax = std::size_t{1} << 20;

struct HotPiece {
  model::GroupId group{};
  model::Timestamp slot = 0;
  std::string value;  // packed rows in the order of the batch, their group 0
};

// By group, then slot; what was cut stands in order. Rows keep the order of the batch within a piece.
std::vector<HotPiece> hot_pieces(const model::RowBatch& batch, std::int64_t slot_width_ms,
                                 std::size_t bytes_max = kHotRowBytesMax);

}  // namespace varve::engine::cassandra
