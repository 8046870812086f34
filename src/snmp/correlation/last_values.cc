// SPDX-License-Identifier: Apache-2.0
#include "snmp/correlation/last_values.h"

#include <algorithm>
#include <numeric>

namespace varve::snmp::correlation {

void LastValues::start() {
  for (Row& row : rows_) row.place = kNotMet;
  met_ = 0;
  has_moved_ = false;
  rewind();
}

void LastValues::rewind() {
  next_ = 0;
  is_sorted_ = false;
  by_name_.clear();
}

// Sorted, as an agent makes the names: of a table of hashes it might choose those that fall together.
std::size_t LastValues::find(std::uint64_t name) {
  if (!is_sorted_) {
    is_sorted_ = true;
    for (std::size_t i = 0; i < rows_.size(); ++i) by_name_.emplace_back(rows_[i].name, i);
    std::ranges::sort(by_name_);
  }
  const auto found = std::ranges::lower_bound(by_name_, std::pair(name, std::size_t{0}));
  return found == by_name_.end() || found->first != name ? rows_.size() : found->second;
}

std::size_t LastValues::of(std::uint64_t name) {
  std::size_t row = next_;
  if (row >= rows_.size() || rows_[row].name != name) {
    row = find(name);
    has_moved_ = true;
    if (row == rows_.size()) {
      rows_.push_back({.name = name});
      cells_.resize(cells_.size() + width_);
    }
  }
  if (rows_[row].place == kNotMet) rows_[row].place = met_++;
  next_ = row + 1;
  return row;
}

bool LastValues::is_kept(std::size_t row, model::Timestamp oldest) const {
  if (rows_[row].place != kNotMet) return true;
  const std::span<const Cell> cells(cells_.data() + row * width_, width_);
  return std::ranges::any_of(cells, [&](const Cell& cell) { return cell.at >= oldest; });
}

void LastValues::finish(bool whole, model::Timestamp oldest, std::size_t kept_max) {
  rewind();
  by_name_.shrink_to_fit();
  const bool forgets = met_ < rows_.size() && (whole || rows_.size() > kept_max);
  if (!has_moved_ && !forgets) return;
  std::vector<std::size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (forgets) std::erase_if(order, [&](std::size_t row) { return !is_kept(row, oldest); });
  if (!has_moved_ && order.size() == rows_.size()) return;
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return rows_[row].place; });
  std::vector<Row> rows;
  std::vector<Cell> cells;
  rows.reserve(order.size());
  cells.reserve(order.size() * width_);
  for (const std::size_t row : order) {
    rows.push_back(rows_[row]);
    const auto of = cells_.begin() + static_cast<std::ptrdiff_t>(row * width_);
    cells.insert(cells.end(), of, of + static_cast<std::ptrdiff_t>(width_));
  }
  rows_ = std::move(rows);
  cells_ = std::move(cells);
}

}  // namespace varve::snmp::correlation
