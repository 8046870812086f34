// SPDX-License-Identifier: Apache-2.0
// Hot pieces: a batch, cut into the samples of one hot row each: those for the groups of one hash prefix in one slot
// (docs/formats/cluster.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/cassandra/series/directory.h"
#include "engine/cassandra/tables/hot_rows.h"
#include "model/row.h"

namespace varve::engine::cassandra {

// A longer one is cut, between rows: Cassandra likes no large cells, and refuses requests of 16 MiB.
inline constexpr std::size_t kHotRowBytesMax = std::size_t{1} << 20;

struct HotPiece {
  HashPrefix prefix;
  model::Timestamp slot = 0;
  std::string value;  // sections; the rows of a group in the order of the batch
};

struct HotBatch {
  std::vector<HotPiece> pieces;  // by hash prefix, then slot; what was cut stands in order
  struct Section {
    model::GroupId group{};
    GroupName name;
    model::Timestamp slot = 0;
  };
  std::vector<Section> sections;  // by group, then slot, each once
};

using NamesOf = std::function<std::vector<GroupName>(std::span<const model::GroupId>)>;
HotBatch hot_pieces(const model::RowBatch& batch, std::int64_t slot_width_ms, const NamesOf& names_of,
                    std::size_t bytes_max = kHotRowBytesMax);

}  // namespace varve::engine::cassandra
