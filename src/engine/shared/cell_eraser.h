// SPDX-License-Identifier: Apache-2.0
// CellEraser: copies the rows of a group without erased cells or rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chunk/block.h"
#include "model/time.h"

namespace varve::engine::shared {

// Reusable, for one thread. Results are valid until the next call; texts remain views of the input.
class CellEraser {
 public:
  // Leaves out the cells of the `erased` columns (ascending) with times in the range. If other columns of a row have
  // values, these cells become chunk::kErased; otherwise the row is dropped.
  void erase_cells(std::span<const model::Timestamp> times, std::span<const chunk::Column> columns,
                   std::span<const std::uint16_t> erased, model::TimeRange range);

  // Leaves out the rows for whose time goes() is true.
  template <class Goes>
  void erase_rows(std::span<const model::Timestamp> times, std::span<const chunk::Column> columns, const Goes& goes) {
    kept_.clear();
    for (std::uint32_t r = 0; r < times.size(); ++r) {
      if (!goes(times[r])) kept_.push_back(r);
    }
    erased_ = (times.size() - kept_.size()) * columns.size();
    copy(times, columns, {}, {0, 0});
  }

  [[nodiscard]] bool empty() const { return kept_.empty(); }
  [[nodiscard]] std::uint64_t erased() const { return erased_; }  // cells that had a value; of rows, all
  [[nodiscard]] std::span<const model::Timestamp> times() const { return times_; }
  [[nodiscard]] std::span<const chunk::Column> columns() const { return columns_; }

 private:
  struct Cells {
    std::vector<std::int64_t> ints;
    std::vector<model::ValueType> types;
    std::vector<std::uint64_t> bits;
    std::vector<std::string_view> texts;
  };
  void copy(std::span<const model::Timestamp> times, std::span<const chunk::Column> columns,
            std::span<const std::uint16_t> erased, model::TimeRange range);
  void copy_typed(const chunk::Column& from, Cells& to) const;

  std::vector<std::uint32_t> kept_;  // rows
  std::uint64_t erased_ = 0;
  std::vector<model::Timestamp> times_;
  std::vector<Cells> cells_;
  std::vector<chunk::Column> columns_;
};

}  // namespace varve::engine::shared
