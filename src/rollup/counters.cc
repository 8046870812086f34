// SPDX-License-Identifier: Apache-2.0
#include "rollup/counters.h"

#include <bit>
#include <cmath>
#include <optional>

#include "base/check.h"

namespace varve::rollup {
namespace {

template <counter::Increase I>
std::optional<counter::AnySummary> summary_in(const CounterSamples& samples, const Cut& cut,
                                              const counter::Declaration& declared) {
  std::optional<counter::Summary<I>> summary;
  for (std::size_t i = cut.first; i < cut.end; ++i) {
    const counter::Point<I> sample{samples.times[i], std::bit_cast<I>(samples.bits[i])};
    if constexpr (std::same_as<I, double>) {
      if (!std::isfinite(sample.value)) continue;
    }
    if (summary && declared.ceilings.empty()) {
      counter::extend(*summary, sample, declared.rules);
    } else if (summary) {
      counter::extend(*summary, sample, rules_at(declared, sample.time));
    } else {
      summary = counter::summary_of({declared.base_ms, rules_at(declared, sample.time)}, sample);
    }
  }
  return summary;
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
    const auto summary =
        samples.whole ? summary_in<std::uint64_t>(samples, cut, declared) : summary_in<double>(samples, cut, declared);
    check(summary.has_value(), "a window has samples");
    window->counter = parts.add(CounterPart{*summary});
    ++window;
  }
}

}  // namespace varve::rollup
