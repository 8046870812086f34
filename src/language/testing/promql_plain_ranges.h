// SPDX-License-Identifier: Apache-2.0
// For tests: functions of one range of samples, each as its documentation has it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "language/promql/function_table.h"

namespace varve::language::testing {

using PlainSamples = std::vector<std::pair<std::int64_t, double>>;  // ms, value

struct PlainWindow {
  std::int64_t from = 0, to = 0, now = 0;
};

inline double plain_sum(const std::vector<double>& values) {
  long double sum = 0;
  for (const double value : values) sum += value;
  return static_cast<double>(sum);
}

template <class Better>
double plain_best(const std::vector<double>& values, Better better) {
  double best = values[0];
  for (const double value : values) {
    if (std::isnan(best) || better(value, best)) best = value;
  }
  return best;
}

inline double plain_variance(const std::vector<double>& values) {
  long double mean = 0, squares = 0;
  for (const double value : values) mean += value;
  mean /= static_cast<long double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return static_cast<double>(squares / static_cast<long double>(values.size()));
}

inline double plain_quantile(double q, std::vector<double> values) {
  if (std::isnan(q) || values.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (q < 0 || q > 1) return q < 0 ? -INFINITY : INFINITY;
  std::ranges::sort(values, [](double a, double b) { return a < b || (std::isnan(a) && !std::isnan(b)); });
  const double rank = q * static_cast<double>(values.size() - 1), below = std::floor(rank);
  const auto at = static_cast<std::size_t>(below);
  return values[at] * (1 - (rank - below)) + values[std::min(at + 1, values.size() - 1)] * (rank - below);
}

inline std::optional<double> plain_rate(const PlainSamples& s, const PlainWindow& w, bool counter, bool by_second) {
  if (s.size() < 2) return std::nullopt;
  double change = s.back().second - s[0].second;
  for (std::size_t i = 1; i < s.size(); ++i) {
    if (counter && s[i].second < s[i - 1].second) change += s[i - 1].second;
  }
  double before = static_cast<double>(s[0].first - w.from) / 1000;
  double behind = static_cast<double>(w.to - s.back().first) / 1000;
  const double between = static_cast<double>(s.back().first - s[0].first) / 1000;
  const double mean = between / static_cast<double>(s.size() - 1);
  if (before >= mean * 1.1) before = mean / 2;
  if (behind >= mean * 1.1) behind = mean / 2;
  if (counter && change > 0 && s[0].second >= 0) before = std::min(before, between * s[0].second / change);
  const double all = change * (between + before + behind) / between;
  return by_second ? all / (static_cast<double>(w.to - w.from) / 1000) : all;
}

// Slope, and value at `at`.
inline std::pair<double, double> plain_line(const PlainSamples& s, std::int64_t at) {
  if (std::ranges::all_of(s, [&](const auto& one) { return one.second == s[0].second; })) {
    return std::isinf(s[0].second) ? std::pair<double, double>(NAN, NAN) : std::pair<double, double>(0, s[0].second);
  }
  long double x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [time, value] : s) x += static_cast<long double>(time - at) / 1000, y += value;
  x /= static_cast<long double>(s.size());
  y /= static_cast<long double>(s.size());
  for (const auto& [time, value] : s) {
    const long double distance = static_cast<long double>(time - at) / 1000 - x;
    xx += distance * distance;
    xy += distance * (value - y);
  }
  return {static_cast<double>(xy / xx), static_cast<double>(y - xy / xx * x)};
}

inline double plain_smoothed(const PlainSamples& s, double smooth, double trend) {
  double value = s[0].second, slope = s[1].second - s[0].second, before = 0;
  for (std::size_t i = 1; i < s.size(); ++i) {
    if (i > 1) slope = trend * (value - before) + (1 - trend) * slope;
    before = std::exchange(value, smooth * s[i].second + (1 - smooth) * (value + slope));
  }
  return value;
}

inline double plain_median_distance(std::vector<double> values) {
  const double median = plain_quantile(0.5, values);
  for (double& value : values) value = std::fabs(value - median);
  return plain_quantile(0.5, values);
}

// Time of the last sample that has the best value.
template <class Better>
double plain_time_of_best(const PlainSamples& s, Better better) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < s.size(); ++i) {
    if (std::isnan(s[best].second) || better(s[i].second, s[best].second)) best = i;
  }
  return static_cast<double>(s[best].first) / 1000;
}

inline std::optional<double> plain_range_function(promql::FunctionId function, const PlainSamples& s,
                                                  const PlainWindow& w, const std::vector<double>& scalars) {
  using Id = promql::FunctionId;
  std::vector<double> values;
  for (const auto& one : s) values.push_back(one.second);
  const auto last_two = [&](bool counter) -> std::optional<double> {
    if (s.size() < 2) return std::nullopt;
    const auto &a = s[s.size() - 2], &b = s.back();
    if (!counter) return b.second - a.second;
    return (b.second < a.second ? b.second : b.second - a.second) / (static_cast<double>(b.first - a.first) / 1000);
  };
  const auto count_pairs = [&](auto holds) {
    int count = 0;
    for (std::size_t i = 1; i < s.size(); ++i) count += holds(s[i - 1].second, s[i].second) ? 1 : 0;
    return static_cast<double>(count);
  };
  const bool two = s.size() > 1;
  switch (function) {
    case Id::rate: return plain_rate(s, w, true, true);
    case Id::increase: return plain_rate(s, w, true, false);
    case Id::delta: return plain_rate(s, w, false, false);
    case Id::irate: return last_two(true);
    case Id::idelta: return last_two(false);
    case Id::changes:
      return count_pairs([](double a, double b) { return a != b && !(std::isnan(a) && std::isnan(b)); });
    case Id::resets: return count_pairs([](double a, double b) { return b < a; });
    case Id::deriv: return two ? std::optional(plain_line(s, s[0].first).first) : std::nullopt;
    case Id::predict_linear: {
      if (!two) return std::nullopt;
      const auto [slope, value] = plain_line(s, w.now);
      return slope * scalars[0] + value;
    }
    case Id::count_over_time: return static_cast<double>(s.size());
    case Id::present_over_time: return 1;
    case Id::sum_over_time: return plain_sum(values);
    case Id::avg_over_time: return plain_sum(values) / static_cast<double>(s.size());
    case Id::min_over_time: return plain_best(values, std::less<>());
    case Id::max_over_time: return plain_best(values, std::greater<>());
    case Id::last_over_time: return values.back();
    case Id::first_over_time: return values[0];
    case Id::stdvar_over_time: return plain_variance(values);
    case Id::stddev_over_time: return std::sqrt(plain_variance(values));
    case Id::quantile_over_time: return plain_quantile(scalars[0], values);
    case Id::mad_over_time: return plain_median_distance(values);
    case Id::double_exponential_smoothing:
      return two ? std::optional(plain_smoothed(s, scalars[0], scalars[1])) : std::nullopt;
    case Id::ts_of_first_over_time: return static_cast<double>(s[0].first) / 1000;
    case Id::ts_of_last_over_time: return static_cast<double>(s.back().first) / 1000;
    case Id::ts_of_min_over_time: return plain_time_of_best(s, std::less_equal<>());
    case Id::ts_of_max_over_time: return plain_time_of_best(s, std::greater_equal<>());
    default: return std::nullopt;
  }
}

}  // namespace varve::language::testing
