// SPDX-License-Identifier: Apache-2.0
#include "query/counted_series.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>
#include <variant>

namespace varve::query {

using counter::LastSample;
using model::Timestamp;
using model::ValueType;

namespace {

void clear(Run& run) {
  run.times.clear();
  run.types.clear();
  run.bits.clear();
}

bool is_number(const Run& run, std::size_t i) {
  return run.type_of(i) != ValueType::double_ || std::isfinite(std::bit_cast<double>(run.bits[i]));
}

LastSample sample_of(const Run& run, std::size_t i) { return {true, run.type_of(i), run.times[i], run.bits[i]}; }

template <counter::Increase I>
LastSample sample_of(const counter::Point<I>& point) {
  constexpr ValueType kType = std::is_same_v<I, double> ? ValueType::double_ : ValueType::long_;
  return {true, kType, point.time, std::bit_cast<std::uint64_t>(point.value)};
}

template <counter::Increase I>
aggregate::Growth growth_of(const counter::Summary<I>& summary) {
  aggregate::Growth growth;
  if (summary.covered_ms > 0) growth.add(summary.increase, summary.covered_ms);
  return growth;
}

}  // namespace

Status CountedSeries::piece(const How& how, ValueType type, std::span<const Timestamp> times,
                            std::span<const std::uint64_t> bits) {
  if (summaries_.empty()) return count_or_hold(how, type, times, bits);
  // Cut at summaries, and without what lies in one.
  for (std::size_t from = 0; from < times.size();) {
    const auto next = std::ranges::lower_bound(summaries_, times[from], {}, [](const auto& s) { return s.last - 1; });
    std::size_t to = times.size();
    if (next != summaries_.end()) {
      const bool inside = next->contains(times[from]);
      to = static_cast<std::size_t>(std::ranges::lower_bound(times, inside ? next->last : next->first) - times.begin());
      if (inside) {
        from = to;
        continue;
      }
    }
    VARVE_RETURN_IF_ERROR(count_or_hold(how, type, times.subspan(from, to - from), bits.subspan(from, to - from)));
    from = to;
  }
  return {};
}

Status CountedSeries::count_or_hold(const How& how, ValueType type, std::span<const Timestamp> times,
                                    std::span<const std::uint64_t> bits) {
  const bool interleaves = !piece_.times.empty() && times.front() < piece_.times.back() &&
                           (!how.joins || times.back() > piece_.times.front());
  if (how.joins) {
    if (!interleaves) VARVE_RETURN_IF_ERROR(count_held(how));
  } else if (interleaves) {
    last_ = last_before_;
    cells_.back_to(cells_before_);
  } else {
    last_before_ = last_;
    cells_before_ = cells_.mark();
  }
  if (!interleaves) clear(piece_);
  const std::size_t held = bytes_of(piece_);
  append(piece_, type, times, bits);
  if (interleaves) keep(piece_, 0, false);  // in order
  const std::size_t holds = bytes_of(piece_);
  if (holds > held && how.charge) VARVE_RETURN_IF_ERROR(how.charge(holds - held));
  if (how.joins) return {};
  return aggregate::count(how.evidence, last_, piece_, how.range, how.windows, how.charge, cells_);
}

// By itself.
Status CountedSeries::count_held(const How& how) {
  std::size_t first = 0, end = piece_.size();
  while (first < end && !is_number(piece_, first)) ++first;
  while (end > first && !is_number(piece_, end - 1)) --end;
  if (first == end) return {};
  LastSample last;
  VARVE_RETURN_IF_ERROR(aggregate::count(how.evidence, last, piece_, how.range, how.windows, how.charge, cells_));
  return put(how, {sample_of(piece_, first), sample_of(piece_, end - 1)});
}

Status CountedSeries::put(const How& how, const Stretch& stretch) {
  if (stretches_.size() == stretches_.capacity() && how.charge) {
    VARVE_RETURN_IF_ERROR(how.charge(std::max<std::size_t>(stretches_.size(), 4) * sizeof(Stretch)));
  }
  stretches_.push_back(stretch);
  return {};
}

Status CountedSeries::summaries(const How& how, std::span<const counter::AnySummary> summaries) {
  VARVE_RETURN_IF_ERROR(count_held(how));
  clear(piece_);
  for (const counter::AnySummary& any : summaries) {
    VARVE_RETURN_IF_ERROR(std::visit(
        [&](const auto& summary) -> Status {
          VARVE_RETURN_IF_ERROR(put(how, {sample_of(summary.first), sample_of(summary.last)}));
          summaries_.push_back({summary.first.time, summary.last.time + 1});
          return cells_.add(how.windows.index(summary.first.time), growth_of(summary), how.charge);
        },
        any));
  }
  const auto by_time = [](const model::TimeRange& range) { return range.first; };
  if (!std::ranges::is_sorted(summaries_, {}, by_time)) std::ranges::sort(summaries_, {}, by_time);
  return how.charge ? how.charge(summaries.size() * sizeof(model::TimeRange)) : Status{};
}

Status CountedSeries::finish(const How& how) {
  if (!how.joins) return {};
  VARVE_RETURN_IF_ERROR(count_held(how));
  clear(piece_);
  std::ranges::sort(stretches_, {}, [](const Stretch& stretch) { return stretch.first.time; });
  Status status;
  LastSample before;
  for (const Stretch& stretch : stretches_) {
    if (before.is_there && stretch.first.time <= before.time) continue;
    counter::walk(how.evidence, before, stretch.first.type, {&stretch.first.time, 1}, {&stretch.first.bits, 1},
                  [&](const auto& interval) {
                    if (status) status = cells_.add(interval, how.range, how.windows, how.charge);
                  });
    VARVE_RETURN_IF_ERROR(status);
    before = stretch.last;
  }
  stretches_ = {};
  return {};
}

}  // namespace varve::query
