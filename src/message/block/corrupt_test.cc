// SPDX-License-Identifier: Apache-2.0
// Damaged blocks give errors, never crashes or other messages.
#include <gtest/gtest.h>

#include <numeric>

#include "base/testing/effort.h"
#include "codec/crc32c.h"
#include "message/block/encode.h"
#include "message/block/testing/read_all.h"

namespace varve::message::block {
namespace {

using testing::MemorySections;

// Small, with something of everything.
std::vector<std::string> rich_sections() {
  std::mt19937_64 random(21);
  Batch batch;
  for (int i = 0; i < 300; ++i) testing::add_random_message(random, i, batch);
  testing::SiteMessages(2).make(300, 400, 1000, batch);
  return encode_block(testing::rows_of(batch))->sections;
}

void seal_again(std::string& section, std::size_t number) {
  if (section.size() < 4) return;
  const auto content = std::as_bytes(std::span(section)).subspan(4);
  store_le(section.data(), codec::crc32c(content, static_cast<std::uint32_t>(number)));
}

TEST(Corrupt, EachByteIsCovered) {
  const auto good = rich_sections();
  ASSERT_TRUE(testing::read_all(std::make_shared<MemorySections>(good)));
  ASSERT_GT(good.size(), 5U);
  for (std::size_t s = 0; s < good.size(); ++s) {
    for (std::size_t i = 0; i < good[s].size(); ++i) {
      auto bad = good[s];
      bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
      auto sections = std::make_shared<testing::OneChanged>(good, s, std::move(bad));
      const auto read = read_section(*sections, static_cast<std::uint32_t>(s));
      ASSERT_FALSE(read) << "section " << s << " byte " << i;
      ASSERT_EQ(read.error().code, Code::corrupt);
    }
    auto sections = std::make_shared<testing::OneChanged>(good, s, good[(s + 1) % good.size()]);
    EXPECT_EQ(testing::read_all(sections).error().code, Code::corrupt) << "another section's bytes";
  }
}

TEST(Corrupt, EachLengthIsRefused) {
  const auto good = rich_sections();
  for (std::size_t s = 0; s < good.size(); ++s) {
    for (std::size_t n = 0; n < good[s].size(); n += 1 + n / 16) {
      for (const bool seal : {false, true}) {
        auto bad = good[s].substr(0, n);
        if (seal) seal_again(bad, s);
        const auto read = testing::read_all(std::make_shared<testing::OneChanged>(good, s, std::move(bad)));
        ASSERT_FALSE(read) << "section " << s << " of " << n << " bytes";
        ASSERT_EQ(read.error().code, Code::corrupt);
      }
    }
  }
}

TEST(Corrupt, OtherVersionIsUnsupported) {
  auto sections = rich_sections();
  sections[0][8] = 3;
  seal_again(sections[0], 0);
  EXPECT_EQ(Block::open(std::make_shared<MemorySections>(sections)).error().code, Code::unsupported);
}

TEST(Corrupt, WrongBytesUnderARightChecksumAreSafe) {
  const auto good = rich_sections();
  std::mt19937_64 random(5);
  std::size_t refused = 0;
  const int rounds = varve::testing::effort(3000);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t s = random() % 2 == 0 ? 0 : random() % good.size();
    auto bad = good[s];
    for (std::uint64_t n = 1 + random() % 4; n > 0; --n)
      bad[4 + random() % (bad.size() - 4)] = static_cast<char>(random());
    seal_again(bad, s);
    const auto read = testing::read_all(std::make_shared<testing::OneChanged>(good, s, std::move(bad)));
    refused += read ? 0 : 1;
    ASSERT_TRUE(read || read.error().code == Code::corrupt || read.error().code == Code::unsupported);
  }
  EXPECT_GT(refused, static_cast<std::size_t>(rounds) / 3);
}

}  // namespace
}  // namespace varve::message::block
