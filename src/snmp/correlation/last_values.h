// SPDX-License-Identifier: Apache-2.0
// LastValues: the counters of one table as the last polls found them, by the names of their rows, whatever their
// indexes are now.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/time.h"

namespace varve::snmp::correlation {

// For one thread. Where rows come as they did in the last poll, each is found at once.
class LastValues {
 public:
  struct Cell {
    model::Timestamp at = model::kTimestampMin;  // of the last sample; this: there was none
    std::uint64_t value = 0;
  };

  // `width`: cells of a row.
  explicit LastValues(std::size_t width) : width_(width) {}

  // A poll begins.
  void start();
  // The rows of the same poll come once more, with other cells.
  void rewind();
  // The number of the row of that name, valid until finish(). A name comes once.
  std::size_t of(std::uint64_t name);
  [[nodiscard]] std::span<Cell> cells(std::size_t row) { return {cells_.data() + row * width_, width_}; }
  // When its counters began anew, as the agent says; kTimestampMin: they did not.
  [[nodiscard]] model::Timestamp& began_anew(std::size_t row) { return rows_[row].began_anew; }
  // The poll ends; `whole`: it brought all rows. One that it did not bring is forgotten if its samples are all older
  // than this. Of polls that break off rows are kept longer, but not more than `kept_max`.
  void finish(bool whole, model::Timestamp oldest, std::size_t kept_max);

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const {
    return rows_.capacity() * sizeof(Row) + cells_.capacity() * sizeof(Cell);
  }

 private:
  static constexpr std::uint32_t kNotMet = 0xffffffff;
  struct Row {
    std::uint64_t name = 0;
    model::Timestamp began_anew = model::kTimestampMin;
    std::uint32_t place = kNotMet;  // in this poll
  };
  [[nodiscard]] std::size_t find(std::uint64_t name);
  [[nodiscard]] bool is_kept(std::size_t row, model::Timestamp oldest) const;

  std::size_t width_;
  std::vector<Row> rows_;
  std::vector<Cell> cells_;
  std::size_t next_ = 0;  // where the next row is, if they come as they did
  std::uint32_t met_ = 0;
  bool is_sorted_ = false;                                      // by_name_ has all that were there
  bool has_moved_ = false;                                      // rows came otherwise than last time
  std::vector<std::pair<std::uint64_t, std::size_t>> by_name_;  // only then
};

}  // namespace varve::snmp::correlation
