// SPDX-License-Identifier: Apache-2.0
// Each system call of the log fails once, or a while: what was acknowledged is read back, in order and by itself.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <filesystem>
#include <future>

#include "engine/rocksdb/log/log.h"
#include "engine/rocksdb/log/log_replay.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/failing_files.h"
#include "engine/rocksdb/testing/memory_directories.h"

namespace varve::engine::rocksdb {
namespace {

using testing::FailingFiles;

const SystemClock kLogClock;

class LogFailure : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::make_directories_in_memory(); }
  LogFailure() {
    options_.log_files = &files_;
    options_.sync_always = true;
  }

  Status put(Log& log, std::uint64_t number, bool defines = false) {
    std::vector<std::byte> rows(8 + number % 50);
    store_le(rows.data(), number);
    const std::vector<std::byte> definitions(defines ? 20 : 0);
    VARVE_RETURN_IF_ERROR(log.append(definitions, rows));
    std::promise<Status> durable;
    log.when_durable([&](Status s) { durable.set_value(std::move(s)); });
    return durable.get_future().get();
  }

  struct Found {
    std::vector<std::uint64_t> numbers;
    LogReplayReport report;
    std::string error;
  };
  Found read(bool repair = false) {
    Found found;
    LogReplay replay(directory_.path(), *log_segments(directory_.path()), 0, repair,
                     {[](std::uint64_t) { return Status{}; },
                      [&](const LogRecord& record) -> Status {
                        found.numbers.push_back(load_le<std::uint64_t>(record.rows.data()));
                        return {};
                      }});
    const auto report = replay.run();
    if (report) found.report = *report;
    if (!report) found.error = report.error().message;
    return found;
  }

  testing::TemporaryDirectory directory_;
  FailingFiles files_;
  Options options_;
};

TEST_F(LogFailure, half_a_record_that_cannot_be_cut_off_ends_the_segment) {
  for (const bool shorten : {true, false}) {
    Log log(directory_.path(), options_, kLogClock);
    const auto before = *log_segments(directory_.path());
    const std::uint64_t base = read().numbers.size();
    ASSERT_TRUE(log.start(before.empty() ? 1 : before.back() + 1, base));
    ASSERT_TRUE(put(log, base));
    files_.fail(FailingFiles::kWrite | FailingFiles::kTruncate, 1, 2, ENOSPC, shorten);
    const auto refused = put(log, 1000);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::unavailable);
    files_.heal();
    const auto segment = log.segment();
    ASSERT_TRUE(put(log, base + 1));
    EXPECT_EQ(log.segment(), segment + 1);
    ASSERT_TRUE(put(log, base + 2));
    log.stop();
    const auto found = read();
    EXPECT_EQ(found.error, "");
    EXPECT_EQ(found.numbers.size(), base + 3);
    EXPECT_EQ(found.report.sequence, base + 3);
    EXPECT_EQ(found.report.torn_bytes, 0U);
    for (std::size_t i = 0; i < found.numbers.size(); ++i) EXPECT_EQ(found.numbers[i], i);
  }
}

TEST_F(LogFailure, a_segment_that_cannot_be_made_refuses_and_goes_on) {
  Log log(directory_.path(), options_, kLogClock);
  ASSERT_TRUE(log.start(1, 0));
  ASSERT_TRUE(put(log, 0));
  // Half a record stays, and then there are no descriptors left; the first bytes of the next segment stay as well.
  files_.fail(FailingFiles::kAll & ~FailingFiles::kSync & ~FailingFiles::kSyncDirectory, 1, 12, EMFILE, true);
  while (files_.failed() < 12) EXPECT_FALSE(put(log, 1000));
  ASSERT_TRUE(put(log, 1));
  log.stop();
  const auto found = read();
  EXPECT_EQ(found.error, "");
  EXPECT_EQ(found.numbers, (std::vector<std::uint64_t>{0, 1}));
}

TEST_F(LogFailure, after_a_failed_sync_nothing_is_taken) {
  for (const auto kind : {FailingFiles::kSync, FailingFiles::kSyncDirectory}) {
    const testing::TemporaryDirectory directory;
    Log log(directory.path(), options_, kLogClock);
    ASSERT_TRUE(log.start(1, 0));
    files_.fail(kind, 1, 1);
    EXPECT_FALSE(put(log, 0));
    files_.heal();
    const auto refused = put(log, 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::unavailable);
    EXPECT_NE(refused.error().message.find("restart"), std::string::npos);
  }
}

TEST_F(LogFailure, old_segments_go_where_the_live_one_cannot_be_synced) {
  Log log(directory_.path(), options_, kLogClock);
  ASSERT_TRUE(log.start(1, 0));
  ASSERT_TRUE(put(log, 0));
  ASSERT_TRUE(log.rotate());
  files_.fail(FailingFiles::kSync, 1, 100);
  log.remove_before(2);
  EXPECT_EQ(*log_segments(directory_.path()), std::vector<std::uint64_t>{2});
  EXPECT_FALSE(put(log, 1));
  log.remove_before(2);
}

TEST_F(LogFailure, the_end_names_the_live_segment_before_the_old_ones_go) {
  Options options = options_;
  std::optional<LogEnd> noted;
  options.at_step = [&](std::string_view step) {
    if (step == "log.noted") noted = read_end(directory_.path());
    return Status{};
  };
  Log log(directory_.path(), options, kLogClock);
  ASSERT_TRUE(log.start(1, 0));
  ASSERT_TRUE(put(log, 0));
  for (std::uint64_t segment = 2; segment < 5; ++segment) {
    ASSERT_TRUE(log.rotate());
    log.remove_before(segment);
    ASSERT_TRUE(noted);
    EXPECT_EQ(noted->segment, segment);
    EXPECT_EQ(noted->sequence, 1U);
    EXPECT_EQ(*log_segments(directory_.path()), std::vector<std::uint64_t>{segment});
  }
}

TEST_F(LogFailure, a_record_larger_than_the_reader_takes_is_refused) {
  const std::size_t bytes = kPayloadBytesMax + 1;
  void* const at = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  Log log(directory_.path(), options_, kLogClock);
  ASSERT_TRUE(log.start(1, 0));
  const auto refused = log.append({}, {static_cast<const std::byte*>(at), bytes});
  ::munmap(at, bytes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::too_large);
  EXPECT_TRUE(put(log, 0));
  log.stop();
  EXPECT_EQ(read().numbers, (std::vector<std::uint64_t>{0}));
}

// Writes, rotates and restarts while the n-th call and some after it fail. Acknowledged numbers ascend.
class LogLife : public LogFailure, public ::testing::WithParamInterface<int> {};

TEST_P(LogLife, loses_nothing_whichever_call_fails) {
  const auto first = static_cast<std::uint64_t>(GetParam());
  for (const unsigned kinds : {FailingFiles::kAll, FailingFiles::kWrite | FailingFiles::kTruncate}) {
    for (const bool shorten : {false, true}) {
      for (const std::uint64_t count : {1, 4}) {
        const testing::TemporaryDirectory directory;
        std::vector<std::uint64_t> acknowledged;
        std::uint64_t number = 0;
        files_.fail(kinds, first, count, EIO, shorten);
        for (int start = 0; start < 3; ++start) {
          std::vector<std::uint64_t> found;
          LogReplay replay(directory.path(), *log_segments(directory.path()), 0, false,
                           {[](std::uint64_t) { return Status{}; },
                            [&](const LogRecord& record) -> Status {
                              found.push_back(load_le<std::uint64_t>(record.rows.data()));
                              return {};
                            }});
          const auto report = replay.run();
          ASSERT_TRUE(report) << report.error().message;
          EXPECT_TRUE(std::ranges::includes(found, acknowledged));
          ASSERT_TRUE(std::ranges::is_sorted(found));
          EXPECT_EQ(report->aside_bytes, 0U);
          if (replay.end())
            std::filesystem::resize_file(log_path(directory.path(), replay.end()->segment), replay.end()->offset);
          const auto segments = *log_segments(directory.path());
          Log log(directory.path(), options_, kLogClock);
          std::uint64_t segment = segments.empty() ? 1 : segments.back() + 1;
          if (!log.start(segment, report->sequence)) continue;
          for (int i = 0; i < 12; ++i) {
            if (put(log, number, i % 3 == 0)) acknowledged.push_back(number);
            ++number;
            if (i % 5 == 4) static_cast<void>(log.rotate());
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, LogLife, ::testing::Range(1, 80));

}  // namespace
}  // namespace varve::engine::rocksdb
