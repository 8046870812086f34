// SPDX-License-Identifier: Apache-2.0
// Differences between the samples of a range: rate, increase, delta; irate, idelta.
#include <algorithm>
#include <array>
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

// Changes between the first and the last samples of ranges become those of the whole ranges. Divisions are most of what
// a rate costs, so some steps are taken at a time, without branches: the compiler divides several at once.
class Extrapolation {
 public:
  // `seconds`: results are divided by so many.
  Extrapolation(bool is_counter, double seconds)
      : counts_above_(is_counter ? 0 : std::numeric_limits<double>::infinity()), seconds_(seconds) {}

  struct Distances {
    std::int64_t before_ms, between_ms, behind_ms;  // edge, first sample, last sample, edge
    std::size_t samples;
  };
  void add(std::size_t step, const Distances& of, double first, double change, Column& out) {
    step_[size_] = step;
    before_[size_] = static_cast<double>(of.before_ms);
    between_[size_] = static_cast<double>(of.between_ms);
    behind_[size_] = static_cast<double>(of.behind_ms);
    gaps_[size_] = static_cast<double>(of.samples - 1);
    first_[size_] = first;
    change_[size_] = change;
    if (++size_ == kSteps) flush(out);
  }

  void flush(Column& out) {
    for (std::size_t i = 0; i < size_; ++i) result_[i] = extended(i);
    for (std::size_t i = 0; i < size_; ++i) out.set(step_[i], result_[i]);
    size_ = 0;
  }

 private:
  static constexpr std::size_t kSteps = 64;
  using Numbers = std::array<double, kSteps>;

  [[nodiscard]] double extended(std::size_t i) const {
    const double between = between_[i] / kMsPerSecond, mean_distance = between / gaps_[i];
    // So near, the sample before the first one would have been outside.
    const double near = mean_distance * 1.1, half = mean_distance / 2;
    const double edge = before_[i] / kMsPerSecond, other_edge = behind_[i] / kMsPerSecond;
    const double start = edge >= near ? half : edge, behind = other_edge >= near ? half : other_edge;
    // A counter is extended to where it was 0 at most.
    const double since_zero = between * (first_[i] / change_[i]);
    const bool grows = change_[i] > counts_above_, is_positive = first_[i] >= 0, is_near = since_zero < start;
    const double before = (grows & is_positive & is_near) ? since_zero : start;
    return change_[i] * ((between + before + behind) / between / seconds_);
  }

  const double counts_above_;  // changes that are more are a counter's
  const double seconds_;
  std::size_t size_ = 0;
  std::array<std::size_t, kSteps> step_;
  Numbers before_, between_, behind_, gaps_, first_, change_, result_;  // ms; of size_ steps
};

Status extrapolated(const RangeInput& in, Column& out, bool is_counter, bool by_second) {
  Drops drops;
  if (is_counter) VARVE_RETURN_IF_ERROR(drops.find(in));
  const std::int64_t width_ms = in.range.width_ms();
  Extrapolation extrapolation(is_counter, by_second ? static_cast<double>(width_ms) / kMsPerSecond : 1);
  VARVE_RETURN_IF_ERROR(walk_ranges(in, [&](std::size_t step, std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    const double first = in.value(begin);
    double change = in.value(end - 1) - first;
    if (!drops.empty()) change += drops.over(begin, end);
    const std::int64_t to_ms = in.range.to(step), first_ms = in.time_ms(begin), last_ms = in.time_ms(end - 1);
    extrapolation.add(step, {first_ms - (to_ms - width_ms), last_ms - first_ms, to_ms - last_ms, end - begin}, first,
                      change, out);
  }));
  extrapolation.flush(out);
  return {};
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
