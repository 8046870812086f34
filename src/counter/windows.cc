// SPDX-License-Identifier: Apache-2.0
#include "counter/windows.h"

#include <algorithm>

namespace varve::counter {
namespace {

template <class Better>
void choose(std::optional<BaseRate>& chosen, const std::optional<BaseRate>& other, const Better& better) {
  if (!other) return;
  const bool equal = chosen && chosen->per_second == other->per_second;
  if (!chosen || better(other->per_second, chosen->per_second) || (equal && other->at < chosen->at)) chosen = other;
}

// The window that starts there: the last one, or a new one behind it.
template <Increase I>
Window<I>& window_at(Windows<I>& windows, model::Timestamp start) {
  if (windows.empty() || windows.back().start != start) windows.push_back({start, {}, 0, {}, {}});
  return windows.back();
}

}  // namespace

template <Increase I>
void combine(Window<I>& into, const Window<I>& from) {
  into.increase = sum_of(into.increase, from.increase);
  into.covered_ms += from.covered_ms;
  choose(into.least, from.least, std::less());
  choose(into.greatest, from.greatest, std::greater());
}

template <Increase I>
Windows<I> windows_of(std::span<const Interval<I>> intervals, std::int64_t base_ms, std::int64_t width_ms) {
  Bins<I> base, wide;
  for (const Interval<I>& interval : intervals) {
    add_to_bins(interval, base_ms, base);
    add_to_bins(interval, width_ms, wide);
  }
  std::erase_if(base, [base_ms](const Bin<I>& bin) { return !is_covered_enough(bin, base_ms); });
  return windows_of(wide, base, width_ms);
}

template <Increase I>
Windows<I> windows_of(const Bins<I>& known, const Bins<I>& base, std::int64_t width_ms) {
  Windows<I> increases, rates, all;
  for (const Bin<I>& bin : known) increases.push_back({bin.start, bin.increase, bin.covered_ms, {}, {}});
  for (const Bin<I>& bin : base) {
    const BaseRate rate{rate_of(bin.increase, bin.covered_ms), bin.start};
    combine(window_at(rates, model::window_start(bin.start, width_ms)), {0, {}, 0, rate, rate});
  }
  std::ranges::merge(increases, rates, std::back_inserter(all), {}, &Window<I>::start, &Window<I>::start);
  return coarser<I>(all, width_ms);
}

template <Increase I>
Windows<I> coarser(std::span<const Window<I>> finer, std::int64_t width_ms) {
  Windows<I> out;
  for (const Window<I>& window : finer) combine(window_at(out, model::window_start(window.start, width_ms)), window);
  return out;
}

template void combine(Window<std::uint64_t>&, const Window<std::uint64_t>&);
template void combine(Window<double>&, const Window<double>&);
template Windows<std::uint64_t> windows_of(std::span<const Interval<std::uint64_t>>, std::int64_t, std::int64_t);
template Windows<double> windows_of(std::span<const Interval<double>>, std::int64_t, std::int64_t);
template Windows<std::uint64_t> windows_of(const Bins<std::uint64_t>&, const Bins<std::uint64_t>&, std::int64_t);
template Windows<double> windows_of(const Bins<double>&, const Bins<double>&, std::int64_t);
template Windows<std::uint64_t> coarser(std::span<const Window<std::uint64_t>>, std::int64_t);
template Windows<double> coarser(std::span<const Window<double>>, std::int64_t);

}  // namespace varve::counter
