// SPDX-License-Identifier: Apache-2.0
// Base bins: those of a summary while samples are added to it. Internal.
#pragma once

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

template <Increase I>
void consider(Summary<I>& summary, const Bin<I>& bin) {
  choose(summary.least, bin, std::less());
  choose(summary.greatest, bin, std::greater());
}

template <Increase I>
void add_to(Bin<I>& bin, I increase, std::int64_t covered_ms) {
  bin.increase = sum_of(bin.increase, increase);
  bin.covered_ms += covered_ms;
}

// Spreads an interval over base bins, the first of which is `open`. Calls ended() when nothing is added to that any
// more; then it becomes the next one. In the end it is the bin in which the interval ends.
template <Increase I, class Ended>
void spread(const Interval<I>& interval, std::int64_t base_ms, Bin<I>& open, const Ended& ended) {
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

// The bin of the last sample.
template <Increase I>
Bin<I> open_bin(const Summary<I>& summary) {
  return summary.head.start == summary.tail.start ? summary.head : summary.tail;
}

template <Increase I>
void put_open(Summary<I>& summary, const Bin<I>& open) {
  summary.tail = open;
  if (open.start != summary.head.start) return;
  summary.head = open;
  summary.tail = {open.start, {}, 0};
}

template <Increase I>
void end(Summary<I>& summary, const Bin<I>& open) {
  if (open.start == summary.head.start) {
    summary.head = open;
  } else if (is_covered_enough(open, summary.terms.base_ms)) {
    consider(summary, open);
  }
}

}  // namespace varve::counter
