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
}

void Columns::add(Kind kind, std::span<const Window> windows) {
  for (const Window& w : windows) {
    starts.push_back(w.start);
    counts.push_back(static_cast<std::int64_t>(w.count));
    offsets.push_back(w.first_time - w.start);
    if (kind == Kind::text) {
      lasts.push_back(w.last);
      continue;
    }
    sums.push_back(std::bit_cast<std::uint64_t>(w.sum));
    if (kind == Kind::counter) continue;
    mins.push_back(std::bit_cast<std::uint64_t>(w.min));
    maxs.push_back(std::bit_cast<std::uint64_t>(w.max));
  }
}

}  // namespace varve::rollup
