// SPDX-License-Identifier: Apache-2.0
#include "aggregate/rate.h"

#include <cmath>

#include "aggregate/change.h"

namespace varve::aggregate {

namespace {

using model::ValueType;
__extension__ typedef __int128 Wide;  // of differences of longs

// What the counter went through over its end: up to counter_max, and from 0 on.
double over_the_end(const RateOptions& options, const Points& points, std::size_t now, std::size_t before) {
  if (points.type_of(now) == ValueType::long_ && points.type_of(before) == ValueType::long_) {
    const auto max = static_cast<Wide>(options.counter_max);
    return static_cast<double>(max - std::bit_cast<std::int64_t>(points.bits[before]) +
                               std::bit_cast<std::int64_t>(points.bits[now]));
  }
  return static_cast<double>(options.counter_max) - as_double(points.type_of(before), points.bits[before]) +
         as_double(points.type_of(now), points.bits[now]);
}

}  // namespace

Points rate(const RateOptions& options, const Points& in) {
  Points out;
  out.type = ValueType::double_;
  const auto put = [&](std::size_t i, double value) {
    out.times.push_back(in.times[i]);
    out.bits.push_back(std::bit_cast<std::uint64_t>(value));
  };
  std::size_t before = in.size();  // none yet
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double value = as_double(in.type_of(i), in.bits[i]);
    if (std::isnan(value)) {
      put(i, value);
      continue;
    }
    if (before == in.size()) {
      before = i;
      continue;
    }
    const double seconds = options.delta_only ? 1 : static_cast<double>(in.times[i] - in.times[before]) / 1000;
    double change = difference(in, i, before);
    const bool went_over = options.counter && change < 0;
    if (went_over) change = over_the_end(options, in, i, before);
    before = i;
    if (went_over && options.drop_resets) continue;
    double per_second = change / seconds;
    if (went_over && options.reset_value > 0 && per_second > static_cast<double>(options.reset_value)) per_second = 0;
    put(i, per_second);
  }
  return out;
}

}  // namespace varve::aggregate
