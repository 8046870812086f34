// SPDX-License-Identifier: Apache-2.0
#include "language/usage/figures.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace varve::language::usage {
namespace {

void add_growth(aggregate::Growth& to, const aggregate::Growth& more) {
  to.whole = counter::sum_of(to.whole, more.whole);
  to.real += more.real;
  to.is_real |= more.is_real;
  to.covered_ms += more.covered_ms;
}

// The mean speed over what of the bin has one; 0: nothing of it has. `next`: the first span that does not end before
// the bin, found from where the last call left it.
double mean_speed(std::span<const SpeedSpan> speeds, std::size_t& next, model::TimeRange bin) {
  while (next < speeds.size() && speeds[next].range.last <= bin.first) ++next;
  double weighted = 0;
  std::int64_t known_ms = 0;
  for (std::size_t i = next; i < speeds.size() && speeds[i].range.first < bin.last; ++i) {
    const std::int64_t ms = std::min(speeds[i].range.last, bin.last) - std::max(speeds[i].range.first, bin.first);
    weighted += speeds[i].bits_per_second * static_cast<double>(ms);
    known_ms += ms;
  }
  return known_ms == 0 ? 0 : weighted / static_cast<double>(known_ms);
}

// Sets max and p95.
void rank(std::vector<double> rates, UsageFigures& out) {
  if (rates.empty()) return;
  out.max = std::ranges::max(rates);
  const std::size_t place = (95 * rates.size() + 99) / 100;  // from 1
  const auto at = rates.begin() + static_cast<std::ptrdiff_t>(place - 1);
  std::ranges::nth_element(rates, at);
  out.p95 = *at;
}

}  // namespace

UsageFigures usage_figures(std::span<const UsageBin> bins, std::int64_t width_ms, std::span<const SpeedSpan> speeds) {
  UsageFigures out;
  std::vector<double> rates;
  rates.reserve(bins.size());
  std::size_t next = 0;
  for (const UsageBin& bin : bins) {
    add_growth(out.growth, bin.growth);
    rates.push_back(bin.bytes_per_second());
    const double speed = mean_speed(speeds, next, {bin.start, bin.start + width_ms});
    if (speed <= 0) continue;
    out.bits += 8 * bin.bytes();
    out.bits_possible += speed * static_cast<double>(bin.growth.covered_ms) / 1000;
  }
  if (out.is_known()) {
    const double bytes = static_cast<double>(out.growth.whole) + out.growth.real;
    out.average = counter::rate_of(bytes, out.growth.covered_ms);
  }
  rank(std::move(rates), out);
  return out;
}

UsageBins more_covered(UsageBins first, const UsageBins& second) {
  UsageBins out;
  out.reserve(std::max(first.size(), second.size()));
  std::ranges::merge(first, second, std::back_inserter(out), {}, &UsageBin::start, &UsageBin::start);
  // Where both have a bin, that of the first comes first.
  std::size_t kept = 0;
  for (const UsageBin& bin : out) {
    if (kept == 0 || out[kept - 1].start != bin.start) {
      out[kept++] = bin;
    } else if (bin.growth.covered_ms > out[kept - 1].growth.covered_ms) {
      out[kept - 1] = bin;
    }
  }
  out.resize(kept);
  return out;
}

void UsageSum::add(std::span<const UsageBin> bins, const UsageFigures& figures) {
  add_growth(sums_.growth, figures.growth);
  sums_.bits += figures.bits;
  sums_.bits_possible += figures.bits_possible;
  std::vector<Total> more;
  auto at = totals_.begin();
  for (const UsageBin& bin : bins) {
    while (at != totals_.end() && at->start < bin.start) ++at;
    if (at != totals_.end() && at->start == bin.start) {
      at->bytes_per_second += bin.bytes_per_second();
      at->covered_ms = std::max(at->covered_ms, bin.growth.covered_ms);
    } else {
      more.push_back({bin.start, bin.bytes_per_second(), bin.growth.covered_ms});
    }
  }
  if (more.empty()) return;
  const auto middle = static_cast<std::ptrdiff_t>(totals_.size());
  totals_.insert(totals_.end(), more.begin(), more.end());
  std::ranges::inplace_merge(totals_, totals_.begin() + middle, {}, &Total::start);
}

UsageFigures UsageSum::figures() const {
  UsageFigures out = sums_;
  std::vector<double> rates;
  double weighted = 0;
  std::int64_t covered_ms = 0;
  for (const Total& total : totals_) {
    rates.push_back(total.bytes_per_second);
    weighted += total.bytes_per_second * static_cast<double>(total.covered_ms);
    covered_ms += total.covered_ms;
  }
  if (covered_ms > 0) out.average = weighted / static_cast<double>(covered_ms);
  rank(std::move(rates), out);
  return out;
}

}  // namespace varve::language::usage
