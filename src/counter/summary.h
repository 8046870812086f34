// SPDX-License-Identifier: Apache-2.0
// Summary: what the samples of a counter in a stretch of time say, such that it can be joined with what came before and
// after them, also when the samples themselves are gone.
//
// It knows the increase between its first and its last sample, and these two. So the interval to a neighbour's nearest
// sample is found when they are joined, and nobody has to read a sample of another stretch before. Joining summaries
// gives what the summary of all their samples is (of real values but for rounding), wherever the stretches begin and
// end.
#pragma once

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "counter/bins.h"
#include "counter/windows.h"

namespace varve::counter {

// What a summary is made by.
struct Terms {
  std::int64_t base_ms = 0;  // the width of base bins; > 0
  Rules rules = {};          // max_per_second: of the interval that ends at the summary's first sample

  bool operator==(const Terms&) const = default;
};

// A sample. Of whole values: the 64 bits of the long.
template <Increase I>
struct Point {
  model::Timestamp time = 0;
  I value{};

  bool operator==(const Point&) const = default;
};

template <Increase I>
struct Summary {
  Terms terms = {};
  Point<I> first = {}, last = {};
  I increase{};  // between these two, of intervals that count
  std::int64_t covered_ms = 0;
  // The base bins of the first and of the last sample, as far as the samples say; covered_ms may be 0. A neighbour may
  // add to them. If both are one bin, it is `head`, and `tail` covers nothing.
  Bin<I> head = {}, tail = {};
  // Those of the bins between them that are covered enough. covered_ms 0: there is none.
  Bin<I> least = {}, greatest = {};

  bool operator==(const Summary&) const = default;
};

// The interval between two samples that follow each other, by the rules; of whole values signed or not, as they say.
template <Increase I>
std::optional<Interval<I>> interval_of(const Point<I>& from, const Point<I>& to, const Rules& rules);

// Of one sample.
template <Increase I>
Summary<I> summary_of(const Terms& terms, const Point<I>& sample);

// The same into a summary as it was made: what is copied right after it was written costs more than all the rest.
template <Increase I>
void begin(Summary<I>& summary, const Terms& terms, const Point<I>& sample);

// Adds samples behind the last one, in order of time: bits of longs or of doubles, as I says; those that are not finite
// are left out. The rules may differ in max_per_second from those that it began with.
template <Increase I>
void extend(Summary<I>& summary, std::span<const model::Timestamp> times, std::span<const std::uint64_t> bits,
            const Rules& rules);

// Adds samples behind the last one. False, and nothing is changed: `later` does not begin behind it. If the base bins
// differ, those of `later` count from there on.
template <Increase I>
[[nodiscard]] bool join(Summary<I>& summary, const Summary<I>& later);

// Of two summaries that are not apart, nobody can tell how their samples follow each other: the one that covers more
// time stays (if they cover as much: `summary`). Others are joined. Were they apart?
template <Increase I>
bool combine(Summary<I>& summary, const Summary<I>& other);

// Of one series, whatever its values are.
using AnySummary = std::variant<Summary<std::uint64_t>, Summary<double>>;

// In doubles, to be joined with others. Whole values are read as the rules say.
Summary<double> to_real(const Summary<std::uint64_t>& summary);

// combine() of any two: in doubles, unless both are whole. Were they apart?
bool combine(AnySummary& summary, const AnySummary& other);

// Windows of `width_ms`, of summaries that ascend and do not overlap; the samples of each lie in one window.
template <Increase I>
Windows<I> windows_of(std::span<const Summary<I>> summaries, std::int64_t width_ms);

}  // namespace varve::counter
