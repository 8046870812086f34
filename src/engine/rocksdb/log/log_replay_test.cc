// SPDX-License-Identifier: Apache-2.0
// What a start makes of a log of which something is missing: damage needs a person, a power cut does not.
#include "engine/rocksdb/log/log_replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/rocksdb/log/log.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kRowBytes = 40;
constexpr std::size_t kRecordBytes = kRecordHeadBytes + kRowBytes;
constexpr std::size_t kFirst = kSegmentHeadBytes + kMarkRecordBytesMax;

// Three segments of ten records each, with the numbers 1 … 30. Those up to `synced` are marked as synced.
class LogReplayTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::make_directories_in_memory(); }

  std::string segment(std::uint64_t number) { return log_path(directory_.path(), number); }

  void make(std::uint64_t synced, std::uint32_t version = kLogVersion) {
    std::uint64_t sequence = 0;
    for (std::uint64_t number = 1; number <= 3; ++number) {
      std::ofstream out(segment(number), std::ios::binary);
      std::byte head[kSegmentHeadBytes] = {};
      std::memcpy(head, kLogMagic, sizeof kLogMagic);
      store_le(head + 8, version);
      const auto write = [&](const std::byte* at, std::size_t size) {
        out.write(reinterpret_cast<const char*>(at), static_cast<std::streamsize>(size));
      };
      write(head, sizeof head);
      if (version > 1) {
        std::byte mark[kMarkRecordBytesMax];
        const auto bytes =
            encode_mark(mark, {sequence, std::min(sequence, synced), sequence + 1, FileIdentity{7, 7, {-1UL, -1UL}}});
        write(mark, bytes);
      }
      for (int i = 0; i < 10; ++i) {
        std::byte rows[kRowBytes];
        std::memset(rows, 0x11, sizeof rows);
        store_le(rows, ++sequence);
        std::byte record[kRecordHeadBytes];
        encode_record_head(record, sequence, {}, rows);
        write(record, sizeof record);
        write(rows, sizeof rows);
      }
      std::byte mark[kMarkRecordBytesMax];
      if (version > 1 && sequence == synced) {
        const auto bytes = encode_mark(mark, {sequence, synced, sequence + 1, {}});
        write(mark, bytes);
      }
    }
  }

  // A segment as it is when this kernel wrote it.
  void keep(std::uint64_t number) {
    std::fstream file(segment(number), std::ios::in | std::ios::out | std::ios::binary);
    const std::uint64_t after = (number - 1) * 10;
    std::byte mark[kMarkRecordBytesMax];
    encode_mark(mark, {after, 0, after + 1, (*MappedFile::open(segment(number)))->identity()});
    file.seekp(kSegmentHeadBytes);
    file.write(reinterpret_cast<const char*>(mark), sizeof mark);
  }

  // Of record `index` of the segment.
  void overwrite(std::uint64_t number, int index, std::size_t from, std::size_t bytes, char with) {
    std::fstream file(segment(number), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(kFirst + index * kRecordBytes + from));
    file << std::string(bytes, with);
  }

  Result<LogReplayReport> replay(bool repair = false, std::uint64_t after = 0) {
    numbers_.clear();
    LogReplay replay(directory_.path(), *log_segments(directory_.path()), after, repair,
                     {[](std::uint64_t) { return Status{}; },
                      [&](const LogRecord& record) -> Status {
                        numbers_.push_back(load_le<std::uint64_t>(record.rows.data()));
                        return {};
                      }});
    replay.expect(promised_);
    auto report = replay.run();
    end_ = replay.end();
    return report;
  }

  void expect_refused(const std::string& names) {
    const auto refused = replay();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::corrupt);
    EXPECT_NE(refused.error().message.find(names), std::string::npos) << refused.error().message;
    EXPECT_NE(refused.error().message.find("storage.repair"), std::string::npos);
  }

  testing::TemporaryDirectory directory_;
  std::vector<std::uint64_t> numbers_;
  std::uint64_t promised_ = 0;  // by wal/END
  std::optional<LogReplay::End> end_;
};

TEST_F(LogReplayTest, a_whole_log_is_read) {
  for (const std::uint32_t version : {1U, 2U}) {
    make(0, version);
    const auto report = replay();
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(numbers_.size(), 30U);
    EXPECT_EQ(report->sequence, 30U);
    EXPECT_FALSE(end_);
  }
}

TEST_F(LogReplayTest, a_lost_middle_segment_is_noticed) {
  for (const std::uint32_t version : {1U, 2U}) {
    make(0, version);
    if (version == 2) keep(3);
    std::filesystem::remove(segment(2));
    expect_refused(segment(3));
    const auto repaired = replay(true);
    ASSERT_TRUE(repaired);
    EXPECT_EQ(numbers_.size(), 20U);
    EXPECT_EQ(repaired->lost_records, 10U);
    EXPECT_EQ(repaired->sequence, 30U);
  }
}

TEST_F(LogReplayTest, a_record_that_was_taken_out_is_noticed) {
  make(30);
  std::string bytes;
  {
    std::ifstream in(segment(2), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  bytes.erase(kFirst + 3 * kRecordBytes, kRecordBytes);
  std::ofstream(segment(2), std::ios::binary) << bytes;
  expect_refused(segment(2));
  ASSERT_TRUE(replay(true));
  EXPECT_EQ(numbers_.size(), 29U);
}

TEST_F(LogReplayTest, a_hole_behind_what_was_synced_ends_the_log) {
  make(10);
  overwrite(2, 4, 0, kRecordBytes, '\0');
  const auto report = replay();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(numbers_.size(), 14U);
  EXPECT_EQ(report->sequence, 14U);
  EXPECT_EQ(report->aside_records, 15U);
  ASSERT_TRUE(end_);
  EXPECT_EQ(end_->segment, 2U);
  EXPECT_EQ(end_->offset, kFirst + 4 * kRecordBytes);
}

TEST_F(LogReplayTest, half_a_record_and_a_lost_tail_too) {
  make(10);
  overwrite(2, 9, 30, kRecordBytes - 30, '\0');
  auto report = replay();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(numbers_.size(), 19U);
  make(10);
  std::filesystem::resize_file(segment(2), kFirst + 4 * kRecordBytes);
  report = replay();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(numbers_.size(), 14U);
  EXPECT_EQ(report->aside_records, 10U);
  make(10);
  std::filesystem::remove(segment(2));
  report = replay();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(numbers_.size(), 10U);
}

TEST_F(LogReplayTest, what_was_synced_and_is_damaged_is_refused) {
  make(20);
  overwrite(2, 4, 0, kRecordBytes, '\0');
  expect_refused(segment(2));
  ASSERT_TRUE(replay(true));
  EXPECT_EQ(numbers_.size(), 29U);
}

TEST_F(LogReplayTest, what_the_kernel_kept_and_is_damaged_is_refused) {
  make(0);
  keep(2);
  overwrite(2, 4, 30, 1, '\x7f');
  expect_refused(segment(2));
  ASSERT_TRUE(replay(true));
  EXPECT_EQ(numbers_.size(), 29U);
}

TEST_F(LogReplayTest, a_head_that_was_not_written_is_a_hole) {
  make(10);
  std::fstream file(segment(2), std::ios::in | std::ios::out | std::ios::binary);
  file << std::string(kFirst + 100, '\0');
  file.close();
  const auto report = replay();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(numbers_.size(), 10U);
  EXPECT_GT(report->aside_records, 10U);
}

// The head and the first mark are one write, of which a beginning may be there, and later writes behind it.
TEST_F(LogReplayTest, half_a_head_is_a_hole) {
  for (std::size_t there = 0; there < kFirst; ++there) {
    SCOPED_TRACE(there);
    make(10);
    std::fstream file(segment(2), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(there));
    file << std::string(kFirst - there, '\0');
    file.close();
    const auto report = replay();
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(numbers_.size(), 10U);
    EXPECT_EQ(report->aside_records, 20U);
  }
}

TEST_F(LogReplayTest, half_a_head_in_front_of_what_was_synced_is_damage) {
  make(30);
  std::fstream file(segment(2), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(kSegmentHeadBytes + 20);
  file << std::string(20, '\0');
  file.close();
  expect_refused(segment(2));
}

// A crash leaves zeros at the end of what it cut short: a mark that ends as it was written has been there.
TEST_F(LogReplayTest, a_damaged_first_mark_is_not_an_unfinished_one) {
  for (const std::uint64_t number : {2U, 3U}) {
    make(10);
    std::fstream file(segment(number), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(kSegmentHeadBytes + 30);
    file << '\x55';
    file.close();
    expect_refused(segment(number));
    ASSERT_TRUE(replay(true));
    EXPECT_EQ(numbers_.size(), 30U);
  }
}

TEST_F(LogReplayTest, repair_gets_over_a_damaged_head_but_not_over_a_later_version) {
  make(30);
  std::fstream(segment(2), std::ios::in | std::ios::out | std::ios::binary) << 'x';
  EXPECT_EQ(replay().error().code, Code::corrupt);
  const auto repaired = replay(true);
  ASSERT_TRUE(repaired) << repaired.error().message;
  EXPECT_EQ(numbers_.size(), 30U);
  EXPECT_GT(repaired->damaged_bytes, 0U);
  make(30, kLogVersion + 1);
  EXPECT_EQ(replay(true).error().code, Code::unsupported);
}

TEST_F(LogReplayTest, exchanged_segments_are_noticed_and_repair_reads_them_in_their_order) {
  make(0);
  std::filesystem::rename(segment(1), segment(4));
  std::filesystem::rename(segment(3), segment(1));
  std::filesystem::rename(segment(4), segment(3));
  expect_refused("exchanged");
  const auto repaired = replay(true);
  ASSERT_TRUE(repaired);
  EXPECT_EQ(numbers_.size(), 30U);
  EXPECT_TRUE(std::ranges::is_sorted(numbers_));
  EXPECT_TRUE(repaired->misplaced) << "or the next start would find them as they are";
  EXPECT_EQ(repaired->lost_records, 0U);
}

TEST_F(LogReplayTest, repair_leaves_out_what_is_there_twice) {
  for (const std::uint64_t over : {1U, 3U}) {
    make(30);
    std::filesystem::copy_file(segment(2), segment(over), std::filesystem::copy_options::overwrite_existing);
    if (over == 1) expect_refused(segment(over));
    const auto repaired = replay(true);
    ASSERT_TRUE(repaired);
    EXPECT_EQ(numbers_.size(), 20U);
    EXPECT_TRUE(std::ranges::is_sorted(numbers_));
    EXPECT_EQ(repaired->lost_records, over == 1 ? 10U : 0U) << "of the last ten only wal/END knows";
    EXPECT_GT(repaired->damaged_bytes + repaired->lost_records, 0U);
    EXPECT_FALSE(end_) << "there is nothing unfinished";
  }
}

TEST_F(LogReplayTest, repair_leaves_out_what_the_database_has_whatever_its_name_is) {
  make(30);
  std::filesystem::rename(segment(1), segment(4));
  std::filesystem::rename(segment(3), segment(1));
  std::filesystem::rename(segment(4), segment(3));
  EXPECT_TRUE(reaches_behind(segment(1), 20));
  EXPECT_FALSE(reaches_behind(segment(2), 20));
  EXPECT_FALSE(reaches_behind(segment(7), 20)) << "there is none";
  const auto repaired = replay(true, 20);
  ASSERT_TRUE(repaired);
  ASSERT_EQ(numbers_.size(), 10U);
  EXPECT_EQ(numbers_.front(), 21U);
  EXPECT_TRUE(repaired->misplaced);
  EXPECT_EQ(repaired->damaged_bytes, 0U);
}

TEST_F(LogReplayTest, a_tail_that_repair_cuts_off_is_counted_to_its_end) {
  make(30);
  overwrite(2, 4, 30, 1, '\x7f');
  std::filesystem::resize_file(segment(2), kFirst + 5 * kRecordBytes);
  std::filesystem::resize_file(segment(3), kSegmentHeadBytes + 20);  // less than its first mark
  promised_ = 30;
  const auto repaired = replay(true);
  ASSERT_TRUE(repaired);
  EXPECT_EQ(numbers_.size(), 14U);
  EXPECT_EQ(repaired->torn_bytes, kRecordBytes + kSegmentHeadBytes + 20);
  EXPECT_EQ(repaired->lost_at_end, 16U);
  EXPECT_EQ(repaired->lost_records, 16U);
}

TEST_F(LogReplayTest, repair_ends_where_the_log_ends_in_an_unfinished_record) {
  make(10);
  const auto whole = std::filesystem::file_size(segment(3));
  for (const std::size_t cut : {1U, 30U, 41U}) {
    std::filesystem::resize_file(segment(3), whole - cut);
    const auto report = replay(true);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(numbers_.size(), 29U);
    EXPECT_EQ(report->torn_bytes, kRecordBytes - cut);
  }
  make(10);
  std::ofstream(segment(3), std::ios::app | std::ios::binary) << "ten bytes.";
  overwrite(1, 3, 30, 1, '\x7f');
  const auto report = replay(true);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(numbers_.size(), 29U);
  EXPECT_EQ(report->torn_bytes, 10U);
  EXPECT_EQ(report->damaged_bytes, kRecordBytes);
}

TEST_F(LogReplayTest, a_torn_end_is_cut) {
  make(10);
  std::filesystem::resize_file(segment(3), kFirst + 9 * kRecordBytes + 5);
  const auto report = replay();
  ASSERT_TRUE(report);
  EXPECT_EQ(numbers_.size(), 29U);
  EXPECT_EQ(report->torn_bytes, 5U);
  EXPECT_EQ(report->aside_bytes, 0U);
}

}  // namespace
}  // namespace varve::engine::rocksdb
