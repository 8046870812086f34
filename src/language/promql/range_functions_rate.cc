// SPDX-License-Identifier: Apache-2.0
// Differences between the samples of a range: rate, increase, delta; irate, idelta.
#include <algorithm>
#include <limits>
#include <vector>

#include "language/promql/exact_sum.h"
#include "language/promql/range_functions.h"
#include "language/promql/sliding_fold.h"

namespace varve::language::promql {
namespace {

constexpr double kMsPerSecond = 1000;

// What a counter had counted whenever it was reset.
class Drops {
 public:
  Drops() = default;
  Drops(const Drops&) = delete;
  Drops& operator=(const Drops&) = delete;

  Status find(const RangeInput& in) {
    for (std::size_t i = 1; i < in.size(); ++i) {
      if (in.value(i) < in.value(i - 1)) drops_.push_back({i, in.value(i - 1)});
    }
    if (drops_.empty()) return {};
    VARVE_ASSIGN_OR_RETURN(held_, in.evaluation.budget().charge(drops_.capacity() * sizeof(Drop)));
    return fold_.reserve(in.evaluation, drops_.size());
  }
  [[nodiscard]] bool empty() const { return drops_.empty(); }

  // Between the samples of [begin, end). Neither may be less than it was.
  double over(std::size_t begin, std::size_t end) {
    while (begin_ < drops_.size() && drops_[begin_].at <= begin) ++begin_;
    end_ = std::max(begin_, end_);
    while (end_ < drops_.size() && drops_[end_].at < end) ++end_;
    return begin_ == end_ ? 0 : fold_.over(begin_, end_).value();
  }

 private:
  struct Drop {
    std::size_t at;  // the sample behind it
    double counted;
  };
  struct Item {
    const std::vector<Drop>& drops;
    ExactSum operator()(std::size_t i) const { return {drops[i].counted, 0}; }
  };
  std::vector<Drop> drops_;
  std::size_t begin_ = 0, end_ = 0;
  SlidingFold<ExactSum, Item> fold_{Item{drops_}};
  Charge held_;
};

// From the samples of a range to its edges. Of regular scrapes they are the same at each step, and so they are kept:
// divisions are most of what a rate costs.
class Reach {
 public:
  // `seconds`: the result is divided by so many; 0: by none.
  Reach(bool is_counter, double seconds) : is_counter_(is_counter), seconds_(seconds) {}

  void set(std::int64_t before_ms, std::int64_t between_ms, std::int64_t behind_ms, std::size_t samples) {
    if (before_ms == before_ms_ && between_ms == between_ms_ && behind_ms == behind_ms_ && samples == samples_) return;
    before_ms_ = before_ms, between_ms_ = between_ms, behind_ms_ = behind_ms, samples_ = samples;
    before_ = static_cast<double>(before_ms) / kMsPerSecond;
    behind_ = static_cast<double>(behind_ms) / kMsPerSecond;
    between_ = static_cast<double>(between_ms) / kMsPerSecond;
    const double mean_distance = between_ / static_cast<double>(samples - 1);
    // So near, the sample before the first one would have been outside.
    const double near = mean_distance * 1.1;
    if (before_ >= near) before_ = mean_distance / 2;
    if (behind_ >= near) behind_ = mean_distance / 2;
    factor_ = factor(before_);
  }

  // The change between the first and the last sample, as that of the whole range.
  [[nodiscard]] double extend(double change, double first) const {
    if (!is_counter_ || !(change > 0) || !(first >= 0) || was_counting(change, first)) return change * factor_;
    const double since_zero = between_ * (first / change);
    return change * (since_zero < before_ ? factor(since_zero) : factor_);
  }

 private:
  [[nodiscard]] double factor(double before) const {
    const double whole = (between_ + before + behind_) / between_;
    return seconds_ == 0 ? whole : whole / seconds_;
  }
  // Surely above zero as far as it is extended: told without a division. The margin is more than all rounding.
  [[nodiscard]] bool was_counting(double change, double first) const {
    const double needed = change * before_ * (1 + 1e-9);
    return change > 1e-290 && needed <= std::numeric_limits<double>::max() && first * between_ >= needed;
  }

  const bool is_counter_;
  const double seconds_;
  std::int64_t before_ms_ = -1, between_ms_ = -1, behind_ms_ = -1;
  std::size_t samples_ = 0;
  double before_ = 0, between_ = 0, behind_ = 0, factor_ = 0;
};

Status extrapolated(const RangeInput& in, Column& out, bool is_counter, bool by_second) {
  Drops drops;
  if (is_counter) VARVE_RETURN_IF_ERROR(drops.find(in));
  const std::int64_t width_ms = in.range.width_ms();
  Reach reach(is_counter, by_second ? static_cast<double>(width_ms) / kMsPerSecond : 0);
  return walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    const double first = in.value(begin);
    double change = in.value(end - 1) - first;
    if (!drops.empty()) change += drops.over(begin, end);
    const std::int64_t to_ms = in.range.to(step), first_ms = in.time_ms(begin), last_ms = in.time_ms(end - 1);
    reach.set(first_ms - (to_ms - width_ms), last_ms - first_ms, to_ms - last_ms, end - begin);
    out.set(step, reach.extend(change, first));
  });
}

Status of_last_two(const RangeInput& in, Column& out, bool counter) {
  return walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    const double before = in.value(end - 2), last = in.value(end - 1);
    double change = counter && last < before ? last : last - before;
    if (counter) change /= static_cast<double>(in.time_ms(end - 1) - in.time_ms(end - 2)) / kMsPerSecond;
    out.set(step, change);
  });
}

}  // namespace

Status rate(const RangeInput& in, Column& out) { return extrapolated(in, out, true, true); }
Status increase(const RangeInput& in, Column& out) { return extrapolated(in, out, true, false); }
Status delta(const RangeInput& in, Column& out) { return extrapolated(in, out, false, false); }
Status irate(const RangeInput& in, Column& out) { return of_last_two(in, out, true); }
Status idelta(const RangeInput& in, Column& out) { return of_last_two(in, out, false); }

}  // namespace varve::language::promql
