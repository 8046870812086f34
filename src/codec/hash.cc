// SPDX-License-Identifier: Apache-2.0
#include "codec/hash.h"

#include <bit>

#define XXH_INLINE_ALL  // with our own -march: the library of the distribution is built for the oldest processor
#include <xxhash.h>

#include "base/bytes.h"
#include "base/random.h"

namespace varve::codec {
namespace {

constexpr std::uint64_t kC1 = 0x87c37b91114253d5;
constexpr std::uint64_t kC2 = 0x4cf5ad432745937f;

std::uint64_t mix_k1(std::uint64_t k) { return std::rotl(k * kC1, 31) * kC2; }
std::uint64_t mix_k2(std::uint64_t k) { return std::rotl(k * kC2, 33) * kC1; }

std::uint64_t finish(std::uint64_t h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}

// 1 … 8 bytes. Loads that overlap instead of one for each byte.
std::uint64_t load_tail(const char* at, std::size_t n) {
  if (n >= 4) return load_le<std::uint32_t>(at) | std::uint64_t{load_le<std::uint32_t>(at + n - 4)} << (8 * (n - 4));
  const auto byte = [at](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i); };
  return byte(0) | byte(n / 2) | byte(n - 1);
}

}  // namespace

std::array<std::uint64_t, 2> murmur3_128(std::string_view bytes, std::uint32_t seed) {
  std::uint64_t h1 = seed;
  std::uint64_t h2 = seed;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 16; left -= 16, at += 16) {
    h1 ^= mix_k1(load_le<std::uint64_t>(at));
    h1 = (std::rotl(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= mix_k2(load_le<std::uint64_t>(at + 8));
    h2 = (std::rotl(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  if (left > 8) h2 ^= mix_k2(load_tail(at + 8, left - 8));
  if (left > 0) h1 ^= mix_k1(load_tail(at, left < 8 ? left : 8));
  h1 ^= bytes.size();
  h2 ^= bytes.size();
  h1 += h2;
  h2 += h1;
  h1 = finish(h1);
  h2 = finish(h2);
  h1 += h2;
  h2 += h1;
  return {h1, h2};
}

Hash128 hash128(std::string_view bytes) {
  // The seed keys short inputs, the secret made of it long ones.
  struct Key {
    std::uint64_t seed;
    unsigned char secret[XXH3_SECRET_DEFAULT_SIZE];
    Key() {
      seed = random_number();
      XXH3_generateSecret_fromSeed(secret, seed);
    }
  };
  static const Key key;
  const auto h = XXH3_128bits_withSecretandSeed(bytes.data(), bytes.size(), key.secret, sizeof key.secret, key.seed);
  return {h.low64, h.high64};
}

std::uint64_t xxh64(std::string_view bytes) { return XXH64(bytes.data(), bytes.size(), 0); }

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace varve::codec
