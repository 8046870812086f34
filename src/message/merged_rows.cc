// SPDX-License-Identifier: Apache-2.0
#include "message/merged_rows.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace varve::message {
namespace {

std::pair<std::int64_t, std::uint16_t> instant(RowView row) { return {row.time_us(), row.nanos()}; }

}  // namespace

bool MergedRows::comes_later(const Opened& a, const Opened& b) const {
  return newest_first_ ? time_order(a.row) < time_order(b.row) : time_order(a.row) > time_order(b.row);
}

bool MergedRows::is_due(std::int64_t bound_us) const {
  if (heap_.empty()) return true;
  const std::int64_t next_us = heap_.front().row.time_us();
  return newest_first_ ? bound_us >= next_us : bound_us <= next_us;
}

Status MergedRows::open_due() {
  while (!unopened_.empty() && is_due(unopened_.back().bound_us)) {
    const Open open = std::move(unopened_.back().open);
    unopened_.pop_back();
    VARVE_ASSIGN_OR_RETURN(auto source, open());
    VARVE_RETURN_IF_ERROR(advance(std::move(source)));
  }
  return {};
}

Status MergedRows::advance(std::unique_ptr<RowSource> source) {
  VARVE_ASSIGN_OR_RETURN(const auto row, source->next());
  if (!row) return {};
  heap_.push_back({std::move(source), *row});
  std::ranges::push_heap(heap_, [this](const auto& a, const auto& b) { return comes_later(a, b); });
  return {};
}

Result<std::optional<RowView>> MergedRows::next_of_all() {
  if (!std::exchange(started_, true)) {
    const auto later = [this](const Unopened& a, const Unopened& b) {
      return newest_first_ ? a.bound_us < b.bound_us : a.bound_us > b.bound_us;
    };
    std::ranges::stable_sort(unopened_, later);
  }
  if (current_ != nullptr) VARVE_RETURN_IF_ERROR(advance(std::move(current_)));
  VARVE_RETURN_IF_ERROR(open_due());
  if (heap_.empty()) return std::optional<RowView>();
  std::ranges::pop_heap(heap_, [this](const auto& a, const auto& b) { return comes_later(a, b); });
  current_ = std::move(heap_.back().source);
  const RowView row = heap_.back().row;
  heap_.pop_back();
  return std::optional(row);
}

bool MergedRows::is_repeat(RowView row) {
  if (!has_lasting_id(row)) return false;
  if (first_.empty() || instant(row) != instant({first_.data()})) {
    first_.assign(row.span().begin(), row.span().end());
    ids_.clear();
    return false;
  }
  if (ids_.empty()) ids_.insert(id_of(RowView{first_.data()}));
  return !ids_.insert(id_of(row)).second;
}

// Copies all rows of the instant, and leaves out what came later than another with its id. The last row is of an
// earlier instant and goes back.
Status MergedRows::keep_instant(RowView first) {
  kept_.clear();
  std::vector<std::size_t> all;
  const auto time = instant(first);
  for (std::optional<RowView> row = first; row;) {
    all.push_back(kept_.size());
    kept_.insert(kept_.end(), row->span().begin(), row->span().end());
    VARVE_RETURN_IF_ERROR(advance(std::move(current_)));
    VARVE_RETURN_IF_ERROR(open_due());
    if (heap_.empty() || instant(heap_.front().row) != time) break;
    VARVE_ASSIGN_OR_RETURN(row, next_of_all());
  }
  ids_.clear();
  for (const std::size_t at : std::views::reverse(all)) {  // in order of arrival
    const RowView row{kept_.data() + at};
    const bool is_alone = all.size() == 1 || !has_lasting_id(row);
    if (is_alone || ids_.insert(id_of(row)).second) kept_at_.push_back(at);
  }
  return {};
}

RowView MergedRows::take_kept() {
  const RowView row{kept_.data() + kept_at_.back()};
  kept_at_.pop_back();
  return row;
}

Result<std::optional<RowView>> MergedRows::next() {
  if (!kept_at_.empty()) return std::optional(take_kept());
  while (true) {
    VARVE_ASSIGN_OR_RETURN(const auto row, next_of_all());
    if (!row) return row;
    if (!newest_first_) {
      if (is_repeat(*row)) continue;
      return row;
    }
    if (!has_lasting_id(*row)) return row;
    VARVE_RETURN_IF_ERROR(keep_instant(*row));
    return std::optional(take_kept());
  }
}

}  // namespace varve::message
