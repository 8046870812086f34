// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/hot_rows.h"

#include <gtest/gtest.h>

#include <set>

#include "base/clock.h"
#include "engine/cassandra/tables/testing/memory_rows.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra {
namespace {

using model::testing::kHour;

std::string hash_of_bytes(std::initializer_list<int> first, char rest) {
  std::string hash(kGroupHashBytes, rest);
  std::size_t i = 0;
  for (const int byte : first) hash[i++] = static_cast<char>(byte);
  return hash;
}

class HotRowsTest : public ::testing::Test {
 protected:
  ManualClock clock{100 * kHour};
  Tables tables{SchemaOptions{"k", "SimpleStrategy:1", kHour, 30 * 24 * kHour, {}, 64, rollup::kForEver, {}}};
  testing::MemoryRows rows{clock};

  Status put(const std::string& hash, unsigned bits, const Arrival& arrival, std::string_view text,
             const std::string& beside = {}) {
    std::string value;
    if (!beside.empty()) append_section(value, beside, "not mine");
    append_section(value, hash, text);
    return rows.write_now({hot_write(tables, "t", hash_prefix_of(hash, bits), kHour, arrival, value)});
  }
  // "number:text" of each section, sorted.
  std::multiset<std::string> read(const std::vector<std::string>& hashes, Status* status = nullptr) {
    HotReads hot(tables);
    for (std::size_t i = 0; i < hashes.size(); ++i) hot.add("t", hashes[i], kHour, kPrefixLengths, i);
    std::multiset<std::string> out;
    const auto note = [&](std::size_t number, const Arrival&, std::string_view text) -> Status {
      out.insert(std::to_string(number) + ":" + std::string(text));
      return {};
    };
    const auto read =
        rows.read(hot.reads(), {}, [&](std::size_t at, const RowView& view) { return hot.row(at, view, note); });
    if (status != nullptr) *status = read;
    return out;
  }
};

// As docs/formats/cluster.md has it.
TEST_F(HotRowsTest, APrefixIsTheFirstBitsOfAHash) {
  const std::string hash = hash_of_bytes({0xff, 1, 2, 3, 4, 5, 6, 7, 0xf8}, 9);
  using Golden = std::pair<int, std::string>;
  const auto golden = [&](unsigned bits) {
    const HashPrefix prefix = hash_prefix_of(hash, bits);
    return Golden(prefix.shard, prefix.key);
  };
  using namespace std::string_literals;
  EXPECT_EQ(golden(3), Golden(28, "\x03\xe0"));
  EXPECT_EQ(golden(5), Golden(31, "\x05\xf8"));
  EXPECT_EQ(golden(8), Golden(31, "\x08\xff"));
  EXPECT_EQ(golden(64), Golden(31, "\x40\xff\1\2\3\4\5\6\7"s));
  EXPECT_EQ(golden(68), Golden(31, "\x44\xff\1\2\3\4\5\6\7\xf0"s));
  EXPECT_EQ(golden(72), Golden(31, "\x48\xff\1\2\3\4\5\6\7\xf8"s));
  EXPECT_EQ(golden(128), Golden(31, "\x80" + hash)) << "by what comes behind the tags: 0xf8";
  EXPECT_EQ(hash_prefix_of(hash_of_bytes({0, 0, 0, 0, 0, 0, 0, 0, 0x0f}, 0), 128).shard, 1);
}

// About 128 groups come together, whatever there is.
TEST_F(HotRowsTest, PrefixesHaveAUsefulSize) {
  EXPECT_EQ(prefix_bits(1, 1), 3U);
  EXPECT_EQ(prefix_bits(1024, 1024), 3U);
  EXPECT_EQ(prefix_bits(1025, 1), 5U);
  EXPECT_EQ(prefix_bits(4097, 1), 8U);
  EXPECT_EQ(prefix_bits(4097, 2), 64U);
  EXPECT_EQ(prefix_bits(32'769, 1), 64U);
  EXPECT_EQ(prefix_bits(1'000'000, 128), 64U);
  EXPECT_EQ(prefix_bits(1'000'000, 129), 68U);
  EXPECT_EQ(prefix_bits(1'000'000, 2048), 68U);
  EXPECT_EQ(prefix_bits(1'000'000, 32'768), 72U);
  EXPECT_EQ(prefix_bits(1'000'000, 32'769), 128U);
}

TEST_F(HotRowsTest, AGroupIsFoundUnderEachPrefixThatItMayHave) {
  const std::string mine(kGroupHashBytes, 'a'), other = hash_of_bytes({'a'}, 'b');
  std::int64_t us = 0;
  for (const unsigned bits : {3U, 5U, 8U, 64U, 68U, 72U, 128U}) {
    ASSERT_TRUE(put(mine, bits, {++us, 1}, std::to_string(bits), other));
  }
  EXPECT_EQ(read({mine}), (std::multiset<std::string>{"0:128", "0:3", "0:5", "0:64", "0:68", "0:72", "0:8"}));
  EXPECT_EQ(read({other}), (std::multiset<std::string>{"0:not mine", "0:not mine", "0:not mine"}))
      << "of 3, 5 and 8 bits";
  EXPECT_EQ(read({hash_of_bytes({'b'}, 'a')}).size(), 0U);
}

TEST_F(HotRowsTest, ARowOfManyIsReadOnce) {
  std::vector<std::string> hashes;
  std::string value;
  for (int i = 0; i < 200; ++i) {
    hashes.push_back(hash_of_bytes({7, i}, 'x'));
    append_section(value, hashes.back(), std::to_string(i));
  }
  ASSERT_TRUE(rows.write_now({hot_write(tables, "t", hash_prefix_of(hashes[0], 5), kHour, {1, 1}, value)}));
  const auto found = read(hashes);
  EXPECT_EQ(found.size(), 200U);
  EXPECT_TRUE(found.contains("199:199"));
  EXPECT_EQ(rows.counts(tables.raw).rows_read, 1U);
  EXPECT_EQ(read({hashes[3], hashes[3]}), (std::multiset<std::string>{"0:3", "1:3"})) << "asked for twice";
}

TEST_F(HotRowsTest, LongOnesArePacked) {
  const std::string hash(kGroupHashBytes, 'a'), text(1000, 'x');
  std::string value;
  append_section(value, hash, text);
  const RowWrite row = hot_write(tables, "t", hash_prefix_of(hash, 64), kHour, {1, 1}, value);
  EXPECT_LT(row.values[0].size(), 200U);
  EXPECT_EQ(row.values[0][0], 1);
  ASSERT_TRUE(rows.write_now({row}));
  EXPECT_EQ(read({hash}), (std::multiset<std::string>{"0:" + text}));
  for (const char form : {'\1', '\2'}) {
    RowWrite bad = row;
    bad.values[0] = std::string(1, form) + "no snappy";
    bad.timestamp_us = 2;
    ASSERT_TRUE(rows.write_now({bad}));
    Status status;
    read({hash}, &status);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::corrupt);
  }
}

TEST_F(HotRowsTest, DamageIsNoticed) {
  const std::string hash(kGroupHashBytes, 'a');
  std::string value;
  append_section(value, hash, "rows");
  for (const std::size_t size : {std::size_t{1}, kSectionHeadBytes - 1, value.size() - 1}) {
    const std::int64_t us = static_cast<std::int64_t>(size);
    const RowWrite row = hot_write(tables, "t", hash_prefix_of(hash, 64), kHour, {us, 1}, value.substr(0, size));
    ASSERT_TRUE(rows.write_now({row}));
    Status status;
    read({hash}, &status);
    ASSERT_FALSE(status) << size;
    EXPECT_EQ(status.error().code, Code::corrupt);
    ASSERT_TRUE(rows.erase_now({{row.table, row.partition, row.clustering, us}}));
  }
}

}  // namespace
}  // namespace varve::engine::cassandra
