// SPDX-License-Identifier: Apache-2.0
#include "rollup/fold.h"

#include <cmath>

namespace varve::rollup {
namespace {

// Position behind the last sample before `end`. Samples mostly stand at even distances: a guess saves the search.
std::size_t end_of_window(std::span<const model::Timestamp> times, std::size_t first, model::Timestamp end) {
  std::size_t step = 16;
  std::size_t at = first + 1;
  while (at + step <= times.size() && times[at + step - 1] < end) at += step;
  while (at < times.size() && times[at] < end) ++at;
  return at;
}

struct Sums {
  double sum, min, max;
};

// Four lanes: a sum of doubles one after the other waits for each addition.
Sums sums_of(const double* v, std::size_t n) {
  typedef double Lanes __attribute__((vector_size(32), aligned(8)));
  Sums out{v[0], v[0], v[0]};
  std::size_t i = 1;
  if (n >= 8) {
    Lanes sum{};
    Lanes min;
    __builtin_memcpy(&min, v, sizeof min);
    Lanes max = min;
    for (i = 0; i + 4 <= n; i += 4) {
      Lanes x;
      __builtin_memcpy(&x, v + i, sizeof x);
      sum += x;
      min = x < min ? x : min;
      max = x > max ? x : max;
    }
    out = {(sum[0] + sum[1]) + (sum[2] + sum[3]), min[0], max[0]};
    for (int lane = 1; lane < 4; ++lane) {
      out.min = min[lane] < out.min ? min[lane] : out.min;
      out.max = max[lane] > out.max ? max[lane] : out.max;
    }
  }
  for (; i < n; ++i) {
    out.sum += v[i];
    out.min = v[i] < out.min ? v[i] : out.min;
    out.max = v[i] > out.max ? v[i] : out.max;
  }
  return out;
}

// The slow way, sample by sample, for a window with values that are no numbers.
void fold_finite(const Numbers& samples, std::size_t first, std::size_t end, Window window, Windows& out) {
  for (std::size_t i = first; i < end; ++i) {
    const double v = samples.values[i];
    if (!std::isfinite(v)) continue;
    const Window one{window.start, samples.times[i], samples.times[i], 1, v, v, v, {}};
    if (window.count == 0) {
      window = one;
    } else {
      combine(window, one);
    }
  }
  if (window.count > 0) out.push_back(window);
}

}  // namespace

void fold(const Numbers& samples, std::int64_t width_ms, Windows& out) {
  const std::size_t n = samples.times.size();
  for (std::size_t first = 0; first < n;) {
    const model::Timestamp start = model::window_start(samples.times[first], width_ms);
    const std::size_t end = end_of_window(samples.times, first, start + width_ms);
    const Sums s = sums_of(samples.values.data() + first, end - first);
    Window window{start, samples.times[first], samples.times[end - 1], end - first, s.sum, s.min, s.max, {}};
    // NaN hides in comparisons but not in a sum; so does infinity. A finite window may overflow its sum: that stays.
    if (std::isfinite(s.sum)) {
      out.push_back(window);
    } else {
      window.count = 0;
      fold_finite(samples, first, end, window, out);
    }
    first = end;
  }
}

void fold(const Texts& samples, std::int64_t width_ms, Windows& out) {
  for (std::size_t i = 0; i < samples.times.size(); ++i) {
    const model::Timestamp time = samples.times[i];
    const Window one{model::window_start(time, width_ms), time, time, 1, 0, 0, 0, samples.values[i]};
    if (!out.empty() && out.back().start == one.start) {
      combine(out.back(), one);
    } else {
      out.push_back(one);
    }
  }
}

}  // namespace varve::rollup
