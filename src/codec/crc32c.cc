// SPDX-License-Identifier: Apache-2.0
#include "codec/crc32c.h"

#include <array>

#include "base/bytes.h"

#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

namespace varve::codec {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;

constexpr auto kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}();

std::uint32_t by_table(const std::byte* at, std::size_t n, std::uint32_t crc) {
  for (; n > 0; --n, ++at) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<std::uint32_t>(*at)) & 0xff];
  return crc;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed) {
  const std::byte* at = bytes.data();
  std::size_t n = bytes.size();
  std::uint32_t crc = ~seed;
#ifdef __SSE4_2__
  std::uint64_t wide = crc;
  for (; n >= 8; n -= 8, at += 8) wide = _mm_crc32_u64(wide, load_le<std::uint64_t>(at));
  crc = static_cast<std::uint32_t>(wide);
#endif
  return ~by_table(at, n, crc);
}

}  // namespace varve::codec
