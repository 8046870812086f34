// SPDX-License-Identifier: Apache-2.0
#include "aggregate/windows.h"

#include <algorithm>

#include "base/check.h"

namespace varve::aggregate {

namespace {

using model::TimeUnit;

// Wider than the whole of time, so that it makes one window (or two) and no product overflows.
constexpr std::int64_t kWidthMax = std::int64_t{1} << 55;

model::Timestamp aligned(model::Timestamp start, TimeUnit unit) {
  switch (unit) {
    case TimeUnit::milliseconds: return model::window_start(start, 1000);
    case TimeUnit::seconds:
    case TimeUnit::minutes:
    case TimeUnit::hours: return model::calendar_start(start, TimeUnit::days);
    default: return model::calendar_start(start, unit);
  }
}

std::int64_t width(Sampling sampling) {
  const std::int64_t ms = model::fixed_ms(sampling.unit);
  if (ms == 0) return 0;
  return sampling.value > kWidthMax / ms ? kWidthMax : sampling.value * ms;
}

}  // namespace

Windows::Windows(Sampling sampling, bool align_sampling, model::Timestamp query_start)
    : origin_(align_sampling ? aligned(query_start, sampling.unit) : query_start),
      width_ms_(width(sampling)),
      sampling_(sampling) {
  check(sampling.value > 0, "a window has a width");
  sampling_.value = std::min<std::int64_t>(sampling.value, 12'000'000);  // months or years: longer than time
}

std::int64_t Windows::calendar_index(model::Timestamp t) const {
  return floor_div(model::units_between(origin_, t, sampling_.unit), sampling_.value);
}

model::Timestamp Windows::calendar_window(std::int64_t index) const {
  return model::add_units(origin_, index * sampling_.value, sampling_.unit);
}

}  // namespace varve::aggregate
