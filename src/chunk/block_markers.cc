// SPDX-License-Identifier: Apache-2.0
// Columns with staleness markers: a list of the rows that have one, and the column of the other rows.
#include <algorithm>
#include <numeric>

#include "chunk/block_state.h"

namespace varve::chunk {

using model::ValueType;

bool Block::State::list_markers(const Part& part, std::vector<std::size_t>& out) const {
  out.resize(part.markers);
  if (part.markers == part.count) {
    std::iota(out.begin(), out.end(), std::size_t{0});
    return true;
  }
  const auto side = sections[kSide].bytes();
  if (side.empty()) return false;
  check(part.patches_at + part.patches_bytes <= side.size(),
        "read_directory() saw that markers end with their section");
  Cursor skips(side.subspan(part.patches_at, part.patches_bytes));
  std::size_t next = 0;
  for (std::size_t& row : out) {
    const std::uint64_t skip = skips.varint();
    if (!skips.ok() || skip >= part.count - next) return false;
    row = next + static_cast<std::size_t>(skip);
    next = row + 1;
  }
  return skips.left() == 0;
}

bool Block::State::decode_marked(const Part* part, Rows rows, DecodedColumn& out) const {
  std::vector<std::size_t> markers;
  if (!list_markers(*part, markers)) return false;
  const auto first = std::ranges::lower_bound(markers, rows.first);
  const auto last = std::ranges::lower_bound(first, markers.end(), rows.first + rows.count);
  const auto before = static_cast<std::size_t>(first - markers.begin());
  const std::size_t values = rows.count - static_cast<std::size_t>(last - first);
  out.uniform = true;
  out.bits.clear();
  out.texts.clear();
  if (part->markers < part->count && !decode(part + 1, {rows.first - before, values}, out)) return false;
  if (out.uniform) out.types.assign(values, out.type);
  out.uniform = false;
  out.types.resize(rows.count);
  out.bits.resize(rows.count);
  const bool has_texts = !out.texts.empty();
  if (has_texts) out.texts.resize(rows.count);
  // From behind, so that nothing is overwritten before it is moved.
  std::size_t from = values;
  auto marker = last;
  for (std::size_t row = rows.count; row-- > 0;) {
    if (marker != first && *std::prev(marker) == rows.first + row) {
      --marker;
      out.types[row] = ValueType::stale_marker;
      out.bits[row] = 0;
      if (has_texts) out.texts[row] = {};
      continue;
    }
    --from;
    out.types[row] = out.types[from];
    out.bits[row] = out.bits[from];
    if (has_texts) out.texts[row] = out.texts[from];
  }
  check(from == 0, "each value has its row");
  return true;
}

}  // namespace varve::chunk
