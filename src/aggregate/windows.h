// SPDX-License-Identifier: Apache-2.0
// Windows: the numbered intervals that a stage aggregates over. Window k is [start(k), start(k + 1)).
//
// Window 0 starts at the query's start, or with align_sampling at a boundary before it: years at January 1st, months at
// the 1st, weeks at Monday, days, hours, minutes and seconds at midnight, milliseconds at the whole second.
// So windows of 7 minutes continue from midnight of the first day and do not restart the next day. The calendar is that
// of the zone: days may have 23 or 25 hours. Hours and less are exact durations.
#pragma once

#include <cstdint>

#include "aggregate/stage.h"

namespace varve::aggregate {

class Windows {
 public:
  // sampling.value > 0.
  Windows(Sampling sampling, bool align_sampling, model::Timestamp query_start, model::TimeZone zone = {});

  [[nodiscard]] std::int64_t index(model::Timestamp t) const {
    return width_ms_ != 0 ? floor_div(t - origin_, width_ms_) : calendar_index(t);
  }
  // Do all windows in the range consist of whole intervals [k × width, (k + 1) × width)? width > 0; the range consists
  // of such intervals, too.
  [[nodiscard]] bool are_made_of(std::int64_t width, model::TimeRange range) const {
    if (width_ms_ != 0) return origin_ % width == 0 && width_ms_ % width == 0;
    return zone_.is_utc() ? origin_ % width == 0 && kDayMs % width == 0 : zoned_are_made_of(width, range);
  }
  [[nodiscard]] model::Timestamp start(std::int64_t index) const {
    return width_ms_ != 0 ? origin_ + index * width_ms_ : calendar_window(index);
  }

 private:
  static constexpr std::int64_t kDayMs = 86'400'000;  // months and years begin where a day does, in UTC

  static std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    const std::int64_t q = a / b;
    return a % b < 0 ? q - 1 : q;
  }
  // Caches a thread's last window in a zone: neighbouring samples need the same window, and looking up a zone is slow.
  struct Recent;
  static Recent& recent();

  [[nodiscard]] std::int64_t calendar_index(model::Timestamp t) const;
  [[nodiscard]] model::Timestamp calendar_window(std::int64_t index) const;
  [[nodiscard]] model::Timestamp window_start(std::int64_t index) const;
  [[nodiscard]] bool zoned_are_made_of(std::int64_t width, model::TimeRange range) const;

  model::Timestamp origin_;
  std::int64_t width_ms_;  // 0: months or years; in a zone also days and weeks
  Sampling sampling_;
  model::TimeZone zone_;
  std::uint64_t id_ = 0;  // of the program's windows; copies have the same
};

// grid.sampling.value > 0.
inline Windows windows_of(const Grid& grid, model::Timestamp query_start) {
  if (grid.align_epoch) return {grid.sampling, false, 0, grid.zone};
  return {grid.sampling, grid.align_sampling, query_start, grid.zone};
}

// The timestamp of a window's point; `sample`: the timestamp of the sample that represents it.
inline model::Timestamp stamp_of(const Grid& grid, const Windows& windows, std::int64_t window,
                                 model::Timestamp sample) {
  switch (grid.stamp) {
    case Stamp::window_start: return windows.start(window);
    case Stamp::window_end: return windows.start(window + 1);
    default: return sample;
  }
}

}  // namespace varve::aggregate
