// SPDX-License-Identifier: Apache-2.0
#include "chunk/decimals.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "model/row.h"

namespace varve::chunk {
namespace {

using model::kPowerOfTen;

constexpr unsigned kNone = model::kRowDecimalsMax + 1;
constexpr double kExactMax = 9007199254740992.0;  // 2^53

// Whether the double is mantissa / 10^decimals, bit for bit.
inline bool as_decimal(std::uint64_t bits, unsigned decimals, std::int64_t& mantissa) {
  const double scaled = std::bit_cast<double>(bits) * kPowerOfTen[decimals];
  if (!(std::fabs(scaled) < kExactMax)) return false;  // also NaN
  mantissa = static_cast<std::int64_t>(scaled + std::copysign(0.5, scaled));
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

}  // namespace

bool find_decimals(std::span<const std::uint64_t> bits, Decimals& out) {
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
