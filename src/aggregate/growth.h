// SPDX-License-Identifier: Apache-2.0
// Growth: how much counters grew in windows; of one series (GrowthCells), and of several (GrowthTotals).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregate/scope.h"
#include "aggregate/windows.h"
#include "base/result.h"
#include "counter/bins.h"

namespace varve::aggregate {

// Whole values are summed by themselves, so that they stay exact.
struct Growth {
  std::uint64_t whole = 0;
  double real = 0;
  bool is_real = false;  // a part of it is not whole
  std::int64_t covered_ms = 0;

  void add(std::uint64_t increase, std::int64_t ms) {
    whole = counter::sum_of(whole, increase);
    covered_ms += ms;
  }
  void add(double increase, std::int64_t ms) {
    real += increase;
    is_real = true;
    covered_ms += ms;
  }
};

struct GrowthCell {
  std::int64_t window = 0;
  Growth growth = {};  // covered_ms > 0
};

class GrowthCells {
  static constexpr model::TimeRange kNone{0, 0};

 public:
  // What of an interval lies in `range`. Fast for intervals in order of time. Error: what `charge` says.
  template <counter::Increase I>
  Status add(const counter::Interval<I>& interval, model::TimeRange range, const Windows& windows,
             const Charge& charge) {
    const model::Timestamp first = std::max(interval.begin, range.first), last = std::min(interval.end, range.last);
    if (first >= last) return {};
    const bool is_whole = first == interval.begin && last == interval.end;
    if (is_whole && first >= open_.first && last <= open_.last) {
      cells_[at_].growth.add(interval.increase, last - first);
      return {};
    }
    return add_parts(interval, {first, last}, windows, charge);
  }
  // Of a window that is known from elsewhere, or a part of it.
  Status add(std::int64_t window, const Growth& growth, const Charge& charge);

  [[nodiscard]] std::span<const GrowthCell> cells() const { return cells_; }  // ascending

  // To undo all intervals since.
  struct Mark {
    std::size_t count = 0;
    GrowthCell last = {};
    std::size_t at = 0;
    model::TimeRange open = kNone;
  };
  [[nodiscard]] Mark mark() const { return {cells_.size(), cells_.empty() ? GrowthCell{} : cells_.back(), at_, open_}; }
  void back_to(const Mark& mark);

 private:
  template <counter::Increase I>
  Status add_parts(const counter::Interval<I>& interval, model::TimeRange part, const Windows& windows,
                   const Charge& charge);
  // Makes it that at at_, and a new one if there is none.
  Status go_to(std::int64_t window, const Charge& charge);

  std::vector<GrowthCell> cells_;
  std::size_t at_ = 0;             // the cell that was added to last; the next one is the same or near, mostly
  model::TimeRange open_ = kNone;  // its window, where the last interval ended; else empty
  Pace pace_;
};

class GrowthTotals {
 public:
  explicit GrowthTotals(bool per_second) : per_second_(per_second) {}

  void add(std::span<const GrowthCell> series);

  struct Total {
    std::int64_t window = 0;
    std::uint64_t whole = 0;
    double real = 0;
    bool is_real = false;
    std::int64_t covered_ms = 0;  // of the series that is known for most of it
  };
  [[nodiscard]] std::span<const Total> totals() const { return totals_; }  // ascending

 private:
  [[nodiscard]] Total total_of(const GrowthCell& cell) const;

  bool per_second_;
  std::vector<Total> totals_;
};

}  // namespace varve::aggregate
