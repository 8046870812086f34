// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log_format.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace varve::engine::rocksdb {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text) {
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

Bytes segment() {
  Bytes head(kSegmentHeadBytes);
  std::memcpy(head.data(), kLogMagic, sizeof kLogMagic);
  store_le(head.data() + 8, kLogVersion);
  return head;
}

void add_record(Bytes& to, std::uint64_t sequence, std::string_view definitions, std::string_view rows) {
  std::byte head[kRecordHeadBytes];
  const auto d = bytes_of(definitions);
  const auto r = bytes_of(rows);
  encode_record_head(head, sequence, d, r);
  to.insert(to.end(), head, head + sizeof head);
  to.insert(to.end(), d.begin(), d.end());
  to.insert(to.end(), r.begin(), r.end());
}

struct Read {
  Result<SegmentReport> report = SegmentReport{};
  std::vector<std::uint64_t> sequences;
};

Read read(const Bytes& bytes, bool skip = false) {
  Read result;
  result.report = read_segment(bytes, skip, [&](const LogRecord& record) -> Status {
    result.sequences.push_back(record.sequence);
    return {};
  });
  return result;
}

TEST(LogFormat, golden_record) {
  Bytes bytes;
  add_record(bytes, 7, "de", "rows");
  std::string hex;
  for (const auto b : bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", std::to_integer<unsigned>(b));
    hex += two;
  }
  // magic, crc, length 6, definitions 2, sequence 7, payload
  EXPECT_EQ(hex.substr(0, 8), "61767652");
  EXPECT_EQ(hex.substr(16),
            "06000000020000000700000000000000"
            "6465726f7773");
}

TEST(LogFormat, records_come_back_in_order) {
  auto bytes = segment();
  add_record(bytes, 1, "def", "rows");
  add_record(bytes, 2, "", "more");
  add_record(bytes, 3, "", "");
  const auto result = read(bytes);
  ASSERT_TRUE(result.report);
  EXPECT_EQ(result.sequences, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(result.report->torn_bytes, 0U);
  EXPECT_EQ(result.report->bytes_read, bytes.size());
}

TEST(LogFormat, cut_anywhere_keeps_whole_records_and_calls_the_rest_torn) {
  auto bytes = segment();
  add_record(bytes, 1, "def", "rows");
  const std::size_t first = bytes.size();
  add_record(bytes, 2, "", "more");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto result = read(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    ASSERT_TRUE(result.report);
    EXPECT_FALSE(result.report->damaged);
    EXPECT_EQ(result.sequences.size(), size >= first ? 1U : 0U) << size;
    const std::size_t good = size < kSegmentHeadBytes ? 0 : size >= first ? first : kSegmentHeadBytes;
    EXPECT_EQ(result.report->torn_bytes, size - good) << size;
  }
}

TEST(LogFormat, every_flipped_bit_is_noticed) {
  auto bytes = segment();
  add_record(bytes, 1, "def", "rows");
  const std::size_t first = bytes.size();
  add_record(bytes, 2, "", "more");
  for (std::size_t at = kSegmentHeadBytes; at < first; ++at) {
    auto bad = bytes;
    bad[at] ^= std::byte{4};
    const auto stopped = read(bad);
    ASSERT_TRUE(stopped.report);
    EXPECT_TRUE(stopped.report->damaged) << at;
    EXPECT_EQ(stopped.report->damage_offset, kSegmentHeadBytes);
    EXPECT_TRUE(stopped.sequences.empty());
    const auto skipped = read(bad, true);
    EXPECT_EQ(skipped.sequences, (std::vector<std::uint64_t>{2})) << at;
    EXPECT_EQ(skipped.report->damaged_bytes, first - kSegmentHeadBytes);
  }
}

TEST(LogFormat, foreign_files_are_refused) {
  EXPECT_FALSE(read(bytes_of("this is not a log at all")).report);
  auto newer = segment();
  store_le(newer.data() + 8, std::uint32_t{2});
  EXPECT_FALSE(read(newer).report);
}

}  // namespace
}  // namespace varve::engine::rocksdb
