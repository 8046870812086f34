// SPDX-License-Identifier: Apache-2.0
#include "chunk/decimals.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "model/row.h"

namespace varve::chunk {
namespace {

using model::kPowerOfTen;

constexpr unsigned kNone = model::kRowDecimalsMax + 1;
constexpr double kExactMax = 9007199254740992.0;  // 2^53

// Whether the double is mantissa / 10^decimals, bit for bit.
inline bool as_decimal(std::uint64_t bits, unsigned decimals, std::int64_t& mantissa) {
  if (decimals == 0) {
    const auto value = std::bit_cast<double>(bits);
    if (!(std::fabs(value) < kExactMax)) return false;
    mantissa = static_cast<std::int64_t>(value);
    return std::bit_cast<std::uint64_t>(static_cast<double>(mantissa)) == bits;
  }
  const double scaled = std::bit_cast<double>(bits) * kPowerOfTen[decimals];
  if (!(std::fabs(scaled) < kExactMax)) return false;  // also NaN
  mantissa = static_cast<std::int64_t>(std::rint(scaled));
  return std::bit_cast<std::uint64_t>(static_cast<double>(mantissa) / kPowerOfTen[decimals]) == bits;
}

unsigned places_of(std::uint64_t bits) {
  std::int64_t mantissa = 0;
  for (unsigned d = 0; d < kNone; ++d) {
    if (as_decimal(bits, d, mantissa)) return d;
  }
  return kNone;
}

// The fewest places that do for 15 of 16 among some values, or kNone.
unsigned usual_places(std::span<const std::uint64_t> bits) {
  std::array<unsigned, kNone + 1> seen{};
  const std::size_t n = std::min<std::size_t>(bits.size(), 32);
  for (std::size_t i = 0; i < n; ++i) ++seen[places_of(bits[i * bits.size() / n])];
  std::size_t fit = 0;
  for (unsigned d = 0; d < kNone; ++d) {
    fit += seen[d];
    if (fit * 16 >= n * 15) return d;
  }
  return kNone;
}

// The double of a signed number, as the processor would convert it, in steps that vector units without such an
// instruction have: its halves become the low bits of 2^52 and of 2^84, which are taken off again.
inline double double_of(std::uint64_t v) {
  const auto low = std::bit_cast<double>((v & 0xffffffff) | 0x4330000000000000);
  const auto high = std::bit_cast<double>((v >> 32) ^ 0x4530000080000000);
  return (high - (0x1p84 + 0x1p63 + 0x1p52)) + low;
}

#ifdef __FMA__
// a / b, correctly rounded, for b = 10^decimals and its rounded reciprocal: twice as fast as division. The first step
// gives the last place but one, the second a neighbour of the quotient, and from a neighbour the remainder, which is
// exact, leads to the nearest (Markstein 1990; nothing here is near the smallest or the largest doubles).
inline double divide(double a, double b, double reciprocal) {
  const double about = a * reciprocal;
  const double close = std::fma(std::fma(-b, about, a), reciprocal, about);
  return std::fma(std::fma(-b, close, a), reciprocal, close);
}
#else
inline double divide(double a, double b, double) { return a / b; }
#endif

}  // namespace

void to_doubles(std::span<std::uint64_t> values, unsigned decimals) {
  if (decimals == 0) {
    for (std::uint64_t& v : values) v = std::bit_cast<std::uint64_t>(double_of(v));
    return;
  }
  const double power = kPowerOfTen[decimals];
  const double reciprocal = 1 / power;
  for (std::uint64_t& v : values) v = std::bit_cast<std::uint64_t>(divide(double_of(v), power, reciprocal));
}

bool find_decimals(std::span<const std::uint64_t> bits, Decimals& out) {
  check(!bits.empty(), "decimals are looked for among some doubles");
  out.mantissas.resize(bits.size());
  for (unsigned d = usual_places(bits); d < kNone;) {
    out.decimals = d;
    out.patches.clear();
    unsigned more = 0;  // most places among those that do not fit
    std::int64_t before = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      std::int64_t mantissa = 0;
      if (!as_decimal(bits[i], d, mantissa)) [[unlikely]] {
        mantissa = before;
        out.patches.push_back(static_cast<std::uint32_t>(i));
        if (out.patches.size() * 16 > bits.size()) break;
      }
      before = mantissa;
      out.mantissas[i] = mantissa;
    }
    if (out.patches.size() * 16 <= bits.size()) return true;
    // The sample missed some: once more with the places that they need.
    for (const std::uint32_t i : out.patches) {
      if (const unsigned places = places_of(bits[i]); places != kNone) more = std::max(more, places);
    }
    if (more <= d) return false;
    d = more;
  }
  return false;
}

}  // namespace varve::chunk
