// SPDX-License-Identifier: Apache-2.0
// Damaged blocks give errors, never crashes or other samples.
#include <random>

#include "base/bytes.h"
#include "chunk/format.h"
#include "chunk/round_trip.h"
#include "codec/crc32c.h"
#include "codec/varint.h"

namespace varve::chunk {
namespace {

using model::Value;

// A block with something of everything.
std::vector<OwnGroup> rich_groups() {
  std::mt19937_64 random(11);
  std::vector<OwnGroup> groups(3);
  std::vector<model::Timestamp> jitter;
  std::vector<std::int64_t> walk, wild, rare;
  std::vector<Value> mixed;
  std::vector<double> gauges, digits;
  std::int64_t v = 5000;
  for (std::int64_t i = 0; i < 200; ++i) {
    jitter.push_back(i * 1000 + (i > 99 ? 7000 : 0) + static_cast<std::int64_t>(random() % 40));
    walk.push_back(v += static_cast<std::int64_t>(random() % 5) - 2);
    wild.push_back(static_cast<std::int64_t>(random() >> (random() % 64)));
    rare.push_back(i % 50 == 0 ? i : 0);
    gauges.push_back(i == 77 ? -0.0 : static_cast<double>(random() % 1000) / 100);
    digits.push_back(static_cast<double>(random()) * 1e-17);
    mixed.push_back(i % 3 == 0   ? Value::of_long(i)
                    : i % 7 == 0 ? Value::of_complex("1234567890123456")
                    : i % 8 == 0 ? Value::of_histogram("any bytes")
                    : i % 3 == 1 ? Value::of_double(static_cast<double>(i) / 8)
                                 : Value::of_string(i % 2 == 0 ? "even" : "odd"));
  }
  groups[0] = {1, jitter, {longs(walk), decimals(3, wild), doubles(gauges)}};
  for (auto& m : groups[0].columns[1].ints) m %= std::int64_t{1} << 53;
  groups[1] = {2, jitter, {longs(rare), typed(mixed), doubles(digits)}};
  groups[2] = {900, steady_times(200), {strings(std::vector<std::string>(200, "same")), longs(wild)}};
  OwnColumn marked = doubles(gauges), marked_mix = typed(mixed);
  for (const std::size_t row : {std::size_t{3}, std::size_t{4}, std::size_t{160}, std::size_t{199}}) {
    for (OwnColumn* const column : {&marked, &marked_mix}) {
      column->types[row] = model::ValueType::stale_marker;
      column->bits[row] = 0;
    }
    marked_mix.texts[row].clear();
  }
  groups.push_back({901, steady_times(200), {marked, marked_mix}});
  return groups;
}

void seal_again(std::vector<std::byte>& bytes) {
  if (bytes.size() < kCheckedFrom) return;
  store_le(bytes.data() + 4, codec::crc32c(std::span<const std::byte>(bytes).subspan(kCheckedFrom)));
}

// Reads all there is. Nothing is expected but to come back, and that ranges have what all of it has.
void read_all(const Block& block) {
  std::vector<model::Timestamp> times;
  DecodedColumn column;
  for (std::size_t g = 0; g < block.groups(); ++g) {
    if (block.rows(g) > 100'000) continue;
    if (block.times(g, times)) {
      EXPECT_EQ(times.size(), block.rows(g));
    }
    for (std::size_t c = 0; c < block.columns(g); ++c) {
      static_cast<void>(block.stats(g, c));
      static_cast<void>(block.column(g, c, column));
    }
    expect_ranges(block, g);
  }
}

TEST(Corrupt, RichBlockIsFineAtFirst) { expect_round_trip(rich_groups()); }

TEST(Corrupt, EachBitIsCovered) {
  auto bytes = seal(rich_groups());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= std::byte{1} << (i % 8);
    const auto block = Block::open(bytes);
    ASSERT_FALSE(block) << "byte " << i;
    ASSERT_EQ(block.error().code, Code::corrupt) << block.error().message;
    bytes[i] ^= std::byte{1} << (i % 8);
  }
}

TEST(Corrupt, EachLengthIsRefused) {
  const auto bytes = seal(rich_groups());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    ASSERT_FALSE(Block::open(cut)) << n;
    seal_again(cut);
    ASSERT_FALSE(Block::open(cut)) << n << " with a right checksum";
  }
  auto longer = bytes;
  longer.push_back(std::byte{0});
  seal_again(longer);
  EXPECT_FALSE(Block::open(longer));
}

TEST(Corrupt, OtherVersionIsUnsupported) {
  auto bytes = seal(rich_groups());
  for (const unsigned version : {0U, kVersionLast + 1U}) {
    bytes[kCheckedFrom] = static_cast<std::byte>(version);
    seal_again(bytes);
    const auto block = Block::open(bytes);
    ASSERT_FALSE(block);
    EXPECT_EQ(block.error().code, Code::unsupported);
  }
}

TEST(Corrupt, WrongBytesUnderARightChecksumAreSafe) {
  const auto good = seal(rich_groups());
  std::mt19937_64 random(5);
  std::size_t refused = 0;
  for (int round = 0; round < 4000; ++round) {
    auto bytes = good;
    for (std::uint64_t n = 1 + random() % 4; n > 0; --n) {
      // Mostly in front, where the directory is.
      const std::size_t at = kCheckedFrom + random() % (random() % 2 == 0 ? 60 : bytes.size() - kCheckedFrom);
      bytes[at] = static_cast<std::byte>(random());
    }
    seal_again(bytes);
    if (const auto block = Block::open(bytes)) {
      read_all(**block);
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000U);
}

// In front are the sizes of what classes were split into: a column may seem to lie in two of these.
TEST(Corrupt, WrongSplitsUnderARightChecksumAreSafe) {
  const auto good = seal({long_group(1, 5000), long_group(2, 5000)});
  ASSERT_EQ(good[kCheckedFrom], std::byte{kVersionWithSplits});
  std::mt19937_64 random(6);
  std::size_t refused = 0, opened = 0;
  for (int round = 0; round < 2000; ++round) {
    auto bytes = good;
    // Two sizes that change against each other leave their sum.
    const std::size_t at = kCheckedFrom + 1 + random() % 60;
    const auto change = static_cast<unsigned>(1U << random() % 7);
    bytes[at] = static_cast<std::byte>(static_cast<unsigned>(bytes[at]) + change);
    const std::size_t other = kCheckedFrom + 1 + random() % 60;
    bytes[other] = static_cast<std::byte>(static_cast<unsigned>(bytes[other]) - change);
    seal_again(bytes);
    const auto block = Block::open(bytes);
    if (!block) {
      ++refused;
    } else if (++opened <= 100) {
      read_all(**block);
    }
  }
  EXPECT_GT(refused, 500U);
  EXPECT_GT(opened, 20U);
}

TEST(Corrupt, HugeClaimsAllocateNothing) {
  // A section that claims to inflate to 2^39 bytes.
  std::vector<std::byte> bytes(64);
  store_le(bytes.data(), kMagic);
  bytes[8] = std::byte{kVersionFirst};
  bytes[9] = std::byte{1};
  codec::put_varint(bytes.data() + 10, std::uint64_t{1} << 39);
  seal_again(bytes);
  const auto block = Block::open(bytes);
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().code, Code::corrupt);
}

}  // namespace
}  // namespace varve::chunk
