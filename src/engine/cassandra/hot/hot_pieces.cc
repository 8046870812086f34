// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/hot_pieces.h"

#include <algorithm>
#include <tuple>

namespace varve::engine::cassandra {
namespace {

constexpr std::size_t kGroupBytes = 4;  // of a row: its number, which only this process understands

struct Placed {
  std::uint32_t group;
  model::Timestamp slot;
  const std::byte* at;  // ascending in the batch
  std::size_t bytes;
};

auto place_of(const Placed& row) { return std::tuple(row.group, row.slot); }

}  // namespace

std::vector<HotPiece> hot_pieces(const model::RowBatch& batch, std::int64_t slot_width_ms, std::size_t bytes_max) {
  std::vector<Placed> rows;
  rows.reserve(batch.rows());
  const std::span<const std::byte> bytes = batch.bytes();
  for (const std::byte* at = bytes.data(); at != bytes.data() + bytes.size();) {
    const model::RowView row{at};
    rows.push_back({model::to_int(row.group()), model::window_start(row.time(), slot_width_ms), at, row.bytes()});
    at += rows.back().bytes;
  }
  if (!std::ranges::is_sorted(rows, {}, place_of)) std::ranges::stable_sort(rows, {}, place_of);

  std::vector<HotPiece> pieces;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool same = i > 0 && place_of(rows[i - 1]) == place_of(rows[i]);
    if (!same || pieces.back().value.size() + rows[i].bytes > bytes_max) {
      pieces.push_back({model::GroupId{rows[i].group}, rows[i].slot, {}});
    }
    std::string& value = pieces.back().value;
    value.append(kGroupBytes, '\0');
    value.append(reinterpret_cast<const char*>(rows[i].at) + kGroupBytes, rows[i].bytes - kGroupBytes);
  }
  return pieces;
}

}  // namespace varve::engine::cassandra
