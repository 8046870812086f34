// SPDX-License-Identifier: Apache-2.0
#include "chunk/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "chunk/format.h"

namespace varve::chunk {
namespace {

using Values = std::span<const std::int64_t>;

// Long sequences are judged by three stretches of this many values.
constexpr std::size_t kStretch = 64;

template <unsigned order>
std::uint64_t lengths(const std::int64_t* v, std::size_t first, std::size_t last, std::uint64_t base) {
  std::uint64_t sum = 0;
  for (std::size_t i = first; i < last; ++i) {
    sum += static_cast<std::uint64_t>(std::bit_width(zigzag_of(residual<order>(v, i, base))));
  }
  return sum;
}

// Mean length of the residuals in bits.
template <unsigned order>
double mean_length(Values v, std::uint64_t base) {
  const std::size_t n = v.size();
  if (n <= order) return 0;
  if (n <= 3 * kStretch + order) {
    return static_cast<double>(lengths<order>(v.data(), order, n, base)) / static_cast<double>(n - order);
  }
  std::uint64_t sum = 0;
  for (const std::size_t first : {std::size_t{order}, (n - kStretch) / 2, n - kStretch}) {
    sum += lengths<order>(v.data(), first, first + kStretch, base);
  }
  return static_cast<double>(sum) / (3.0 * kStretch);
}

std::int64_t median_of_some(Values v) {
  std::array<std::int64_t, 15> some{};
  const std::size_t n = std::min(v.size(), some.size());
  for (std::size_t i = 0; i < n; ++i) some[i] = v[i * v.size() / n];
  std::nth_element(some.begin(), some.begin() + n / 2, some.begin() + n);
  return some[n / 2];
}

// Rounded mean; wrapped where the values leave 63 bits, which only costs bytes.
std::uint64_t mean_of(Values v, std::int64_t least) {
  std::uint64_t sum = 0;
  for (const std::int64_t x : v) sum += static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(least);
  return static_cast<std::uint64_t>(least) + (sum + v.size() / 2) / v.size();
}

std::uint64_t mean_step(Values v) {
  const auto way =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(v.back()) - static_cast<std::uint64_t>(v.front()));
  const auto steps = static_cast<std::int64_t>(v.size()) - 1;
  const std::int64_t whole = way / steps;
  const std::int64_t rest = way % steps;
  return static_cast<std::uint64_t>(whole + (rest * 2 > steps ? 1 : 0) - (rest * 2 < -steps ? 1 : 0));
}

struct Cost {
  double sparse_bits = 0;
  double dense_bits = 0;
};

// Of a plan with short residuals, exactly: Huffman codes cannot tell how rare the other ones are, a list can.
template <unsigned order>
Cost exact_cost(Values v, std::uint64_t base) {
  std::size_t others = 0;
  std::size_t length_bits = 0;
  std::size_t list_bytes = 0;
  std::size_t listed = order;  // end of the residual listed last
  for (std::size_t i = order; i < v.size(); ++i) {
    const std::uint64_t z = zigzag_of(residual<order>(v.data(), i, base));
    if (z == 0) continue;
    const auto width = static_cast<std::size_t>(std::bit_width(z));
    ++others;
    length_bits += width;
    list_bytes += (width + 6) / 7 + (i - listed < 128 ? 1 : 2);
    listed = i + 1;
  }
  const auto n = static_cast<double>(residuals(v.size(), order));
  if (others == 0) return {0, n};
  const double p = static_cast<double>(others) / n;
  const double entropy = p < 1 ? -p * std::log2(p) - (1 - p) * std::log2(1 - p) : 0;
  return {8.0 + 8.0 * static_cast<double>(list_bytes), n * std::max(0.52, entropy) + static_cast<double>(length_bits)};
}

// Thresholds of mean length in bits; found on the data sets of block_bench.cc.
constexpr double kClassBelow[kShiftedFrom] = {0.3, 0.6, 0.9, 1.4, 2.0, 2.75, 3.5, 4.25, 5.0};

void choose_class(Plan& plan, double length) {
  for (unsigned c = 0; c < kShiftedFrom; ++c) {
    if (length < kClassBelow[c]) {
      plan.symbol_class = c;
      plan.shift = 0;
      return;
    }
  }
  // Keeps the symbol's own length between 4 and 5 bits: fine enough for the shape, small enough for a short table.
  const auto whole = static_cast<unsigned>(length);
  plan.shift = std::min(whole - 4, kShiftMax);
  plan.symbol_class = length - whole < 0.5 ? kShiftedFrom : kShiftedFrom + 1;
}

Cost exact_cost(Values v, const Plan& plan) {
  switch (plan.order) {
    case 0: return exact_cost<0>(v, plan.base);
    case 1: return exact_cost<1>(v, plan.base);
    default: return exact_cost<2>(v, plan.base);
  }
}

}  // namespace

Range range_of(Values values) {
  std::int64_t min = values[0];
  std::int64_t max = values[0];
  for (const std::int64_t x : values) {
    min = x < min ? x : min;
    max = x > max ? x : max;
  }
  return {min, max};
}

Plan make_plan(Values v, Range range) {
  Plan best;
  best.base = static_cast<std::uint64_t>(range.min);
  best.sparse = true;
  if (range.min == range.max) return best;

  // Order 1 without a base comes first: what looks flat in all stretches is a line of steps rather than of peaks.
  double length = mean_length<1>(v, 0);
  best = {.order = 1, .base = 0};
  const auto consider = [&](unsigned order, std::uint64_t base, double mean) {
    if (mean >= length) return;
    length = mean;
    best.order = order;
    best.base = base;
  };
  if (const std::uint64_t step = mean_step(v); step != 0) consider(1, step, mean_length<1>(v, step));
  const auto median = static_cast<std::uint64_t>(median_of_some(v));
  consider(0, median, mean_length<0>(v, median));
  if (const std::uint64_t mean = mean_of(v, range.min); mean != median) consider(0, mean, mean_length<0>(v, mean));
  if (v.size() > 3) consider(2, 0, mean_length<2>(v, 0));

  choose_class(best, length);
  best.bits = static_cast<double>(residuals(v.size(), best.order)) * (length + 1.2);
  if (length < 1 || v.size() < 16) {
    const Cost cost = exact_cost(v, best);
    best.sparse = cost.sparse_bits < cost.dense_bits;
    best.bits = std::min(cost.sparse_bits, cost.dense_bits);
  }
  return best;
}

}  // namespace varve::chunk
