// SPDX-License-Identifier: Apache-2.0
// Windows: the numbered pieces of time that a stage aggregates over. Window k is [start(k), start(k + 1)).
//
// Window 0 starts at the query's start, or with align_sampling at a boundary before it: years at January 1st, months at
// the 1st, weeks at Monday, days, hours, minutes and seconds at midnight, milliseconds at the whole second (UTC).
// So windows of 7 minutes run on from midnight of the first day, and are not restarted the next day.
#pragma once

#include <cstdint>

#include "aggregate/stage.h"

namespace varve::aggregate {

class Windows {
 public:
  // sampling.value > 0.
  Windows(Sampling sampling, bool align_sampling, model::Timestamp query_start);

  [[nodiscard]] std::int64_t index(model::Timestamp t) const {
    return width_ms_ != 0 ? floor_div(t - origin_, width_ms_) : calendar_index(t);
  }
  // Is every window made of whole stretches [k × width, (k + 1) × width)? width > 0.
  [[nodiscard]] bool is_made_of(std::int64_t width) const {
    constexpr std::int64_t kDayMs = 86'400'000;  // months and years begin where a day does
    return origin_ % width == 0 && (width_ms_ != 0 ? width_ms_ % width == 0 : kDayMs % width == 0);
  }
  [[nodiscard]] model::Timestamp start(std::int64_t index) const {
    return width_ms_ != 0 ? origin_ + index * width_ms_ : calendar_window(index);
  }

 private:
  static std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    const std::int64_t q = a / b;
    return a % b < 0 ? q - 1 : q;
  }
  [[nodiscard]] std::int64_t calendar_index(model::Timestamp t) const;
  [[nodiscard]] model::Timestamp calendar_window(std::int64_t index) const;

  model::Timestamp origin_;
  std::int64_t width_ms_;  // 0: months or years
  Sampling sampling_;
};

// The windows of a stage. stage.sampling.value > 0.
inline Windows windows_of(const Stage& stage, model::Timestamp query_start) {
  if (stage.align_epoch) return {stage.sampling, false, 0};
  return {stage.sampling, stage.align_sampling, query_start};
}

}  // namespace varve::aggregate
