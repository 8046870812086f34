// SPDX-License-Identifier: Apache-2.0
#include "aggregate/growth.h"

#include <algorithm>
#include <iterator>

namespace varve::aggregate {

namespace {

constexpr std::size_t kCellBytes = 2 * sizeof(GrowthCell);  // with what a vector has in reserve

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
    const std::int64_t window = windows.index(from);
    const model::TimeRange open{windows.start(window), windows.start(window + 1)};
    const model::Timestamp to = std::min(part.last, open.last);
    VARVE_ASSIGN_OR_RETURN(GrowthCell * cell, cell_of(window, charge));
    cell->growth.add(counter::share_of(interval, from, to), to - from);
    open_ = cell == &cells_.back() ? open : kNone;
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
  VARVE_ASSIGN_OR_RETURN(GrowthCell * cell, cell_of(window, charge));
  cell->growth.whole = counter::sum_of(cell->growth.whole, growth.whole);
  cell->growth.real += growth.real;
  cell->growth.is_real |= growth.is_real;
  cell->growth.covered_ms += growth.covered_ms;
  open_ = kNone;
  return {};
}

Result<GrowthCell*> GrowthCells::cell_of(std::int64_t window, const Charge& charge) {
  if (!cells_.empty() && cells_.back().window == window) return &cells_.back();
  const bool is_new_last = cells_.empty() || cells_.back().window < window;
  const auto at = is_new_last ? cells_.end() : std::ranges::lower_bound(cells_, window, {}, &GrowthCell::window);
  if (at != cells_.end() && at->window == window) return &*at;
  if (charge) VARVE_RETURN_IF_ERROR(charge(kCellBytes));
  return &*cells_.insert(at, {window, {}});
}

void GrowthCells::back_to(const Mark& mark) {
  cells_.resize(mark.count);
  if (!cells_.empty()) cells_.back() = mark.last;
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
