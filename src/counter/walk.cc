// SPDX-License-Identifier: Apache-2.0
#include "counter/walk.h"

#include <algorithm>

namespace varve::counter {
namespace {

template <Increase I>
bool is_over(std::span<const Ceiling> ceilings, const Interval<I>& interval) {
  const auto behind = std::ranges::upper_bound(ceilings, interval.end, {}, &Ceiling::since);
  if (behind == ceilings.begin()) return false;
  const double seconds = (static_cast<double>(interval.end) - static_cast<double>(interval.begin)) / 1000;
  return static_cast<double>(interval.increase) > std::prev(behind)->per_second * seconds;
}

}  // namespace

bool Evidence::agrees_with(const Rules& sealed, model::Timestamp first, model::Timestamp last) const {
  return sealed.gap_ms == rules.gap_ms && sealed.fall == rules.fall && sealed.is_unsigned == rules.is_unsigned &&
         !broken(breaks, first, last);
}

template <Value V>
std::optional<Interval<IncreaseOf<V>>> interval_between(const Sample<V>& from, const Sample<V>& to,
                                                        const Evidence& evidence) {
  auto interval = interval_between(from, to, evidence.rules);
  if (!interval || broken(evidence.breaks, from.time, to.time) || is_over(evidence.ceilings, *interval)) {
    return std::nullopt;
  }
  return interval;
}

template std::optional<Interval<std::uint64_t>> interval_between(const Sample<std::int64_t>&,
                                                                 const Sample<std::int64_t>&, const Evidence&);
template std::optional<Interval<std::uint64_t>> interval_between(const Sample<std::uint64_t>&,
                                                                 const Sample<std::uint64_t>&, const Evidence&);
template std::optional<Interval<double>> interval_between(const Sample<double>&, const Sample<double>&,
                                                          const Evidence&);

}  // namespace varve::counter
