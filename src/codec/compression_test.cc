// SPDX-License-Identifier: Apache-2.0
#include "codec/compression.h"

#include <gtest/gtest.h>

#include <random>

namespace varve::codec {
namespace {

const Coding kAll[] = {Coding::identity, Coding::gzip, Coding::deflate, Coding::zstd, Coding::snappy};
constexpr std::size_t kOutMax = 1 << 20;

std::string text(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::string out;
  while (out.size() < bytes)
    out += "cpu,host=h" + std::to_string(random() % 100) + " v=" + std::to_string(random()) + "\n";
  out.resize(bytes);
  return out;
}

std::string packed(Coding coding, std::string_view in) {
  std::string out;
  EXPECT_TRUE(compress(coding, in, out));
  return out;
}

std::string streamed(Coding coding, const std::vector<std::string>& pieces) {
  Compressor compressor(coding);
  std::string out;
  for (const auto& piece : pieces) EXPECT_TRUE(compressor.add(piece, false, out));
  EXPECT_TRUE(compressor.add("", true, out));
  return out;
}

Code code_of(Coding coding, std::string_view in, std::size_t max = kOutMax) {
  std::string out;
  const Status status = decompress(coding, in, max, out);
  EXPECT_FALSE(status);
  return status ? Code::io : status.error().code;
}

TEST(Compression, ComesBackAsItWas) {
  std::string out;
  for (const Coding coding : kAll) {
    for (const std::size_t size : {0UL, 1UL, 17UL, 5000UL, 300'000UL}) {
      const std::string in = text(size, 1);
      ASSERT_TRUE(decompress(coding, packed(coding, in), kOutMax, out));
      EXPECT_EQ(out, in);
      EXPECT_GE(out.capacity(), out.size() + kDecompressSlack);
    }
  }
}

TEST(Compression, StreamsComeBackAsOne) {
  std::string out;
  for (const Coding coding : {Coding::gzip, Coding::deflate, Coding::zstd}) {
    const std::string a = text(100'000, 2);
    const std::string b = text(3, 3);
    ASSERT_TRUE(decompress(coding, streamed(coding, {a, "", b}), kOutMax, out));
    EXPECT_EQ(out, a + b);
    ASSERT_TRUE(decompress(coding, streamed(coding, {}), kOutMax, out));
    EXPECT_EQ(out, "");
  }
}

TEST(Compression, ExactlyTheLimitIsFine) {
  const std::string in = text(5000, 4);
  std::string out;
  for (const Coding coding : kAll) {
    EXPECT_TRUE(decompress(coding, packed(coding, in), in.size(), out));
    EXPECT_EQ(code_of(coding, packed(coding, in), in.size() - 1), Code::too_large);
  }
}

TEST(Compression, BombsStopAtTheLimit) {
  const std::string bomb(64 << 20, 'x');
  std::string out;
  for (const Coding coding : {Coding::gzip, Coding::deflate, Coding::zstd, Coding::snappy}) {
    const std::string small = packed(coding, bomb);
    const Status status = decompress(coding, small, 1000, out);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::too_large);
    EXPECT_LT(out.capacity(), 1U << 20);
  }
  EXPECT_EQ(code_of(Coding::zstd, streamed(Coding::zstd, {bomb}), 1000), Code::too_large);  // size not in the header
}

TEST(Compression, AGzipThatLiesAboutItsSizeIsReadAllTheSame) {
  const std::string in = text(5000, 5);
  std::string lying = packed(Coding::gzip, in);
  const std::string other = packed(Coding::gzip, "tail");
  std::string out;
  ASSERT_TRUE(decompress(Coding::gzip, lying + other, kOutMax, out));  // two members: the last four bytes say 4
  EXPECT_EQ(out, in + "tail");
  lying[lying.size() - 4] = static_cast<char>(lying[lying.size() - 4] ^ 1);
  EXPECT_EQ(code_of(Coding::gzip, lying), Code::invalid);
}

TEST(Compression, RawDeflateIsTakenToo) {
  const std::string in = text(5000, 6);
  const std::string zlib = packed(Coding::deflate, in);
  std::string out;
  ASSERT_TRUE(decompress(Coding::deflate, std::string_view(zlib).substr(2, zlib.size() - 6), kOutMax, out));
  EXPECT_EQ(out, in);
}

TEST(Compression, CutAnywhereIsInvalid) {
  const std::string in = text(300, 7);
  for (const Coding coding : {Coding::gzip, Coding::deflate, Coding::zstd, Coding::snappy}) {
    const std::string whole = packed(coding, in);
    for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_EQ(code_of(coding, whole.substr(0, n)), Code::invalid) << n;
    EXPECT_EQ(code_of(coding, whole + "garbage garbage garbage"), Code::invalid);
  }
}

TEST(Compression, ForeignBytesAreInvalid) {
  const std::string plain = "cpu,host=a value=1 1700000000\n";
  for (const Coding coding : {Coding::gzip, Coding::deflate, Coding::zstd}) {
    EXPECT_EQ(code_of(coding, plain), Code::invalid);
  }
  EXPECT_EQ(code_of(Coding::snappy, std::string_view("\xff\xff\xff\x07 ", 5), 1U << 31),
            Code::invalid);  // claims 16 MiB
}

TEST(Compression, NamesOfCodings) {
  EXPECT_EQ(coding_of("gzip").value(), Coding::gzip);
  EXPECT_EQ(coding_of("x-gzip").value(), Coding::gzip);
  EXPECT_EQ(coding_of("deflate").value(), Coding::deflate);
  EXPECT_EQ(coding_of("zstd").value(), Coding::zstd);
  EXPECT_EQ(coding_of("snappy").value(), Coding::snappy);
  EXPECT_EQ(coding_of("identity").value(), Coding::identity);
  EXPECT_EQ(coding_of("").value(), Coding::identity);
  EXPECT_EQ(coding_of("br").error().code, Code::invalid);
}

}  // namespace
}  // namespace varve::codec
