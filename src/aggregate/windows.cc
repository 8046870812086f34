// SPDX-License-Identifier: Apache-2.0
#include "aggregate/windows.h"

#include <algorithm>
#include <atomic>

#include "base/check.h"

namespace varve::aggregate {

namespace {

using model::TimeUnit;

// Wider than the whole of time, so that it makes one window (or two) and no product overflows.
constexpr std::int64_t kWidthMax = std::int64_t{1} << 55;

model::Timestamp aligned(model::Timestamp start, TimeUnit unit, model::TimeZone zone) {
  switch (unit) {
    case TimeUnit::milliseconds: return model::window_start(start, 1000);
    case TimeUnit::seconds:
    case TimeUnit::minutes:
    case TimeUnit::hours: return model::calendar_start(start, TimeUnit::days, zone);
    default: return model::calendar_start(start, unit, zone);
  }
}

std::int64_t width(Sampling sampling, model::TimeZone zone) {
  const std::int64_t ms = model::fixed_ms(sampling.unit);
  if (ms == 0 || (!zone.is_utc() && sampling.unit >= TimeUnit::days)) return 0;
  return sampling.value > kWidthMax / ms ? kWidthMax : sampling.value * ms;
}

}  // namespace

Windows::Windows(Sampling sampling, bool align_sampling, model::Timestamp query_start, model::TimeZone zone)
    : origin_(align_sampling ? aligned(query_start, sampling.unit, zone) : query_start),
      width_ms_(width(sampling, zone)),
      sampling_(sampling),
      zone_(zone) {
  varve::check(sampling.value > 0, "a window has a width");
  sampling_.value = std::min<std::int64_t>(sampling.value, 300'000'000);  // days or more: longer than time
  static std::atomic<std::uint64_t> last_id{0};
  if (width_ms_ == 0 && !zone.is_utc()) id_ = ++last_id;
}

struct Windows::Recent {
  std::uint64_t id = 0;
  std::int64_t index = 0;
  model::Timestamp start = 0;
  model::Timestamp end = 0;
};

Windows::Recent& Windows::recent() {
  thread_local Recent recent;
  return recent;
}

std::int64_t Windows::calendar_index(model::Timestamp t) const {
  Recent& last = recent();
  if (id_ != 0 && last.id == id_ && t >= last.start && t < last.end) return last.index;
  const std::int64_t index = floor_div(model::units_between(origin_, t, sampling_.unit, zone_), sampling_.value);
  if (id_ != 0) last = {id_, index, window_start(index), window_start(index + 1)};
  return index;
}

model::Timestamp Windows::calendar_window(std::int64_t index) const {
  const Recent& last = recent();
  if (id_ != 0 && last.id == id_ && index == last.index) return last.start;
  if (id_ != 0 && last.id == id_ && index == last.index + 1) return last.end;
  return window_start(index);
}

model::Timestamp Windows::window_start(std::int64_t index) const {
  return model::add_units(origin_, index * sampling_.value, sampling_.unit, zone_);
}

// Where a window begins in UTC changes with the clocks there, so each beginning is looked at.
bool Windows::zoned_are_made_of(std::int64_t width, model::TimeRange range) const {
  constexpr int kBeginningsMax = 64;  // of a slot of months: rather read what is smaller
  std::int64_t window = calendar_index(range.first) + 1;
  for (int i = 0; i < kBeginningsMax; ++i, ++window) {
    const model::Timestamp start = calendar_window(window);
    if (start >= range.last) return true;
    if (start % width != 0) return false;
  }
  return false;
}

}  // namespace varve::aggregate
