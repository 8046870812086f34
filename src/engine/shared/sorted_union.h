// SPDX-License-Identifier: Apache-2.0
// Adds to an ascending list without duplicates what it lacks of another such list.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace varve::engine::shared {

template <typename T>
void add_sorted(std::vector<T>& to, const std::vector<T>& from) {
  std::vector<T> all;
  std::ranges::set_union(to, from, std::back_inserter(all));
  to = std::move(all);
}

}  // namespace varve::engine::shared
