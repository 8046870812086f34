// SPDX-License-Identifier: Apache-2.0
// Times count from the window's first sample, and the line goes through the mean of both: seen from 1970 a steep one
// would lose the last digits of its values, as those of KairosDB do.
#include "aggregate/least_squares.h"

#include <utility>

#include "aggregate/windows.h"

namespace varve::aggregate {

namespace {

class Regression {
 public:
  explicit Regression(model::Timestamp first) : first_(first) {}

  void add(model::Timestamp time, double y) {
    const double dx = since_first(time) - mean_x_;
    const double dy = y - mean_y_;
    const double part = n_ / (1.0 + n_);
    xx_ += dx * dx * part;
    xy_ += dx * dy * part;
    mean_x_ += dx / (1.0 + n_);
    mean_y_ += dy / (1.0 + n_);
    n_ += 1;
  }
  [[nodiscard]] double at(model::Timestamp time) const {
    return xx_ == 0 ? mean_y_ : mean_y_ + xy_ / xx_ * (since_first(time) - mean_x_);
  }

 private:
  [[nodiscard]] double since_first(model::Timestamp time) const { return static_cast<double>(time - first_); }

  const model::Timestamp first_;
  double n_ = 0;
  double mean_x_ = 0;
  double mean_y_ = 0;
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
    Regression regression(in.times[from]);
    std::size_t to = from;
    for (; to < in.size() && in.times[to] < end; ++to) regression.add(in.times[to], in.number(to));
    for (const std::size_t i : {from, to - 1}) {
      if (to - from <= 2) {
        out.push(in.times[i], in.type_of(i), in.bits[i]);
      } else {
        out.push(in.times[i], model::ValueType::double_, std::bit_cast<std::uint64_t>(regression.at(in.times[i])));
      }
      if (to - from == 1) break;
    }
    from = to;
  }
  return out;
}

}  // namespace varve::aggregate
