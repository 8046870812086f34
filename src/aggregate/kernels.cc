// SPDX-License-Identifier: Apache-2.0
// Vectors are GCC's and clang's own (vector_size): one source for AVX2 and NEON, no intrinsics.
#include "aggregate/kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace varve::aggregate {

namespace {

using Doubles = double __attribute__((vector_size(32)));
using Longs = std::int64_t __attribute__((vector_size(32)));
using Words = std::uint64_t __attribute__((vector_size(32)));  // sums that may wrap before that is noticed
__extension__ typedef __int128 Int128;                         // `using` would not be silent under -Wpedantic
constexpr std::size_t kLanes = 4;
constexpr std::size_t kUnroll = 4;  // hides the latency of an addition
constexpr std::size_t kStep = kLanes * kUnroll;

template <class V>
V load(const std::uint64_t* at) {
  V v;
  std::memcpy(&v, at, sizeof v);
  return v;
}

double double_at(const std::uint64_t* at) { return std::bit_cast<double>(*at); }
std::int64_t long_at(const std::uint64_t* at) { return std::bit_cast<std::int64_t>(*at); }

struct Least {
  template <class T>
  static T pick(T a, T b) {
    return b < a ? b : a;
  }
};
struct Greatest {
  template <class T>
  static T pick(T a, T b) {
    return b > a ? b : a;
  }
};

template <class Pick>
double extreme_of_doubles(std::span<const std::uint64_t> bits) {
  const std::uint64_t* at = bits.data();
  const std::uint64_t* const end = at + bits.size();
  double result = double_at(at);
  bool nan = false;
  if (bits.size() >= kStep) {
    Doubles best[kUnroll];
    Longs odd[kUnroll] = {};
    for (std::size_t u = 0; u < kUnroll; ++u) best[u] = load<Doubles>(at + u * kLanes);
    for (; end - at >= static_cast<std::ptrdiff_t>(kStep); at += kStep) {
      for (std::size_t u = 0; u < kUnroll; ++u) {
        const auto v = load<Doubles>(at + u * kLanes);
        best[u] = Pick::pick(best[u], v);
        odd[u] |= v != v;
      }
    }
    for (std::size_t u = 0; u < kUnroll; ++u) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        result = Pick::pick(result, best[u][lane]);
        nan |= odd[u][lane] != 0;
      }
    }
  }
  for (; at != end; ++at) {
    result = Pick::pick(result, double_at(at));
    nan |= std::isnan(double_at(at));
  }
  return nan ? std::numeric_limits<double>::quiet_NaN() : result;
}

template <class Pick>
std::int64_t extreme_of_longs(std::span<const std::uint64_t> bits) {
  const std::uint64_t* at = bits.data();
  const std::uint64_t* const end = at + bits.size();
  std::int64_t result = long_at(at);
  if (bits.size() >= kStep) {
    Longs best[kUnroll];
    for (std::size_t u = 0; u < kUnroll; ++u) best[u] = load<Longs>(at + u * kLanes);
    for (; end - at >= static_cast<std::ptrdiff_t>(kStep); at += kStep) {
      for (std::size_t u = 0; u < kUnroll; ++u) best[u] = Pick::pick(best[u], load<Longs>(at + u * kLanes));
    }
    for (const Longs& b : best) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) result = Pick::pick(result, static_cast<std::int64_t>(b[lane]));
    }
  }
  for (; at != end; ++at) result = Pick::pick(result, long_at(at));
  return result;
}

double slow_sum_of_longs(std::span<const std::uint64_t> bits) {
  Int128 sum = 0;
  for (const std::uint64_t b : bits) sum += std::bit_cast<std::int64_t>(b);
  return static_cast<double>(sum);
}

Doubles doubles_of(Doubles v) { return v; }
Doubles doubles_of(Longs v) { return __builtin_convertvector(v, Doubles); }
double value_of(const std::uint64_t* at, Doubles /*of its kind*/) { return double_at(at); }
double value_of(const std::uint64_t* at, Longs /*of its kind*/) { return static_cast<double>(long_at(at)); }

template <class V>
double squares_of(std::span<const std::uint64_t> bits, double mean) {
  const std::uint64_t* at = bits.data();
  const std::uint64_t* const end = at + bits.size();
  double sum = 0;
  if (bits.size() >= kStep) {
    Doubles sums[kUnroll] = {};
    for (; end - at >= static_cast<std::ptrdiff_t>(kStep); at += kStep) {
      for (std::size_t u = 0; u < kUnroll; ++u) {
        const Doubles off = doubles_of(load<V>(at + u * kLanes)) - mean;
        sums[u] += off * off;
      }
    }
    const Doubles all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    sum = (all[0] + all[1]) + (all[2] + all[3]);
  }
  for (; at != end; ++at) {
    const double off = value_of(at, V{}) - mean;
    sum += off * off;
  }
  return sum;
}

}  // namespace

double sum_of_doubles(std::span<const std::uint64_t> bits) {
  const std::uint64_t* at = bits.data();
  const std::uint64_t* const end = at + bits.size();
  double sum = 0;
  if (bits.size() >= 2 * kStep) {
    Doubles sums[kUnroll] = {};
    for (; end - at >= static_cast<std::ptrdiff_t>(kStep); at += kStep) {
      for (std::size_t u = 0; u < kUnroll; ++u) sums[u] += load<Doubles>(at + u * kLanes);
    }
    const Doubles all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    sum = (all[0] + all[1]) + (all[2] + all[3]);
  }
  for (; at != end; ++at) sum += double_at(at);
  return sum;
}

double sum_of_longs(std::span<const std::uint64_t> bits) {
  // In chunks of 2^12 values: if none is further than 2^51 from zero, no lane can overflow.
  constexpr std::size_t kChunk = std::size_t{1} << 12;
  Int128 total = 0;
  for (std::size_t from = 0; from < bits.size(); from += kChunk) {
    const auto chunk = bits.subspan(from, std::min(kChunk, bits.size() - from));
    const std::uint64_t* at = chunk.data();
    const std::uint64_t* const end = at + chunk.size();
    Words sums[kUnroll] = {};
    Longs large = {};
    for (; end - at >= static_cast<std::ptrdiff_t>(kStep); at += kStep) {
      for (std::size_t u = 0; u < kUnroll; ++u) {
        const auto v = load<Longs>(at + u * kLanes);
        sums[u] += load<Words>(at + u * kLanes);
        large |= (v < 0) ^ v;  // v, or its complement if negative: high bits tell the magnitude
      }
    }
    if ((static_cast<std::uint64_t>(large[0] | large[1] | large[2] | large[3]) >> 51) != 0) [[unlikely]] {
      return slow_sum_of_longs(bits);
    }
    const Words all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (std::size_t lane = 0; lane < kLanes; ++lane) total += static_cast<std::int64_t>(all[lane]);
    for (; at != end; ++at) total += long_at(at);
  }
  return static_cast<double>(total);
}

double min_of_doubles(std::span<const std::uint64_t> bits) { return extreme_of_doubles<Least>(bits); }
double max_of_doubles(std::span<const std::uint64_t> bits) { return extreme_of_doubles<Greatest>(bits); }
std::int64_t min_of_longs(std::span<const std::uint64_t> bits) { return extreme_of_longs<Least>(bits); }
std::int64_t max_of_longs(std::span<const std::uint64_t> bits) { return extreme_of_longs<Greatest>(bits); }

double squares_of_doubles(std::span<const std::uint64_t> bits, double mean) { return squares_of<Doubles>(bits, mean); }
double squares_of_longs(std::span<const std::uint64_t> bits, double mean) { return squares_of<Longs>(bits, mean); }

}  // namespace varve::aggregate
