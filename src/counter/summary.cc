// SPDX-License-Identifier: Apache-2.0
#include "counter/summary.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "counter/base_bins.h"

namespace varve::counter {
namespace {

// Bins of another width from here on. What is known of the head and of the open one stays, as of bins that ended.
template <Increase I>
void change_base(Summary<I>& summary, const Terms& terms) {
  for (const Bin<I>& bin : {summary.head, summary.tail}) {
    if (is_covered_enough(bin, summary.terms.base_ms)) consider(summary, bin);
  }
  summary.terms = terms;
  summary.head = {model::window_start(summary.first.time, terms.base_ms), {}, 0};
  summary.tail = {model::window_start(summary.last.time, terms.base_ms), {}, 0};
}

template <Increase I>
void add_inside(const Summary<I>& summary, std::int64_t width_ms, Bins<I>& known) {
  const model::Timestamp start = model::window_start(summary.first.time, width_ms);
  if (known.empty() || known.back().start != start) known.push_back({start, {}, 0});
  add_to(known.back(), summary.increase, summary.covered_ms);
}

}  // namespace

template <Increase I>
std::optional<Interval<I>> interval_of(const Point<I>& from, const Point<I>& to, const Rules& rules) {
  if constexpr (std::same_as<I, std::uint64_t>) {
    if (!rules.is_unsigned) {
      return interval_between(Sample<std::int64_t>{from.time, static_cast<std::int64_t>(from.value)},
                              Sample<std::int64_t>{to.time, static_cast<std::int64_t>(to.value)}, rules);
    }
  }
  return interval_between(Sample<I>{from.time, from.value}, Sample<I>{to.time, to.value}, rules);
}

template <Increase I>
void begin(Summary<I>& summary, const Terms& terms, const Point<I>& sample) {
  check(terms.base_ms > 0, "base bins have a width");
  summary.terms = terms;
  summary.first = summary.last = sample;
  summary.head.start = summary.tail.start = model::window_start(sample.time, terms.base_ms);
}

template <Increase I>
Summary<I> summary_of(const Terms& terms, const Point<I>& sample) {
  Summary<I> summary;
  begin(summary, terms, sample);
  return summary;
}

template <Increase I>
bool join(Summary<I>& summary, const Summary<I>& later) {
  if (later.first.time <= summary.last.time) return false;
  if (summary.terms.base_ms != later.terms.base_ms) change_base(summary, later.terms);
  const auto bits = std::bit_cast<std::uint64_t>(later.first.value);
  extend(summary, {&later.first.time, 1}, {&bits, 1}, later.terms.rules);
  Bin<I> open = open_bin(summary);
  check(open.start == later.head.start, "both know the bin in which the later one begins");
  summary.increase = sum_of(summary.increase, later.increase);
  summary.covered_ms += later.covered_ms;
  add_to(open, later.head.increase, later.head.covered_ms);
  if (later.tail.start != later.head.start) {
    end(summary, open);
    consider(summary, later.least);
    consider(summary, later.greatest);
    open = later.tail;
  }
  put_open(summary, open);
  summary.last = later.last;
  return true;
}

template <Increase I>
bool combine(Summary<I>& summary, const Summary<I>& other) {
  if (join(summary, other)) return true;
  Summary<I> joined = other;
  const bool apart = join(joined, summary);
  if (apart || other.covered_ms > summary.covered_ms) summary = joined;
  return apart;
}

Summary<double> to_real(const Summary<std::uint64_t>& summary) {
  const bool is_unsigned = summary.terms.rules.is_unsigned;
  const auto point = [is_unsigned](const Point<std::uint64_t>& p) {
    return Point<double>{
        p.time, is_unsigned ? static_cast<double>(p.value) : static_cast<double>(static_cast<std::int64_t>(p.value))};
  };
  const auto bin = [](const Bin<std::uint64_t>& b) {
    return Bin<double>{b.start, static_cast<double>(b.increase), b.covered_ms};
  };
  return {summary.terms,        point(summary.first), point(summary.last), static_cast<double>(summary.increase),
          summary.covered_ms,   bin(summary.head),    bin(summary.tail),   bin(summary.least),
          bin(summary.greatest)};
}

bool combine(AnySummary& summary, const AnySummary& other) {
  using Whole = Summary<std::uint64_t>;
  if (auto* const whole = std::get_if<Whole>(&summary)) {
    if (const auto* const more = std::get_if<Whole>(&other)) return combine(*whole, *more);
    summary = to_real(*whole);
  }
  const auto* const more = std::get_if<Whole>(&other);
  return combine(std::get<Summary<double>>(summary),
                 more == nullptr ? std::get<Summary<double>>(other) : to_real(*more));
}

template <Increase I>
Windows<I> windows_of(std::span<const Summary<I>> summaries, std::int64_t width_ms) {
  Bins<I> known, base;
  Bin<I> open;
  const Summary<I>* before = nullptr;
  const auto end_open = [&] {
    if (is_covered_enough(open, before->terms.base_ms)) base.push_back(open);
  };
  for (const Summary<I>& one : summaries) {
    const auto interval = before == nullptr ? std::nullopt : interval_of(before->last, one.first, one.terms.rules);
    if (interval) add_to_bins(*interval, width_ms, known);
    if (one.covered_ms > 0) add_inside(one, width_ms, known);
    if (interval && before->terms.base_ms == one.terms.base_ms) {
      spread(*interval, one.terms.base_ms, open, end_open);
    } else if (before != nullptr && (open.start != one.head.start || before->terms.base_ms != one.terms.base_ms)) {
      end_open();
      open = {};
    }
    open.start = one.head.start;
    add_to(open, one.head.increase, one.head.covered_ms);
    before = &one;
    if (one.tail.start == one.head.start) continue;
    end_open();
    for (const Bin<I>& bin : {one.least, one.greatest}) {
      if (bin.covered_ms > 0) base.push_back(bin);
    }
    open = one.tail;
  }
  if (before != nullptr) end_open();
  return windows_of(known, base, width_ms);
}

template Windows<std::uint64_t> windows_of(std::span<const Summary<std::uint64_t>>, std::int64_t);
template Windows<double> windows_of(std::span<const Summary<double>>, std::int64_t);
template std::optional<Interval<std::uint64_t>> interval_of(const Point<std::uint64_t>&, const Point<std::uint64_t>&,
                                                            const Rules&);
template std::optional<Interval<double>> interval_of(const Point<double>&, const Point<double>&, const Rules&);
template Summary<std::uint64_t> summary_of(const Terms&, const Point<std::uint64_t>&);
template Summary<double> summary_of(const Terms&, const Point<double>&);
template void begin(Summary<std::uint64_t>&, const Terms&, const Point<std::uint64_t>&);
template void begin(Summary<double>&, const Terms&, const Point<double>&);
template bool join(Summary<std::uint64_t>&, const Summary<std::uint64_t>&);
template bool join(Summary<double>&, const Summary<double>&);
template bool combine(Summary<std::uint64_t>&, const Summary<std::uint64_t>&);
template bool combine(Summary<double>&, const Summary<double>&);

}  // namespace varve::counter
