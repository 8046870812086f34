// SPDX-License-Identifier: Apache-2.0
#include "rollup/columns.h"

#include <bit>

namespace varve::rollup {

void Columns::clear() {
  starts.clear();
  counts.clear();
  offsets.clear();
  sums.clear();
  mins.clear();
  maxs.clear();
  lasts.clear();
  last_types.clear();
}

void Columns::add(Kind kind, std::span<const Window> windows) {
  const std::size_t before = starts.size();
  const std::size_t size = before + windows.size();
  starts.resize(size);
  counts.resize(size);
  offsets.resize(size);
  if (kind == Kind::text) lasts.resize(size), last_types.resize(size);
  if (kind != Kind::text) sums.resize(size);
  if (kind == Kind::gauge) mins.resize(size), maxs.resize(size);
  for (std::size_t i = 0, at = before; i < windows.size(); ++i, ++at) {
    const Window& w = windows[i];
    starts[at] = w.start;
    counts[at] = static_cast<std::int64_t>(w.count);
    offsets[at] = w.first_time - w.start;
    if (kind == Kind::text) {
      lasts[at] = w.last;
      last_types[at] = w.last_type;
      continue;
    }
    sums[at] = std::bit_cast<std::uint64_t>(w.sum);
    if (kind == Kind::counter) continue;
    mins[at] = std::bit_cast<std::uint64_t>(w.min);
    maxs[at] = std::bit_cast<std::uint64_t>(w.max);
  }
}

}  // namespace varve::rollup
