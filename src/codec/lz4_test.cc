// SPDX-License-Identifier: Apache-2.0
#include "codec/lz4.h"

#include <gtest/gtest.h>

namespace varve::codec {
namespace {

std::string text(std::size_t size) {
  std::string out;
  for (std::size_t i = 0; out.size() < size; ++i) out += "line " + std::to_string(i * 7919 % 1000) + " of a log\n";
  out.resize(size);
  return out;
}

TEST(Lz4, ComesBackAsItWasBehindWhatIsThere) {
  for (const std::size_t size : {0UL, 1UL, 17UL, 5000UL, 300'000UL}) {
    const std::string in = text(size);
    std::string packed = "head", out = "what was there";
    ASSERT_TRUE(compress_lz4(in, packed));
    ASSERT_TRUE(packed.starts_with("head"));
    ASSERT_TRUE(decompress_lz4(std::string_view(packed).substr(4), size, out));
    EXPECT_EQ(out, in);
  }
}

TEST(Lz4, AnotherSizeIsRefused) {
  std::string packed, out;
  ASSERT_TRUE(compress_lz4(text(5000), packed));
  for (const std::size_t size : {0UL, 4999UL, 5001UL, 10'000UL}) {
    EXPECT_EQ(decompress_lz4(packed, size, out).error().code, Code::invalid) << size;
    EXPECT_TRUE(out.empty());
  }
}

TEST(Lz4, BrokenBytesAreRefusedOrGiveOtherBytes) {
  std::string packed, out;
  ASSERT_TRUE(compress_lz4(text(5000), packed));
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(decompress_lz4(std::string_view(packed).substr(0, size), 5000, out)) << size;
  }
  for (std::size_t at = 0; at < packed.size(); ++at) {
    std::string changed = packed;
    changed[at] = static_cast<char>(~changed[at]);
    const bool read = decompress_lz4(changed, 5000, out).has_value();
    EXPECT_EQ(out.size(), read ? 5000U : 0U) << at;
  }
}

// A block that says that it holds a gigabyte costs none.
TEST(Lz4, MemoryIsNotTakenForALie) {
  std::string out;
  EXPECT_FALSE(decompress_lz4("few bytes", std::size_t{1} << 30, out));
  EXPECT_LT(out.capacity(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace varve::codec
