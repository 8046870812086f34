// SPDX-License-Identifier: Apache-2.0
#include "counter/bins.h"

#include "base/check.h"

namespace varve::counter {

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

template void add_to_bins(const Interval<std::uint64_t>&, std::int64_t, Bins<std::uint64_t>&);
template void add_to_bins(const Interval<double>&, std::int64_t, Bins<double>&);

}  // namespace varve::counter
