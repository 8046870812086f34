// SPDX-License-Identifier: Apache-2.0
#include "chunk/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

#include "base/check.h"
#include "chunk/format.h"
#include "chunk/vectors.h"

namespace varve::chunk {
namespace {

using Values = std::span<const std::int64_t>;

// Long sequences are judged by three stretches of this many values.
constexpr std::size_t kStretch = 64;
// Up to here differences of order 2, zigzagged, fit 31 bits, and eight of them a vector.
constexpr std::uint64_t kNarrow = std::uint64_t{1} << 28;
static_assert(kNarrow * 8 <= std::uint64_t{1} << 31, "a zigzagged difference of order 2 fits 31 bits");
constexpr unsigned kFraction = 10;

// About log2(1 + zigzag) with kFraction binary places: the bits of a floating-point number read as its logarithm.
inline std::int32_t length_of(std::int32_t r) {
  const std::int32_t z = static_cast<std::int32_t>(static_cast<std::uint32_t>(r) << 1) ^ (r >> 31);
  return (std::bit_cast<std::int32_t>(static_cast<float>(z + 1)) - (127 << 23)) >> (23 - kFraction);
}
inline std::int64_t length_of(std::int64_t r) {
  const double z = static_cast<double>(zigzag_of(static_cast<std::uint64_t>(r)));
  return (std::bit_cast<std::int64_t>(z + 1) - (1023LL << 52)) >> (52 - kFraction);
}

// The stretches, counted from the least value. Each has two values in front, so that differences have somewhere to
// start.
template <class Int>
class Sample {
 public:
  Sample(Values v, std::int64_t least) : least_(least) {
    if (v.size() <= 3 * kStretch + 2) {
      add(v, 0, v.size());
      return;
    }
    add(v, 0, kStretch + 2);
    add(v, v.size() / 2, kStretch + 2);
    add(v, v.size() - kStretch - 2, kStretch + 2);
  }

  // Mean length of the residuals in bits.
  template <unsigned order>
  [[nodiscard]] double mean_length(std::uint64_t base) const {
    const auto less = static_cast<Int>(base - (order == 0 ? static_cast<std::uint64_t>(least_) : 0));
    Int sum = 0;
    std::size_t count = 0;
    for (std::size_t s = 0; s < stretches_; ++s) {
      const Int* const at = values_.data() + starts_[s] + 2;
      const std::size_t n = starts_[s + 1] - starts_[s] - 2;
      for (std::size_t i = 0; i < n; ++i) sum += length_of(residual_at<order>(at + i, less));
      count += n;
    }
    return static_cast<double>(sum) / static_cast<double>(count << kFraction);
  }

 private:
  template <unsigned order>
  static Int residual_at(const Int* v, Int less) {
    using Unsigned = std::make_unsigned_t<Int>;
    const auto u = [v](std::ptrdiff_t i) { return static_cast<Unsigned>(v[i]); };
    if constexpr (order == 0) return static_cast<Int>(u(0) - static_cast<Unsigned>(less));
    if constexpr (order == 1) return static_cast<Int>(u(0) - u(-1) - static_cast<Unsigned>(less));
    if constexpr (order == 2) return static_cast<Int>(u(0) - 2 * u(-1) + u(-2));
  }

  void add(Values v, std::size_t first, std::size_t n) {
    Int* const to = values_.data() + starts_[stretches_];
    for (std::size_t i = 0; i < n; ++i) {
      to[i] = static_cast<Int>(static_cast<std::uint64_t>(v[first + i]) - static_cast<std::uint64_t>(least_));
    }
    starts_[stretches_ + 1] = starts_[stretches_] + n;
    ++stretches_;
  }

  std::int64_t least_;
  std::array<Int, 3 * (kStretch + 2)> values_;
  std::array<std::size_t, 4> starts_{};
  std::size_t stretches_ = 0;
};

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

// Only dense numbers carry statistics.
constexpr double kStatsBits = 16;

constexpr std::size_t kLanes = 4;

// Of kLanes residuals.
template <unsigned order>
bool are_zero(const std::int64_t* v, std::uint64_t base) {
  static_assert(kLanes * sizeof(*v) == sizeof(Lanes));
  Lanes r = load_vector<Lanes>(v) - base;
  if constexpr (order == 1) r -= load_vector<Lanes>(v - 1);
  if constexpr (order == 2) r += load_vector<Lanes>(v - 2) - 2 * load_vector<Lanes>(v - 1);
  return either(r) == 0;
}

// Of a plan with short residuals, exactly: Huffman codes cannot tell how rare the other ones are, a list can.
template <unsigned order>
Cost exact_cost(Values v, std::uint64_t base) {
  std::size_t others = 0;
  std::size_t length_bits = 0;
  std::size_t list_bytes = 0;
  std::size_t listed = order;  // end of the residual listed last
  for (std::size_t i = order; i < v.size(); ++i) {
    while (i + kLanes <= v.size() && are_zero<order>(v.data() + i, base)) i += kLanes;
    if (i == v.size()) break;
    const std::uint64_t z = zigzag_of(residual<order>(v.data(), i, base));
    if (z == 0) continue;
    const auto width = static_cast<std::size_t>(std::bit_width(z));
    ++others;
    length_bits += width;
    list_bytes += (width + 6) / 7 + (i - listed < 128 ? 1 : 2);
    listed = i + 1;
  }
  const auto n = static_cast<double>(residuals(v.size(), order));
  if (others == 0) return {0, kStatsBits + n};
  const double p = static_cast<double>(others) / n;
  const double entropy = p < 1 ? -p * std::log2(p) - (1 - p) * std::log2(1 - p) : 0;
  return {8.0 * static_cast<double>(list_bytes),
          kStatsBits + n * std::max(0.52, entropy) + static_cast<double>(length_bits)};
}

// Thresholds of mean length in bits; found on the data sets of block_bench.cc.
static_assert(kClasses == kShiftedFrom + 2, "two classes are of longer symbols");
constexpr double kClassBelow[kShiftedFrom] = {0.25, 0.5, 0.8, 1.15, 1.7, 2.4, 3.1, 3.8, 4.5};

void choose_class(Plan& plan, double length) {
  for (unsigned c = 0; c < kShiftedFrom; ++c) {
    if (length < kClassBelow[c]) {
      plan.symbol_class = c;
      plan.shift = 0;
      return;
    }
  }
  // Keeps the symbol's own length between 3.5 and 4.5 bits: fine enough for the shape, short enough for a small table.
  const double over = length - 3.5;
  const auto whole = static_cast<unsigned>(over);
  plan.shift = std::min(whole, kShiftMax);
  plan.symbol_class = over - whole < 0.5 ? kShiftedFrom : kShiftedFrom + 1;
}

Cost exact_cost(Values v, const Plan& plan) {
  switch (plan.order) {
    case 0: return exact_cost<0>(v, plan.base);
    case 1: return exact_cost<1>(v, plan.base);
    default: return exact_cost<2>(v, plan.base);
  }
}

// The cheapest order and base; returns its mean length. Takes v.size() > 2.
template <class Int>
double choose_order(Values v, Range range, Plan& best) {
  const Sample<Int> sample(v, range.min);
  // Order 1 without a base comes first: what looks flat in all stretches is a line of steps rather than of peaks.
  best = {.order = 1, .base = 0};
  double length = sample.template mean_length<1>(0);
  const auto consider = [&](unsigned order, std::uint64_t base, double mean) {
    if (mean >= length) return;
    length = mean;
    best.order = order;
    best.base = base;
  };
  if (const std::uint64_t step = mean_step(v); step != 0) consider(1, step, sample.template mean_length<1>(step));
  const auto median = static_cast<std::uint64_t>(median_of_some(v));
  consider(0, median, sample.template mean_length<0>(median));
  if (const std::uint64_t mean = mean_of(v, range.min); mean != median) {
    consider(0, mean, sample.template mean_length<0>(mean));
  }
  consider(2, 0, sample.template mean_length<2>(0));
  return length;
}

}  // namespace

// Four vectors of each at once: a minimum waits for the one before.
Range range_of(Values values) {
  check(!values.empty(), "a range is that of some values");
  typedef std::int64_t SignedLanes __attribute__((vector_size(32)));
  constexpr std::size_t kAtOnce = 4 * kLanes;
  std::int64_t min = values[0];
  std::int64_t max = values[0];
  std::size_t i = 0;
  if (values.size() >= 2 * kAtOnce) {
    const SignedLanes first = SignedLanes{} + min;
    SignedLanes least[4] = {first, first, first, first};
    SignedLanes most[4] = {least[0], least[0], least[0], least[0]};
    for (; i + kAtOnce <= values.size(); i += kAtOnce) {
      for (std::size_t k = 0; k < 4; ++k) {
        const auto x = load_vector<SignedLanes>(&values[i + k * kLanes]);
        least[k] = x < least[k] ? x : least[k];
        most[k] = x > most[k] ? x : most[k];
      }
    }
    for (std::size_t k = 0; k < kAtOnce; ++k) {
      min = std::min<std::int64_t>(min, least[k / kLanes][k % kLanes]);
      max = std::max<std::int64_t>(max, most[k / kLanes][k % kLanes]);
    }
  }
  for (; i < values.size(); ++i) {
    min = std::min(min, values[i]);
    max = std::max(max, values[i]);
  }
  return {min, max};
}

Plan make_plan(Values v, Range range) {
  check(!v.empty() && range.min <= range.max, "a plan is for some values in their range");
  Plan best;
  best.base = static_cast<std::uint64_t>(range.min);
  best.sparse = true;
  if (range.min == range.max) return best;
  if (v.size() == 2) return {.order = 1, .base = mean_step(v), .sparse = true};

  const std::uint64_t width = static_cast<std::uint64_t>(range.max) - static_cast<std::uint64_t>(range.min);
  const double length =
      width < kNarrow ? choose_order<std::int32_t>(v, range, best) : choose_order<std::int64_t>(v, range, best);
  choose_class(best, length);
  check(best.symbol_class < kClasses && best.shift <= kShiftMax, "a plan names a class, and a shift within a word");
  best.bits = static_cast<double>(residuals(v.size(), best.order)) * (length + 1.5);
  if (length < 0.6 || v.size() < 16) {
    const Cost cost = exact_cost(v, best);
    best.sparse = cost.sparse_bits < cost.dense_bits;
    best.bits = std::min(cost.sparse_bits, cost.dense_bits);
  }
  return best;
}

}  // namespace varve::chunk
