// SPDX-License-Identifier: Apache-2.0
#include "rollup/counters.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <variant>

#include "base/check.h"

namespace varve::rollup {
namespace {

// Of ascending times: the first that another ceiling is for than for the one at `from`.
std::size_t end_of_ceiling(std::span<const counter::Ceiling> ceilings, std::span<const model::Timestamp> times,
                           std::size_t from) {
  const auto next = std::ranges::upper_bound(ceilings, times[from], {}, &counter::Ceiling::since);
  if (next == ceilings.end()) return times.size();
  return static_cast<std::size_t>(std::ranges::lower_bound(times.subspan(from), next->since) - times.begin());
}

// Of a part as it is made: whole numbers have theirs already, and need not be cleared twice.
template <counter::Increase I>
counter::Summary<I>& summary_in(CounterPart& part) {
  if (auto* const there = std::get_if<counter::Summary<I>>(&part.summary)) return *there;
  return part.summary.emplace<counter::Summary<I>>();
}

template <counter::Increase I>
const CounterPart* part_of(const CounterSamples& samples, const Cut& cut, const counter::Declaration& declared,
                           PartPool& parts) {
  const auto times = samples.times.first(cut.end);
  std::size_t at = cut.first;
  if constexpr (std::same_as<I, double>) {
    while (at < cut.end && !std::isfinite(std::bit_cast<double>(samples.bits[at]))) ++at;
  }
  check(at < cut.end, "a window has samples");
  CounterPart* const part = parts.add_counter();
  auto& summary = summary_in<I>(*part);
  const counter::Point<I> first{times[at], std::bit_cast<I>(samples.bits[at])};
  if (declared.ceilings.empty()) {  // mostly: the rules are the same for all samples
    counter::begin(summary, {declared.base_ms, declared.rules}, first);
    ++at;
    counter::extend(summary, times.subspan(at), samples.bits.subspan(at, cut.end - at), declared.rules);
    return part;
  }
  counter::begin(summary, {declared.base_ms, rules_at(declared, times[at])}, first);
  for (++at; at < cut.end;) {
    const std::size_t end = end_of_ceiling(declared.ceilings, times, at);
    counter::extend(summary, times.subspan(at, end - at), samples.bits.subspan(at, end - at),
                    rules_at(declared, times[at]));
    at = end;
  }
  return part;
}

}  // namespace

void combine(CounterPart& into, const CounterPart* from) {
  const bool apart = from == nullptr || counter::combine(into.summary, from->summary);
  into.exact = into.exact && apart && from != nullptr && from->exact;
}

void add_counters(const CounterSamples& samples, const counter::Declaration& declared, std::span<const Cut> cuts,
                  Windows& windows, PartPool& parts) {
  check(samples.times.size() == samples.bits.size(), "a number has a time");
  auto window = windows.begin();
  for (const Cut& cut : cuts) {
    if (window == windows.end()) return;
    if (window->start != cut.start) continue;  // none of its samples is a number
    window->counter = samples.whole ? part_of<std::uint64_t>(samples, cut, declared, parts)
                                    : part_of<double>(samples, cut, declared, parts);
    ++window;
  }
}

}  // namespace varve::rollup
