// SPDX-License-Identifier: Apache-2.0
#include "counter/bins.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace varve::counter {
namespace {

__extension__ using Wide = unsigned __int128;

// Until a time of the interval.
std::uint64_t grown_until(const Interval<std::uint64_t>& interval, model::Timestamp time) {
  const auto passed = static_cast<std::uint64_t>(time - interval.begin);
  const auto length = static_cast<std::uint64_t>(interval.end - interval.begin);
  return static_cast<std::uint64_t>(Wide{interval.increase} * passed / length);
}

double grown_until(const Interval<double>& interval, model::Timestamp time) {
  // The end exactly, whatever rounding says.
  if (time == interval.end) return interval.increase;
  return interval.increase *
         (static_cast<double>(time - interval.begin) / static_cast<double>(interval.end - interval.begin));
}

}  // namespace

std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

double sum_of(double a, double b) { return a + b; }

template <Increase I>
I share_of(const Interval<I>& interval, model::Timestamp from, model::Timestamp to) {
  check(interval.begin <= from && from <= to && to <= interval.end, "a stretch of the interval");
  return grown_until(interval, to) - grown_until(interval, from);
}

template <Increase I>
void add_to_bins(const Interval<I>& interval, std::int64_t width_ms, Bins<I>& bins) {
  check(width_ms > 0 && interval.begin < interval.end, "a width, and an interval with a length");
  model::Timestamp start = model::window_start(interval.begin, width_ms);
  for (model::Timestamp from = interval.begin; from < interval.end;) {
    // Compared by lengths: behind the last bin there may be no time any more.
    const model::Timestamp to = interval.end - start <= width_ms ? interval.end : start + width_ms;
    if (bins.empty() || bins.back().start != start) {
      check(bins.empty() || bins.back().start < start, "intervals in order of time");
      bins.push_back({start, {}, 0});
    }
    bins.back().increase = sum_of(bins.back().increase, share_of(interval, from, to));
    bins.back().covered_ms += to - from;
    from = to;
    if (from < interval.end) start += width_ms;
  }
}

template std::uint64_t share_of(const Interval<std::uint64_t>&, model::Timestamp, model::Timestamp);
template double share_of(const Interval<double>&, model::Timestamp, model::Timestamp);
template void add_to_bins(const Interval<std::uint64_t>&, std::int64_t, Bins<std::uint64_t>&);
template void add_to_bins(const Interval<double>&, std::int64_t, Bins<double>&);

}  // namespace varve::counter
