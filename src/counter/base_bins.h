// SPDX-License-Identifier: Apache-2.0
// Base bins: those of a summary while samples are added to it. Internal.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>

#include "counter/summary.h"

namespace varve::counter {

template <Increase I>
BaseRate base_rate(const Bin<I>& bin) {
  return {rate_of(bin.increase, bin.covered_ms), bin.start};
}

// Is it beyond the chosen one, or the earlier one of equals?
template <class Beyond, Increase I>
void choose(Bin<I>& chosen, const Bin<I>& bin, const Beyond& beyond) {
  if (bin.covered_ms == 0) return;
  if (chosen.covered_ms != 0) {
    // Mostly both are covered whole: then what is not beyond shows without a division.
    if (chosen.covered_ms == bin.covered_ms && chosen.start < bin.start && !beyond(bin.increase, chosen.increase)) {
      return;
    }
    const BaseRate a = base_rate(chosen), b = base_rate(bin);
    if (!beyond(b.per_second, a.per_second) && (b.per_second != a.per_second || b.at > a.at)) return;
  }
  chosen = bin;
}

// Of bins that are covered alike, whole increases below this have other rates wherever they differ: in doubles a
// thousand times as much is exact, and two quotients are further apart than doubles are.
inline constexpr std::uint64_t kRatesDiffer = std::uint64_t{1} << 43;

// Is it like both chosen ones, and behind them, so that whole increases say which rate is beyond?
inline bool is_alike(const Summary<std::uint64_t>& summary, const Bin<std::uint64_t>& bin) {
  const Bin<std::uint64_t>&least = summary.least, &greatest = summary.greatest;
  return ((least.covered_ms ^ bin.covered_ms) | (greatest.covered_ms ^ bin.covered_ms)) == 0 && bin.covered_ms != 0 &&
         std::max(least.start, greatest.start) < bin.start &&
         (bin.increase | least.increase | greatest.increase) < kRatesDiffer;
}

// Without a branch: nobody can guess which bins are beyond.
inline void replace_if(bool beyond, Bin<std::uint64_t>& chosen, const Bin<std::uint64_t>& bin) {
  chosen.start = beyond ? bin.start : chosen.start;
  chosen.increase = beyond ? bin.increase : chosen.increase;
}

// By value: a bin whose address nobody takes stays in registers.
template <Increase I>
[[gnu::noinline]] void choose_both(Summary<I>& summary, Bin<I> bin) {
  choose(summary.least, bin, std::less());
  choose(summary.greatest, bin, std::greater());
}

template <Increase I>
[[gnu::always_inline]] inline void consider(Summary<I>& summary, const Bin<I>& bin) {
  if constexpr (std::same_as<I, std::uint64_t>) {
    if (is_alike(summary, bin)) [[likely]] {
      replace_if(bin.increase < summary.least.increase, summary.least, bin);
      replace_if(bin.increase > summary.greatest.increase, summary.greatest, bin);
      return;
    }
  }
  choose_both(summary, bin);
}

template <Increase I>
[[gnu::always_inline]] inline void add_to(Bin<I>& bin, I increase, std::int64_t covered_ms) {
  bin.increase = sum_of(bin.increase, increase);
  bin.covered_ms += covered_ms;
}

// Spreads an interval over base bins, the first of which is `open`. Calls ended() when nothing is added to that any
// more; then it becomes the next one. In the end it is the bin in which the interval ends.
template <Increase I, class Ended>
[[gnu::always_inline]] inline void spread(const Interval<I>& interval, std::int64_t base_ms, Bin<I>& open,
                                          const Ended& ended) {
  model::Timestamp from = interval.begin;
  I done{};  // until there
  while (interval.end - open.start >= base_ms) {
    const model::Timestamp edge = open.start + base_ms;
    const I until = detail::grown_until(interval, edge);
    add_to(open, until - done, edge - from);
    ended();
    open = {edge, {}, 0};
    from = edge;
    done = until;
  }
  add_to(open, interval.increase - done, interval.end - from);
}

// Bins are copied field by field here: a copy of what was written just before waits for it.

// The bin of the last sample.
template <Increase I>
Bin<I> open_bin(const Summary<I>& summary) {
  const Bin<I>&head = summary.head, &tail = summary.tail;
  const bool is_head = head.start == tail.start;
  return {tail.start, is_head ? head.increase : tail.increase, is_head ? head.covered_ms : tail.covered_ms};
}

template <Increase I>
[[gnu::always_inline]] inline void put(Bin<I>& to, model::Timestamp start, I increase, std::int64_t covered_ms) {
  to.start = start;
  to.increase = increase;
  to.covered_ms = covered_ms;
}

template <Increase I>
[[gnu::always_inline]] inline void put_open(Summary<I>& summary, const Bin<I>& open) {
  const bool is_head = open.start == summary.head.start;
  if (is_head) put(summary.head, open.start, open.increase, open.covered_ms);
  put(summary.tail, open.start, is_head ? I{} : open.increase, is_head ? 0 : open.covered_ms);
}

template <Increase I>
[[gnu::always_inline]] inline void end(Summary<I>& summary, const Bin<I>& open) {
  if (open.start == summary.head.start) {
    put(summary.head, open.start, open.increase, open.covered_ms);
  } else if (is_covered_enough(open, summary.terms.base_ms)) {
    consider(summary, open);
  }
}

}  // namespace varve::counter
