// SPDX-License-Identifier: Apache-2.0
#include "codec/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace varve::codec {
namespace {

std::uint32_t crc(std::string_view text, std::uint32_t seed = 0) {
  return crc32c(std::as_bytes(std::span(text)), seed);
}

TEST(Crc32c, KnownAnswers) {  // RFC 3720, B.4
  std::string ascending(32, '\0');
  for (std::size_t i = 0; i < 32; ++i) ascending[i] = static_cast<char>(i);
  EXPECT_EQ(crc(""), 0U);
  EXPECT_EQ(crc("123456789"), 0xe3069283);
  EXPECT_EQ(crc(std::string(32, '\0')), 0x8a9136aa);
  EXPECT_EQ(crc(std::string(32, '\xff')), 0x62a8ab43);
  EXPECT_EQ(crc(ascending), 0x46dd794e);
  EXPECT_EQ(crc(std::string(ascending.rbegin(), ascending.rend())), 0x113fdb5c);
}

TEST(Crc32c, ChainsAtEveryCut) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(crc(text.substr(cut), crc(text.substr(0, cut))), crc(text));
}

// One bit at a time by the definition: every length and alignment of the fast way against it.
TEST(Crc32c, AgreesWithItsDefinition) {
  std::string text;
  for (unsigned i = 0; i < 100; ++i) text += static_cast<char>(i * 37 + 11);
  for (std::size_t from = 0; from < 9; ++from) {
    std::uint32_t slow = ~0U;
    for (std::size_t n = 0; from + n < text.size(); ++n) {
      ASSERT_EQ(crc(std::string_view(text).substr(from, n)), ~slow) << from << " " << n;
      slow ^= static_cast<unsigned char>(text[from + n]);
      for (int bit = 0; bit < 8; ++bit) slow = slow >> 1 ^ ((slow & 1) != 0 ? 0x82f63b78 : 0);
    }
  }
}

TEST(Crc32c, SeesEverySingleBit) {
  std::string text = "sediment";
  const std::uint32_t right = crc(text);
  for (std::size_t i = 0; i < text.size() * 8; ++i) {
    const auto mask = static_cast<char>(1U << i % 8);
    text[i / 8] = static_cast<char>(text[i / 8] ^ mask);
    EXPECT_NE(crc(text), right);
    text[i / 8] = static_cast<char>(text[i / 8] ^ mask);
  }
}

}  // namespace
}  // namespace varve::codec
