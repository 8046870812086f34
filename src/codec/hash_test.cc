// SPDX-License-Identifier: Apache-2.0
#include "codec/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/bytes.h"

namespace varve::codec {
namespace {

using Hash = std::array<std::uint64_t, 2>;

TEST(Murmur3, KnownAnswers) {
  EXPECT_EQ(murmur3_128(""), (Hash{0, 0}));
  EXPECT_EQ(murmur3_128("hello"), (Hash{0xcbd8a7b341bd9b02, 0x5b1e906a48ae1d19}));
  EXPECT_EQ(murmur3_128("hello, world"), (Hash{0x342fac623a5ebc8e, 0x4cdcbc079642414d}));
  EXPECT_EQ(murmur3_128("The quick brown fox jumps over the lazy dog."),
            (Hash{0xcd99481f9ee902c9, 0x695da1a38987b6e7}));
}

// The verification of SMHasher: keys 0, 01, 012 … with seeds 256 − length, hashed together. It covers every tail.
TEST(Murmur3, VerificationValue) {
  std::string key;
  std::string all;
  for (unsigned i = 0; i < 256; ++i) {
    const auto hash = murmur3_128(key, 256 - i);
    all.append(reinterpret_cast<const char*>(hash.data()), 16);
    key += static_cast<char>(i);
  }
  EXPECT_EQ(static_cast<std::uint32_t>(murmur3_128(all)[0]), 0x6384ba69U);
}

TEST(Xxh64, is_the_known_one) {
  EXPECT_EQ(xxh64(""), 0xef46db3751d8e999U);
  EXPECT_EQ(xxh64("a"), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(xxh64("abc"), 0x44bc2cf5ad770999U);
}

TEST(Hash64, IsXxh3) {
  EXPECT_EQ(hash64(""), 0x2d06800538d394c2U);
  EXPECT_EQ(hash64("a"), hash64("a"));
  EXPECT_NE(hash64("a", 1), hash64("a", 2));
}

TEST(Hash64, DiffersForEveryPrefix) {
  const std::string text(300, 'x');
  std::set<std::uint64_t> seen;
  for (std::size_t n = 0; n <= text.size(); ++n) seen.insert(hash64(std::string_view(text).substr(0, n)));
  EXPECT_EQ(seen.size(), text.size() + 1);
}

TEST(Hash128, IsTheSameForEqualBytesOnly) {
  std::string text(300, 'x');
  const std::string other = text;
  EXPECT_EQ(hash128(text), hash128(other));
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (std::size_t n = 0; n <= text.size(); ++n) {
    const Hash128 hash = hash128(std::string_view(text).substr(0, n));
    seen.emplace(hash.low, hash.high);
  }
  EXPECT_EQ(seen.size(), text.size() + 1);
}

}  // namespace
}  // namespace varve::codec
