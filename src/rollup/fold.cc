// SPDX-License-Identifier: Apache-2.0
#include "rollup/fold.h"

#include <cmath>

#include "base/check.h"

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
  // Loaded through a pointer: memcpy would go by way of the stack, in halves.
  typedef double Lanes __attribute__((vector_size(32), aligned(8), may_alias));
  const auto load = [](const double* from) { return *reinterpret_cast<const Lanes*>(from); };
  Sums out{v[0], v[0], v[0]};
  std::size_t i = 1;
  if (n >= 8) {
    Lanes sum{};
    Lanes min = load(v);
    Lanes max = min;
    for (i = 0; i + 4 <= n; i += 4) {
      const Lanes x = load(v + i);
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
  PartPool no_texts;
  for (std::size_t i = first; i < end; ++i) {
    const double v = samples.values[i];
    if (!std::isfinite(v)) continue;
    combine(window, {window.start, samples.times[i], samples.times[i], 1, v, v, v, nullptr}, no_texts);
  }
  if (window.count > 0) out.push_back(window);
}

}  // namespace

void cut(std::span<const model::Timestamp> times, std::int64_t width_ms, std::vector<Cut>& out) {
  check(width_ms > 0, "a window has a width");
  out.clear();
  for (std::size_t first = 0; first < times.size();) {
    const model::Timestamp start = model::window_start(times[first], width_ms);
    const std::size_t end = end_of_window(times, first, start + width_ms);
    out.push_back({start, first, end});
    first = end;
  }
}

void fold(const Numbers& samples, std::span<const Cut> cuts, Windows& out) {
  check(samples.times.size() == samples.values.size(), "a number has a time");
  check((cuts.empty() ? 0 : cuts.back().end) == samples.times.size(), "cuts are of these times");
  for (const Cut& c : cuts) {
    if (c.end == c.first + 1) {
      const double v = samples.values[c.first];
      const model::Timestamp time = samples.times[c.first];
      if (std::isfinite(v)) out.push_back({c.start, time, time, 1, v, v, v, nullptr});
      continue;
    }
    const Sums s = sums_of(samples.values.data() + c.first, c.end - c.first);
    Window window{c.start, samples.times[c.first], samples.times[c.end - 1], c.end - c.first, s.sum, s.min, s.max,
                  nullptr};
    // NaN hides in comparisons but not in a sum; so does infinity. A finite window may overflow its sum: that stays.
    if (std::isfinite(s.sum)) {
      out.push_back(window);
    } else {
      window.count = 0;
      fold_finite(samples, c.first, c.end, window, out);
    }
  }
}

void fold(const Texts& samples, std::int64_t width_ms, Windows& out, PartPool& texts) {
  check(samples.times.size() == samples.values.size() && samples.times.size() == samples.types.size() && width_ms > 0,
        "a text has a time and a type, and a window a width");
  TextSum sum;
  for (std::size_t first = 0; first < samples.times.size();) {
    const model::Timestamp start = model::window_start(samples.times[first], width_ms);
    const std::size_t end = end_of_window(samples.times, first, start + width_ms);
    for (std::size_t i = first; i < end; ++i) sum.add(samples.times[i], samples.values[i], samples.types[i]);
    out.push_back({start, samples.times[first], samples.times[end - 1], end - first, 0, 0, 0, sum.take(texts)});
    first = end;
  }
}

}  // namespace varve::rollup
