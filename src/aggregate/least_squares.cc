// SPDX-License-Identifier: Apache-2.0
// The line is written as KairosDB's library writes it, as a value at 1970 and a slope from there: steep lines are
// rounded by that, and rounded alike.
#include "aggregate/least_squares.h"

#include <utility>

#include "aggregate/windows.h"

namespace varve::aggregate {

namespace {

class Regression {
 public:
  void add(double x, double y) {
    if (n_ == 0) {
      mean_x_ = x;
      mean_y_ = y;
    } else {
      const double part = n_ / (1.0 + n_);
      const double dx = x - mean_x_;
      const double dy = y - mean_y_;
      xx_ += dx * dx * part;
      xy_ += dx * dy * part;
      mean_x_ += dx / (1.0 + n_);
      mean_y_ += dy / (1.0 + n_);
    }
    sum_x_ += x;
    sum_y_ += y;
    n_ += 1;
  }
  [[nodiscard]] double at(double x) const {
    if (xx_ == 0) return sum_y_ / n_;
    const double slope = xy_ / xx_;
    return (sum_y_ - slope * sum_x_) / n_ + slope * x;
  }

 private:
  double n_ = 0;
  double mean_x_ = 0;
  double mean_y_ = 0;
  double sum_x_ = 0;
  double sum_y_ = 0;
  double xx_ = 0;  // squares and products around the means
  double xy_ = 0;
};

}  // namespace

Result<Points> apply(const LeastSquares& line, const Scope& scope, Points in) {
  in = without_nulls(std::move(in));
  const Windows windows = windows_of(line, scope.start);
  Points out;
  Pace pace;
  for (std::size_t from = 0; from < in.size();) {
    VARVE_RETURN_IF_ERROR(pace.step(scope.charge));
    const model::Timestamp end = windows.start(windows.index(in.times[from]) + 1);
    Regression regression;
    std::size_t to = from;
    for (; to < in.size() && in.times[to] < end; ++to) regression.add(static_cast<double>(in.times[to]), in.number(to));
    for (const std::size_t i : {from, to - 1}) {
      if (to - from <= 2) {
        out.push(in.times[i], in.type_of(i), in.bits[i]);
      } else {
        out.push(in.times[i], model::ValueType::double_,
                 std::bit_cast<std::uint64_t>(regression.at(static_cast<double>(in.times[i]))));
      }
      if (to - from == 1) break;
    }
    from = to;
  }
  return out;
}

}  // namespace varve::aggregate
