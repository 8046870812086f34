// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/segment_reader.h"

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
  bool is_log = false;
  std::vector<std::uint64_t> sequences;
  std::vector<LogMark> marks;
  std::size_t end = 0;      // where the first bad record begins
  std::size_t skipped = 0;  // with `skip`
};

Read read(const Bytes& bytes, bool skip = false) {
  Read result;
  auto reader = SegmentReader::open(bytes);
  if (!reader) return result;
  result.is_log = true;
  while (true) {
    if (const auto record = reader->next()) {
      if (record->mark) result.marks.push_back(*record->mark);
      if (!record->mark) result.sequences.push_back(record->sequence);
      continue;
    }
    if (result.skipped == 0) result.end = reader->offset();
    if (!skip || reader->left() == 0) return result;
    const std::size_t before = reader->offset();
    reader->skip();
    result.skipped += reader->offset() - before;
  }
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
  ASSERT_TRUE(result.is_log);
  EXPECT_EQ(result.sequences, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(result.end, bytes.size());
}

TEST(LogFormat, marks_stand_between_records) {
  auto bytes = segment();
  const FileIdentity file{1, 2, {3, 4}};
  std::byte mark[kMarkRecordBytesMax];
  const auto add = [&](const LogMark& m) { bytes.insert(bytes.end(), mark, mark + encode_mark(mark, m)); };
  add({6, 5, 9, file});
  add_record(bytes, 9, "", "rows");
  add({9, 8, 10, {}});
  const auto result = read(bytes);
  EXPECT_EQ(result.end, bytes.size());
  EXPECT_EQ(result.sequences, (std::vector<std::uint64_t>{9}));
  ASSERT_EQ(result.marks.size(), 2U);
  EXPECT_EQ(result.marks[0].after, 6U);
  EXPECT_EQ(result.marks[0].synced, 5U);
  EXPECT_EQ(result.marks[0].next, 9U);
  EXPECT_EQ(result.marks[0].file, file);
  EXPECT_EQ(result.marks[1].synced, 8U);
  EXPECT_FALSE(result.marks[1].file);
}

TEST(LogFormat, cut_anywhere_keeps_whole_records) {
  auto bytes = segment();
  add_record(bytes, 1, "def", "rows");
  const std::size_t first = bytes.size();
  add_record(bytes, 2, "", "more");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto result = read(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    ASSERT_TRUE(result.is_log);
    EXPECT_EQ(result.sequences.size(), size >= first ? 1U : 0U) << size;
    EXPECT_EQ(result.end, size < kSegmentHeadBytes ? 0 : size >= first ? first : kSegmentHeadBytes) << size;
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
    EXPECT_EQ(stopped.end, kSegmentHeadBytes) << at;
    EXPECT_TRUE(stopped.sequences.empty());
    const auto skipped = read(bad, true);
    EXPECT_EQ(skipped.sequences, (std::vector<std::uint64_t>{2})) << at;
    EXPECT_EQ(skipped.skipped, first - kSegmentHeadBytes);
  }
}

TEST(LogFormat, what_was_never_written_is_blank) {
  auto bytes = segment();
  bytes.resize(bytes.size() + 100);
  auto reader = *SegmentReader::open(bytes);
  EXPECT_TRUE(reader.blank());
  bytes[kSegmentHeadBytes + 5] = std::byte{1};
  reader = *SegmentReader::open(bytes);
  EXPECT_FALSE(reader.blank());
  const Bytes nothing(4096);
  reader = *SegmentReader::open(nothing);
  EXPECT_EQ(reader.version(), 0U);
  EXPECT_TRUE(reader.blank());
}

TEST(LogFormat, foreign_files_are_refused) {
  EXPECT_FALSE(read(bytes_of("this is not a log at all")).is_log);
  auto newer = segment();
  store_le(newer.data() + 8, kLogVersion + 1);
  EXPECT_FALSE(read(newer).is_log);
}

}  // namespace
}  // namespace varve::engine::rocksdb
