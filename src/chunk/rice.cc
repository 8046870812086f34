// SPDX-License-Identifier: Apache-2.0
#include "chunk/rice.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/check.h"

namespace varve::chunk {
namespace {

// The first byte: this bit, which is 0 in the first byte of each frame of zstd's, and k.
constexpr unsigned kMark = 0x08;
constexpr unsigned kParameterMax = 7;
// A whole code fits into what one load of eight bytes has from any bit of its first byte on: 57 bits.
constexpr unsigned kQuotientMax = 40;
static_assert(kQuotientMax + 1 + kParameterMax <= 57, "a whole code fits into one load");
static_assert(255U >> kParameterMax <= kQuotientMax, "some k does for every byte");

unsigned to_unsigned(std::byte b) { return static_cast<unsigned>(b); }

std::size_t quotients(std::span<const std::byte> symbols, unsigned k) {
  std::uint32_t sum = 0;
  for (const std::byte s : symbols) sum += to_unsigned(s) >> k;
  return sum;
}

// Eight bytes from `at` on, with 0 for those behind the end.
std::uint64_t load(std::span<const std::byte> bytes, std::size_t at) {
  if (at + 8 <= bytes.size()) [[likely]]
    return load_le<std::uint64_t>(bytes.data() + at);
  std::byte rest[8] = {};
  if (at < bytes.size()) std::memcpy(rest, bytes.data() + at, bytes.size() - at);
  return load_le<std::uint64_t>(rest);
}

}  // namespace

RicePlan plan_rice(std::span<const std::byte> symbols) {
  check(!symbols.empty() && symbols.size() <= kRiceSymbolsMax, "a plan is for a short frame");
  const unsigned greatest = to_unsigned(*std::max_element(symbols.begin(), symbols.end()));
  RicePlan best;
  std::size_t best_bits = SIZE_MAX;
  for (unsigned k = 0; k <= kParameterMax; ++k) {
    if (greatest >> k > kQuotientMax) continue;
    const std::size_t bits = symbols.size() * (k + 1) + quotients(symbols, k);
    if (bits >= best_bits) continue;
    best_bits = bits;
    best = {k, 1 + (bits + 7) / 8};
  }
  return best;
}

void write_rice(const RicePlan& plan, std::span<const std::byte> symbols, Bytes& out) {
  check(plan.k <= kParameterMax, "the parameter has three bits");
  std::byte* at = out.reserve(plan.bytes + 8);  // whole words are stored
  const std::byte* const end = at + plan.bytes;
  *at++ = static_cast<std::byte>(kMark | plan.k);
  std::uint64_t bits = 0;
  unsigned filled = 0;
  for (const std::byte symbol : symbols) {
    const unsigned s = to_unsigned(symbol);
    const unsigned quotient = s >> plan.k;
    const std::uint64_t low = s & ((1U << plan.k) - 1);
    bits |= (std::uint64_t{1} << quotient | low << (quotient + 1)) << filled;
    filled += quotient + 1 + plan.k;
    store_le(at, bits);
    at += filled / 8;
    bits >>= filled / 8 * 8;
    filled %= 8;
  }
  check(at + (filled > 0 ? 1 : 0) == end, "codes are as long as planned");
  out.advance(plan.bytes);
}

bool is_rice(std::span<const std::byte> coded) {
  return !coded.empty() && (to_unsigned(coded[0]) & ~kParameterMax) == kMark;
}

bool read_rice(std::span<const std::byte> coded, std::span<std::byte> out) {
  if (!is_rice(coded)) return false;
  const unsigned k = to_unsigned(coded[0]) & kParameterMax;
  const auto bits = coded.subspan(1);
  const std::uint64_t mask = (1U << k) - 1;
  std::size_t at = 0;  // bit
  for (std::byte& symbol : out) {
    const std::uint64_t word = load(bits, at / 8) >> (at % 8);
    const auto quotient = static_cast<unsigned>(std::countr_zero(word));
    if (quotient > kQuotientMax) return false;
    const std::uint64_t s = std::uint64_t{quotient} << k | (word >> (quotient + 1) & mask);
    if (s > 255) return false;
    symbol = static_cast<std::byte>(s);
    at += quotient + 1 + k;
  }
  return (at + 7) / 8 == bits.size();
}

}  // namespace varve::chunk
