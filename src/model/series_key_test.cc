// SPDX-License-Identifier: Apache-2.0
#include "model/series_key.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "codec/varint.h"

namespace varve::model {
namespace {

using namespace std::string_literals;

// The parts of a key: the way back, by the definition in series_key.h.
std::vector<std::string> parts_of(const std::string& key) {
  std::vector<std::string> parts;
  const auto* at = reinterpret_cast<const std::byte*>(key.data());
  const auto* const end = at + key.size();
  while (at != end) {
    std::uint64_t bytes = 0;
    at = codec::get_varint(at, end, bytes);
    EXPECT_NE(at, nullptr);
    parts.emplace_back(reinterpret_cast<const char*>(at), bytes);
    at += bytes;
  }
  return parts;
}

TEST(SeriesKey, IsItsPartsWithTheirLengths) {
  EXPECT_EQ(series_key("cpu", {}),
            "\x03"
            "cpu");
  EXPECT_EQ(series_key("cpu", {{"host", "a"}, {"os", "x"}}),
            "\x03"
            "cpu"
            "\x04"
            "host"
            "\x01"
            "a"
            "\x02"
            "os"
            "\x01"
            "x");
  const std::string longest(300, 'v');
  EXPECT_EQ(series_key("m", {{"k", longest}}), "\x01m\x01k\xac\x02" + longest);
}

TEST(SeriesKey, GivesItsPartsBack) {
  const std::string odd("\0\x80\xff=,", 5);
  EXPECT_EQ(parts_of(series_key("m", {{odd, "1"}, {"z", odd}})), (std::vector<std::string>{"m", odd, "1", "z", odd}));
}

TEST(SeriesKey, DiffersWhereOnlyTheBordersDo) {
  std::map<std::string, int> keys;
  ++keys[series_key("cpu", {{"a", "bc"}})];
  ++keys[series_key("cpu", {{"ab", "c"}})];
  ++keys[series_key("cpua", {{"b", "c"}})];
  ++keys[series_key("cp", {{"u", "abc"}})];
  ++keys[series_key("cpu", {{"a", "b"}, {"c", "d"}})];
  ++keys[series_key("cpu", {{"a",
                             "b\x01"
                             "c\x01"
                             "d"}})];
  EXPECT_EQ(keys.size(), 6U);
}

TEST(SeriesKey, TheOrderTagsCameInDoesNotMatter) {
  TagViews one{{"b", "2"}, {"a", "1"}};
  TagViews two{{"a", "1"}, {"b", "2"}};
  ASSERT_TRUE(normalize(one));
  ASSERT_TRUE(normalize(two));
  EXPECT_EQ(series_key("m", one), series_key("m", two));
}

TEST(SeriesSetHash, IsMurmurOfTheKeyInBase64) {
  EXPECT_EQ(to_base64(series_set_hash("")), "AAAAAAAAAAAAAAAAAAAAAA==");
  // h1 cbd8a7b341bd9b02, h2 5b1e906a48ae1d19, each little endian.
  const auto hash = series_set_hash("hello");
  EXPECT_EQ(hash.bytes[0], 0x02);
  EXPECT_EQ(hash.bytes[15], 0x5b);
  EXPECT_EQ(to_base64(hash), "Apu9QbOn2MsZHa5IapAeWw==");
  SeriesSetHash ones;
  ones.bytes.fill(0xff);
  EXPECT_EQ(to_base64(ones), "/////////////////////w==");
}

}  // namespace
}  // namespace varve::model
