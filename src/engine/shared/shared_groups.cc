// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/shared_groups.h"

#include <algorithm>

namespace varve::engine::shared {
namespace {

// Doubling would copy everything at once; so does this, but rarely.
void grow(std::vector<bool>& bits, std::size_t size) {
  if (bits.size() < size) bits.resize(std::max(size, bits.size() + bits.size() / 2 + 1024));
}

}  // namespace

void SharedGroups::catch_up(const index::SeriesIndex& index) {
  std::vector<index::Place> places;
  const std::size_t known = groups_;
  groups_ = index.group_count();
  grow(shared_, groups_);
  grow(seen_, index.series_end());
  for (std::size_t g = known; g < groups_; ++g) {
    for (const model::SeriesId series : index.group_series(model::GroupId{static_cast<std::uint32_t>(g)})) {
      const auto s = model::to_int(series);
      if (seen_[s]) {
        index.places(series, places);
        for (const auto& place : places) shared_[model::to_int(place.group)] = true;
        any_ = true;
      }
      seen_[s] = true;
    }
  }
}

}  // namespace varve::engine::shared
