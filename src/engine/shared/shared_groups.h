// SPDX-License-Identifier: Apache-2.0
// SharedGroups: the line groups that share a series with another group. Only these can contradict one another.
#pragma once

#include <vector>

#include "index/series_index.h"
#include "model/ids.h"

namespace varve::engine::shared {

// Guarded by the index's lock.
class SharedGroups {
 public:
  // Examines the groups added to the index since the last call.
  void catch_up(const index::SeriesIndex& index);
  [[nodiscard]] bool contains(std::uint32_t group) const { return group < shared_.size() && shared_[group]; }
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] const std::vector<bool>& groups() const { return shared_; }  // by group, as far as any is shared

 private:
  std::size_t groups_ = 0;    // examined so far
  std::vector<bool> seen_;    // by series
  std::vector<bool> shared_;  // by group
  bool any_ = false;
};

}  // namespace varve::engine::shared
