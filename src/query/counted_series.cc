// SPDX-License-Identifier: Apache-2.0
#include "query/counted_series.h"

#include <algorithm>
#include <bit>
#include <cmath>

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

aggregate::Growth growth_of(const counter::Stretch& stretch) {
  aggregate::Growth growth;
  if (stretch.covered_ms == 0) return growth;
  if (stretch.type == ValueType::double_) {
    growth.add(std::bit_cast<double>(stretch.increase), stretch.covered_ms);
  } else {
    growth.add(stretch.increase, stretch.covered_ms);
  }
  return growth;
}

}  // namespace

Status CountedSeries::piece(const How& how, ValueType type, std::span<const Timestamp> times,
                            std::span<const std::uint64_t> bits) {
  if (windows_.empty()) return count_or_hold(how, type, times, bits);
  // Cut at a rollup's windows, and without what lies in one.
  for (std::size_t from = 0; from < times.size();) {
    const auto next = std::ranges::lower_bound(windows_, times[from], {}, [](const auto& s) { return s.last - 1; });
    std::size_t to = times.size();
    if (next != windows_.end()) {
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

Status CountedSeries::put(const How& how, const Ends& ends) {
  if (counted_.size() == counted_.capacity() && how.charge) {
    VARVE_RETURN_IF_ERROR(how.charge(std::max<std::size_t>(counted_.size(), 4) * sizeof(Ends)));
  }
  counted_.push_back(ends);
  return {};
}

// Where both are the same bin, that is one.
template <counter::Increase I>
Status CountedSeries::put_bins(const How& how, const counter::Summary<I>& summary) {
  const auto put = [&](const counter::Bin<I>& bin) -> Status {
    if (bin.covered_ms == 0) return {};
    aggregate::Growth growth;
    growth.add(bin.increase, bin.covered_ms);
    return cells_.add(how.windows.index(bin.start), growth, how.charge);
  };
  // Bins of another width say nothing of these.
  const std::int64_t window = how.windows.index(summary.head.start);
  if (how.windows.start(window + 1) - how.windows.start(window) != summary.terms.base_ms) return {};
  VARVE_RETURN_IF_ERROR(put(summary.head));
  VARVE_RETURN_IF_ERROR(put(summary.least));
  if (summary.greatest.start != summary.least.start) VARVE_RETURN_IF_ERROR(put(summary.greatest));
  return put(summary.tail);
}

Status CountedSeries::windows(const How& how, std::span<const counter::Stretch> windows,
                              std::span<const counter::AnySummary> summaries) {
  VARVE_RETURN_IF_ERROR(count_held(how));
  clear(piece_);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const counter::Stretch& one = windows[i];
    VARVE_RETURN_IF_ERROR(put(how, {one.first_sample(), one.last_sample()}));
    windows_.push_back({one.first_time, one.last_time + 1});
    if (summaries.empty()) {
      VARVE_RETURN_IF_ERROR(cells_.add(how.windows.index(one.first_time), growth_of(one), how.charge));
    } else {
      VARVE_RETURN_IF_ERROR(std::visit([&](const auto& summary) { return put_bins(how, summary); }, summaries[i]));
    }
  }
  const auto by_time = [](const model::TimeRange& range) { return range.first; };
  if (!std::ranges::is_sorted(windows_, {}, by_time)) std::ranges::sort(windows_, {}, by_time);
  return how.charge ? how.charge(windows.size() * sizeof(model::TimeRange)) : Status{};
}

Status CountedSeries::finish(const How& how) {
  if (!how.joins) return {};
  VARVE_RETURN_IF_ERROR(count_held(how));
  clear(piece_);
  const auto by_time = [](const Ends& ends) { return ends.first.time; };
  if (!std::ranges::is_sorted(counted_, {}, by_time)) std::ranges::sort(counted_, {}, by_time);
  Status status;
  LastSample before;
  for (const Ends& ends : counted_) {
    if (before.is_there && ends.first.time <= before.time) continue;
    counter::walk(how.evidence, before, ends.first.type, {&ends.first.time, 1}, {&ends.first.bits, 1},
                  [&](const auto& interval) {
                    if (status) status = cells_.add(interval, how.range, how.windows, how.charge);
                  });
    VARVE_RETURN_IF_ERROR(status);
    before = ends.last;
  }
  counted_ = {};
  return {};
}

}  // namespace varve::query
