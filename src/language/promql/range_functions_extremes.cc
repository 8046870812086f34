// SPDX-License-Identifier: Apache-2.0
// The least and the largest value of ranges. NaN is neither, unless there is nothing else.
#include <cmath>
#include <functional>
#include <vector>

#include "language/promql/range_functions.h"

namespace varve::language::promql {
namespace {

// Samples of the range, each better than all behind it, so that the first one is the best.
class BestSamples {
 public:
  Status reserve(const RangeInput& in) {
    VARVE_ASSIGN_OR_RETURN(held_, in.evaluation.budget().charge(in.size() * sizeof(std::size_t)));
    samples_.reserve(in.size());
    return {};
  }

  // `stays(old, new)`: is an older sample as good as a newer one?
  template <class Stays>
  void move(const RangeInput& in, std::size_t begin, std::size_t end, Stays stays) {
    if (seen_ < begin) seen_ = begin;
    for (; seen_ < end; ++seen_) {
      if (std::isnan(in.value(seen_))) continue;
      while (samples_.size() > front_ && !stays(in.value(samples_.back()), in.value(seen_))) samples_.pop_back();
      samples_.push_back(seen_);
    }
    while (front_ < samples_.size() && samples_[front_] < begin) ++front_;
  }

  // In a range that ends before `end`: its last sample if all are NaN.
  [[nodiscard]] std::size_t best(std::size_t end) const {
    return front_ < samples_.size() ? samples_[front_] : end - 1;
  }

 private:
  std::vector<std::size_t> samples_;
  std::size_t front_ = 0;  // what was before has left the range
  std::size_t seen_ = 0;
  Charge held_;
};

template <class Stays>
Status best_of_ranges(const RangeInput& in, Column& out, bool time, Stays stays) {
  BestSamples samples;
  VARVE_RETURN_IF_ERROR(samples.reserve(in));
  return walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    samples.move(in, begin, end, stays);
    const std::size_t best = samples.best(end);
    out.set(step, time ? static_cast<double>(in.time_ms(best)) / 1000 : in.value(best));
  });
}

}  // namespace

// Of equal values the first one counts, for their times the last one.
Status min_over_time(const RangeInput& in, Column& out) { return best_of_ranges(in, out, false, std::less_equal<>()); }
Status max_over_time(const RangeInput& in, Column& out) {
  return best_of_ranges(in, out, false, std::greater_equal<>());
}
Status ts_of_min_over_time(const RangeInput& in, Column& out) { return best_of_ranges(in, out, true, std::less<>()); }
Status ts_of_max_over_time(const RangeInput& in, Column& out) {
  return best_of_ranges(in, out, true, std::greater<>());
}

}  // namespace varve::language::promql
