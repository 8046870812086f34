// SPDX-License-Identifier: Apache-2.0
#include "aggregate/growth.h"

#include <algorithm>
#include <iterator>

namespace varve::aggregate {

namespace {

constexpr std::size_t kCellsAtFirst = 4;

void add_total(GrowthTotals::Total& to, const GrowthTotals::Total& more) {
  to.whole = counter::sum_of(to.whole, more.whole);
  to.real += more.real;
  to.is_real |= more.is_real;
  to.covered_ms = std::max(to.covered_ms, more.covered_ms);
}

}  // namespace

template <counter::Increase I>
Status GrowthCells::add_parts(const counter::Interval<I>& interval, model::TimeRange part, const Windows& windows,
                              const Charge& charge) {
  for (model::Timestamp from = part.first; from < part.last;) {
    if (!open_.contains(from)) {
      // Asking windows costs a division.
      const bool is_next = !open_.empty() && from == open_.last;
      const std::int64_t window = is_next ? cells_[at_].window + 1 : windows.index(from);
      const model::TimeRange open{is_next ? open_.last : windows.start(window), windows.start(window + 1)};
      VARVE_RETURN_IF_ERROR(pace_.step(charge));
      VARVE_RETURN_IF_ERROR(go_to(window, charge));
      open_ = open;
    }
    const model::Timestamp to = std::min(part.last, open_.last);
    cells_[at_].growth.add(counter::share_of(interval, from, to), to - from);
    from = to;
  }
  return {};
}

template Status GrowthCells::add_parts(const counter::Interval<std::uint64_t>&, model::TimeRange, const Windows&,
                                       const Charge&);
template Status GrowthCells::add_parts(const counter::Interval<double>&, model::TimeRange, const Windows&,
                                       const Charge&);

Status GrowthCells::add(std::int64_t window, const Growth& growth, const Charge& charge) {
  if (growth.covered_ms == 0) return {};
  VARVE_RETURN_IF_ERROR(go_to(window, charge));
  Growth& all = cells_[at_].growth;
  all.whole = counter::sum_of(all.whole, growth.whole);
  all.real += growth.real;
  all.is_real |= growth.is_real;
  all.covered_ms += growth.covered_ms;
  return {};
}

Status GrowthCells::go_to(std::int64_t window, const Charge& charge) {
  open_ = kNone;
  if (!cells_.empty()) {
    if (cells_[at_].window == window) return {};
    if (at_ + 1 < cells_.size() && cells_[at_ + 1].window == window) {
      ++at_;
      return {};
    }
  }
  const bool is_new_last = cells_.empty() || cells_.back().window < window;
  const auto at = is_new_last ? cells_.end() : std::ranges::lower_bound(cells_, window, {}, &GrowthCell::window);
  const auto place = static_cast<std::size_t>(at - cells_.begin());
  if (is_new_last || at->window != window) {
    if (cells_.size() == cells_.capacity()) {
      const std::size_t more = std::max(cells_.size(), kCellsAtFirst);
      if (charge) VARVE_RETURN_IF_ERROR(charge(more * sizeof(GrowthCell)));
      cells_.reserve(cells_.size() + more);
    }
    cells_.insert(cells_.begin() + static_cast<std::ptrdiff_t>(place), {window, {}});
  }
  at_ = place;
  return {};
}

void GrowthCells::back_to(const Mark& mark) {
  cells_.resize(mark.count);
  if (!cells_.empty()) cells_.back() = mark.last;
  at_ = mark.at;
  open_ = mark.open;
}

GrowthTotals::Total GrowthTotals::total_of(const GrowthCell& cell) const {
  const Growth& growth = cell.growth;
  if (!per_second_) return {cell.window, growth.whole, growth.real, growth.is_real, growth.covered_ms};
  const double increase = static_cast<double>(growth.whole) + growth.real;
  return {cell.window, 0, counter::rate_of(increase, growth.covered_ms), true, growth.covered_ms};
}

void GrowthTotals::add(std::span<const GrowthCell> series) {
  std::vector<Total> more;
  auto at = totals_.begin();
  for (const GrowthCell& cell : series) {
    while (at != totals_.end() && at->window < cell.window) ++at;
    if (at != totals_.end() && at->window == cell.window) {
      add_total(*at, total_of(cell));
    } else {
      more.push_back(total_of(cell));
    }
  }
  if (more.empty()) return;
  const auto middle = static_cast<std::ptrdiff_t>(totals_.size());
  totals_.insert(totals_.end(), more.begin(), more.end());
  std::ranges::inplace_merge(totals_, totals_.begin() + middle, {}, &Total::window);
}

}  // namespace varve::aggregate
