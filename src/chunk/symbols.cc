// SPDX-License-Identifier: Apache-2.0
// Each pass is a loop the compiler can turn into vector code.
#include "chunk/symbols.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bytes.h"
#include "chunk/vectors.h"

#ifdef __BMI2__
#include <immintrin.h>
#endif

namespace varve::chunk {
namespace {

void expand_bytes(const std::byte* symbols, std::size_t from, std::size_t n, std::uint64_t* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint64_t>(symbols[from + i]);
}

std::uint64_t low_nibble(std::byte two) { return static_cast<std::uint64_t>(two) & 15; }
std::uint64_t high_nibble(std::byte two) { return static_cast<std::uint64_t>(two) >> 4; }

void expand_nibbles(const std::byte* symbols, std::size_t from, std::size_t n, std::uint64_t* out) {
  symbols += from / 2;
  if (from % 2 != 0 && n != 0) {
    *out++ = high_nibble(*symbols++);
    --n;
  }
  // Sixteen at a time: each lane shifts its nibble down.
  const Lanes shifts = {0, 4, 8, 12};
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const Lanes word = Lanes{} + load_le<std::uint64_t>(symbols + i / 2);
    for (std::size_t k = 0; k < 16; k += 4) {
      const Lanes four = (word >> (shifts + 4 * k)) & 15;
      std::memcpy(out + i + k, &four, sizeof four);
    }
  }
  for (; i + 2 <= n; i += 2) {
    out[i] = low_nibble(symbols[i / 2]);
    out[i + 1] = high_nibble(symbols[i / 2]);
  }
  if (i < n) out[i] = low_nibble(symbols[i / 2]);
}

constexpr std::size_t kSummedAtOnce = 4096;
static_assert(kSummedAtOnce / 16 * 255 <= 65535, "a word holds the sum of what comes to it of so many bytes");

// Adds up bytes that are made of vectors of symbols, `bias` more than what they stand for.
template <unsigned bias, class Make>
std::uint64_t sum_of_vectors(const std::byte* symbols, std::size_t vectors, Make make) {
  std::uint64_t sum = 0;
  for (std::size_t done = 0; done < vectors;) {
    const std::size_t end = std::min(vectors, done + kSummedAtOnce / sizeof(Bytes32));
    Words16 words{};
    for (std::size_t i = done; i < end; ++i) {
      const auto made = std::bit_cast<Words16>(make(load_vector<Bytes32>(symbols + i * sizeof(Bytes32))));
      words += (made & 0xff) + (made >> 8);
    }
    for (std::size_t lane = 0; lane < 16; ++lane) sum += words[lane];
    sum -= (end - done) * sizeof(Bytes32) * bias;
    done = end;
  }
  return sum;
}

Bytes32 unzigzag_bytes(Bytes32 z) { return (z >> 1) ^ -(z & 1); }

SymbolSum sum_of_nibbles(const std::byte* symbols, std::size_t bytes, bool escapes) {
  SymbolSum sum;
  const std::size_t vectors = bytes / sizeof(Bytes32);
  sum.residuals = sum_of_vectors<16>(
      symbols, vectors, [](Bytes32 two) { return unzigzag_bytes(two & 15) + unzigzag_bytes(two >> 4) + 16; });
  if (escapes) {
    sum.escapes = sum_of_vectors<0>(symbols, vectors, [](Bytes32 two) {
      return std::bit_cast<Bytes32>(-((two & 15) == kNibbleEscape) - (two >> 4 == kNibbleEscape));
    });
  }
  for (std::size_t i = vectors * sizeof(Bytes32); i < bytes; ++i) {
    for (const std::uint64_t symbol : {low_nibble(symbols[i]), high_nibble(symbols[i])}) {
      sum.residuals += unzigzag_of(symbol);
      sum.escapes += symbol == kNibbleEscape ? 1 : 0;
    }
  }
  return sum;
}

SymbolSum sum_of_bytes(const std::byte* symbols, std::size_t bytes, bool escapes) {
  SymbolSum sum;
  const std::size_t vectors = bytes / sizeof(Bytes32);
  sum.residuals = sum_of_vectors<128>(symbols, vectors, [](Bytes32 z) { return unzigzag_bytes(z) + 128; });
  if (escapes) {
    sum.escapes =
        sum_of_vectors<0>(symbols, vectors, [](Bytes32 z) { return std::bit_cast<Bytes32>(-(z == kByteEscape)); });
  }
  for (std::size_t i = vectors * sizeof(Bytes32); i < bytes; ++i) {
    const auto symbol = static_cast<std::uint64_t>(symbols[i]);
    sum.residuals += unzigzag_of(symbol);
    sum.escapes += symbol == kByteEscape ? 1 : 0;
  }
  return sum;
}

std::uint64_t low_bits(const std::byte* low, unsigned shift, std::size_t i) {
  const std::size_t bit = i * shift;
  return load_le<std::uint64_t>(low + bit / 8) >> (bit & 7) & ((std::uint64_t{1} << shift) - 1);
}

constexpr std::size_t kSpreadAtOnce = 1024;

#ifdef __BMI2__
// Up to 8 bits: the bits of eight values begin at a whole byte, if i is a multiple of 8. They are spread to a byte each
// at once.
constexpr unsigned kSpreadShiftMax = 8;
void spread_low(const std::byte* low, unsigned shift, std::size_t i, std::uint8_t* bytes) {
  const std::uint64_t spread = ((std::uint64_t{1} << shift) - 1) * 0x0101010101010101;
  store_le(bytes, _pdep_u64(load_le<std::uint64_t>(low + i / 8 * shift), spread));
}
#else
constexpr unsigned kSpreadShiftMax = 0;
void spread_low(const std::byte*, unsigned, std::size_t, std::uint8_t*) {}
#endif

static_assert(kSpreadAtOnce / 16 * 255 <= 65535, "a word holds the sum of bytes of so many");

// The sum of the residuals of symbols whose low bits are a byte each; n is a multiple of 16, at most kSpreadAtOnce.
std::uint64_t sum_of_pairs(const std::byte* symbols, const std::uint8_t* low, unsigned shift, std::size_t n) {
  typedef std::int16_t SignedWords __attribute__((vector_size(32)));
  Words16 lower{};
  SignedWords upper{};
  for (std::size_t i = 0; i < n; i += 16) {
    const auto symbol = load_vector<Bytes16>(symbols + i);
    const auto below = load_vector<Bytes16>(low + i);
    const Words16 z = __builtin_convertvector(symbol, Words16) << shift | __builtin_convertvector(below, Words16);
    const Words16 residual = (z >> 1) ^ -(z & 1);
    lower += residual & 0xff;
    upper += std::bit_cast<SignedWords>(residual) >> 8;
  }
  std::int64_t sum = 0;
  for (std::size_t lane = 0; lane < 16; ++lane) sum += upper[lane] * 256 + lower[lane];
  return static_cast<std::uint64_t>(sum);
}

}  // namespace

void expand_symbols(unsigned symbol_class, const std::byte* symbols, std::size_t from, std::size_t n,
                    std::uint64_t* out) {
  if (is_nibble(symbol_class)) {
    expand_nibbles(symbols, from, n, out);
  } else {
    expand_bytes(symbols, from, n, out);
  }
}

void add_low(const std::byte* low, unsigned shift, std::size_t from, std::size_t n, std::uint64_t* out) {
  const auto add_one = [&](std::size_t i) { out[i] = out[i] << shift | low_bits(low, shift, from + i); };
  std::size_t i = 0;
  if (shift <= kSpreadShiftMax) {
    for (; i < n && (from + i) % 8 != 0; ++i) add_one(i);
    while (i + 8 <= n) {
      std::uint8_t bytes[kSpreadAtOnce];
      const std::size_t together = std::min(kSpreadAtOnce, (n - i) / 8 * 8);
      for (std::size_t k = 0; k < together; k += 8) spread_low(low, shift, from + i + k, bytes + k);
      for (std::size_t k = 0; k < together; ++k) out[i + k] = out[i + k] << shift | bytes[k];
      i += together;
    }
  }
  const std::uint64_t mask = (std::uint64_t{1} << shift) - 1;
  for (std::size_t bit = (from + i) * shift; i < n; ++i, bit += shift) {
    out[i] = out[i] << shift | (load_le<std::uint64_t>(low + bit / 8) >> (bit & 7) & mask);
  }
}

std::uint64_t sum_shifted(const std::byte* symbols, const std::byte* low, unsigned shift, std::size_t from,
                          std::size_t n) {
  std::uint64_t sum = 0;
  const auto add_one = [&](std::size_t i) {
    sum += unzigzag_of(static_cast<std::uint64_t>(symbols[i]) << shift | low_bits(low, shift, i));
  };
  std::size_t i = from;
  const std::size_t end = from + n;
  if (shift <= kSpreadShiftMax) {
    for (; i < end && i % 8 != 0; ++i) add_one(i);
    for (std::size_t together = 0; together = std::min(kSpreadAtOnce, (end - i) / 16 * 16), together != 0;
         i += together) {
      std::uint8_t bytes[kSpreadAtOnce];
      for (std::size_t k = 0; k < together; k += 8) spread_low(low, shift, i + k, bytes + k);
      sum += sum_of_pairs(symbols + i, bytes, shift, together);
    }
  }
  for (; i < end; ++i) add_one(i);
  return sum;
}

SymbolSum sum_symbols(unsigned symbol_class, const std::byte* symbols, bool escapes, std::size_t from, std::size_t n) {
  if (!is_nibble(symbol_class)) return sum_of_bytes(symbols + from, n, escapes);
  SymbolSum sum;
  const auto add_one = [&](std::uint64_t symbol) {
    sum.residuals += unzigzag_of(symbol);
    sum.escapes += symbol == kNibbleEscape ? 1 : 0;
  };
  symbols += from / 2;
  if (from % 2 != 0 && n != 0) {
    add_one(high_nibble(*symbols++));
    --n;
  }
  if (n % 2 != 0) add_one(low_nibble(symbols[n / 2]));
  const SymbolSum pairs = sum_of_nibbles(symbols, n / 2, escapes);
  return {sum.residuals + pairs.residuals, sum.escapes + pairs.escapes};
}

}  // namespace varve::chunk
