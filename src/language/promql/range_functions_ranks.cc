// SPDX-License-Identifier: Apache-2.0
// Quantiles of ranges, and the median distance from the median. All samples are ranked once; a tree of counts knows
// which of them are in the range.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "language/promql/quantile.h"
#include "language/promql/range_functions.h"

namespace varve::language::promql {
namespace {

// The values of a range in order, by their rank. A step costs the logarithm of the samples.
class RankedRange {
 public:
  Status rank(const RangeInput& in) {
    const std::size_t size = in.size();
    VARVE_ASSIGN_OR_RETURN(held_, in.evaluation.budget().charge(size * 4 * sizeof(std::size_t)));
    order_.resize(size);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, is_less_number, [&](std::size_t i) { return in.value(i); });
    places_.resize(size);
    for (std::size_t place = 0; place < size; ++place) places_[order_[place]] = place;
    counts_.assign(size + 1, 0);
    return {};
  }

  void move(const RangeInput& in, std::size_t begin, std::size_t end) {
    for (; end_ < end; ++end_) change(in, end_, 1);
    for (; begin_ < begin; ++begin_) change(in, begin_, -1);
  }

  // The k-th least of the range.
  [[nodiscard]] double at(const RangeInput& in, std::size_t k) const {
    std::size_t place = 0;
    for (std::size_t step = std::bit_floor(counts_.size() - 1); step > 0; step /= 2) {
      if (place + step < counts_.size() && counts_[place + step] <= static_cast<std::ptrdiff_t>(k)) {
        place += step;
        k -= static_cast<std::size_t>(counts_[place]);
      }
    }
    return in.value(order_[place]);
  }

  // How many of the range are less?
  [[nodiscard]] std::size_t less_than(const RangeInput& in, double x) const {
    const auto found = std::ranges::lower_bound(order_, x, is_less_number, [&](std::size_t i) { return in.value(i); });
    std::ptrdiff_t count = 0;
    for (auto at = static_cast<std::size_t>(found - order_.begin()); at > 0; at &= at - 1) count += counts_[at];
    return static_cast<std::size_t>(count);
  }

  [[nodiscard]] bool finite() const { return not_finite_ == 0; }

 private:
  void change(const RangeInput& in, std::size_t sample, std::ptrdiff_t by) {
    if (!std::isfinite(in.value(sample))) not_finite_ += by;
    for (std::size_t at = places_[sample] + 1; at < counts_.size(); at += at & (~at + 1)) counts_[at] += by;
  }

  std::vector<std::size_t> order_;      // samples by value
  std::vector<std::size_t> places_;     // of samples in order_
  std::vector<std::ptrdiff_t> counts_;  // a Fenwick tree over order_
  std::size_t begin_ = 0, end_ = 0;
  std::ptrdiff_t not_finite_ = 0;
  Charge held_;
};

std::vector<double> values_of(const RangeInput& in, std::size_t begin, std::size_t end) {
  in.evaluation.note(end - begin);
  return {in.series.values.begin() + static_cast<std::ptrdiff_t>(begin),
          in.series.values.begin() + static_cast<std::ptrdiff_t>(end)};
}

double plain_median_distance(std::vector<double> values) {
  const double median = quantile_of(0.5, values);
  for (double& value : values) value = std::fabs(value - median);
  return quantile_of(0.5, values);
}

// Distances below the median grow downwards, those above it upwards: the k-th least of both together.
double median_distance(const RangeInput& in, const RankedRange& ranked, std::size_t size) {
  const double median = quantile_of(0.5, size, [&](std::size_t i) { return ranked.at(in, i); });
  const std::size_t below = ranked.less_than(in, median);
  const auto down = [&](std::size_t i) { return median - ranked.at(in, below - 1 - i); };
  const auto up = [&](std::size_t i) { return ranked.at(in, below + i) - median; };
  return quantile_of(0.5, size, [&](std::size_t k) {
    // How many of the k + 1 least are below?
    std::size_t low = k + 1 > size - below ? k + 1 - (size - below) : 0, high = std::min(k + 1, below);
    while (low < high) {
      const std::size_t taken = (low + high) / 2;
      if (down(taken) < up(k - taken)) {
        low = taken + 1;
      } else {
        high = taken;
      }
    }
    const double from_below = low > 0 ? down(low - 1) : -1;
    const double from_above = k + 1 > low ? up(k - low) : -1;
    return std::max(from_below, from_above);
  });
}

// at_step(step, begin, end, ranked)
template <class AtStep>
Status walk_ranked(const RangeInput& in, AtStep at_step) {
  RankedRange ranked;
  VARVE_RETURN_IF_ERROR(ranked.rank(in));
  return walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    ranked.move(in, begin, end);
    at_step(step, begin, end, ranked);
  });
}

}  // namespace

Status quantile_over_time(const RangeInput& in, Column& out) {
  const Column& quantiles = in.scalars[0];
  return walk_ranked(in, [&](std::size_t step, std::size_t begin, std::size_t end, const RankedRange& ranked) {
    out.set(step, quantile_of(quantiles[step], end - begin, [&](std::size_t i) { return ranked.at(in, i); }));
  });
}

Status mad_over_time(const RangeInput& in, Column& out) {
  return walk_ranked(in, [&](std::size_t step, std::size_t begin, std::size_t end, const RankedRange& ranked) {
    out.set(step, ranked.finite() ? median_distance(in, ranked, end - begin)
                                  : plain_median_distance(values_of(in, begin, end)));
  });
}

}  // namespace varve::language::promql
