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

template <Increase I>
bool counts_by(const Evidence& evidence, const Interval<I>& interval, bool fell) {
  return !broken(evidence.breaks, interval.begin, interval.end) && !(fell && is_over(evidence.ceilings, interval));
}

template bool counts_by(const Evidence&, const Interval<std::uint64_t>&, bool);
template bool counts_by(const Evidence&, const Interval<double>&, bool);

}  // namespace varve::counter
