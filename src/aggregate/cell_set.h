// SPDX-License-Identifier: Apache-2.0
// CellSet: collects the cells of many pieces.
#pragma once

#include <span>
#include <vector>

#include "aggregate/cells.h"

namespace varve::aggregate {

// The cells of one group, found again by window. Grows with the windows that have samples, however far apart.
class CellSet {
 public:
  // `cells` ascend by window.
  void add(Function f, std::span<const Cell> cells);
  void add(Function f, const Windows& windows, const Summaries& summaries);
  // All cells, ascending, each window once.
  std::vector<Cell> take(Function f);
  [[nodiscard]] std::size_t bytes() const { return (cells_.capacity() + late_.capacity()) * sizeof(Cell); }

 private:
  class Adder;
  void reserve_some(std::size_t cells);
  void merge_late(Function f);
  void merge_many_late(Function f);

  std::vector<Cell> cells_;  // ascending, unique
  std::vector<Cell> late_;   // of windows that are not in cells_ and not after them; any order
};

}  // namespace varve::aggregate
