// SPDX-License-Identifier: Apache-2.0
// Starts on what a crash, a bad disk or another configuration left behind.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include <sys/resource.h>

#include "engine/rocksdb/log/log.h"
#include "engine/rocksdb/log/log_end.h"
#include "engine/rocksdb/log/mapped_file.h"
#include "engine/rocksdb/log/segment_reader.h"
#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/failing_files.h"

namespace varve::engine::rocksdb {
namespace {

using model::Value;
using storage::testing::Fixture;

constexpr std::size_t kEmptySegmentBytes = kSegmentHeadBytes + kMarkRecordBytesMax;

class Recovery : public ::testing::Test {
 protected:
  Recovery() { options_.path = directory_.path(); }

  Result<std::unique_ptr<testing::StoreAt>> open() {
    VARVE_ASSIGN_OR_RETURN(auto store, Store::open(options_, clock_));
    return std::make_unique<testing::StoreAt>(std::move(store));
  }

  void put_rows(int rows) {
    const auto engine = *open();
    // A start looks for series without samples: one defined meanwhile would be forgotten and defined once more.
    ASSERT_TRUE(engine->samples().settle());
    Fixture store(*engine);
    const auto group = store.group({"m"});
    for (int i = 0; i < rows; ++i) ASSERT_TRUE(store.put(*group, i, {Value::of_long(i)}));
  }

  std::size_t rows_kept() {
    const auto engine = *open();
    return Fixture(*engine).read("m").size();
  }

  std::string last_log_with_records() {
    std::string found;
    const std::string wal = directory_.path() + "/wal";
    const auto segments = *log_segments(wal);
    for (const auto segment : segments) {
      const auto path = log_path(wal, segment);
      if (std::filesystem::file_size(path) > kEmptySegmentBytes) found = path;
    }
    return found;
  }

  static void flip(const std::string& path, std::uint64_t offset) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(file.get() ^ 0x55);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
  }

  testing::TemporaryDirectory directory_;
  SystemClock clock_;
  Options options_;
};

TEST_F(Recovery, a_torn_tail_is_cut_and_reported) {
  put_rows(10);
  std::filesystem::remove(end_path(directory_.path() + "/wal"));  // of the stop
  const auto path = last_log_with_records();
  const auto whole = std::filesystem::file_size(path);
  constexpr std::size_t kLastMark = kRecordHeadBytes + kMarkBytes;  // of the stop
  for (const std::uint64_t cut : {1U, 5U, 30U}) {
    std::filesystem::resize_file(path, whole - kLastMark - cut);
    const auto engine = open();
    ASSERT_TRUE(engine) << engine.error().message;
    EXPECT_EQ((*engine)->store().recovery().damaged_bytes, 0U);
    EXPECT_GE(Fixture(**engine).read("m").size(), 8U);
  }
  EXPECT_EQ(rows_kept(), 9U);  // 30 bytes are less than a record
}

TEST_F(Recovery, garbage_behind_the_end_is_a_torn_tail) {
  put_rows(10);
  std::ofstream(last_log_with_records(), std::ios::app | std::ios::binary) << "half a record, or zeros";
  const auto engine = open();
  ASSERT_TRUE(engine);
  EXPECT_EQ((*engine)->store().recovery().torn_bytes, 23U);
  EXPECT_EQ(Fixture(**engine).read("m").size(), 10U);
}

TEST_F(Recovery, damage_inside_stops_the_start_and_says_where) {
  put_rows(10);
  const auto path = last_log_with_records();
  const auto size = std::filesystem::file_size(path);
  flip(path, size / 2);
  const auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::corrupt);
  EXPECT_NE(refused.error().message.find(path), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("offset"), std::string::npos);

  options_.repair = true;
  const auto repaired = open();
  ASSERT_TRUE(repaired) << repaired.error().message;
  EXPECT_EQ(Fixture(**repaired).read("m").size(), 9U);
  EXPECT_GT((*repaired)->store().recovery().damaged_bytes, 0U);
}

TEST_F(Recovery, repair_takes_lost_definitions_from_their_copy) {
  put_rows(10);
  const auto path = last_log_with_records();
  flip(path, kEmptySegmentBytes + kRecordHeadBytes + 4);  // the record that defines the series
  ASSERT_FALSE(open());
  options_.repair = true;
  {
    const auto repaired = open();
    ASSERT_TRUE(repaired) << repaired.error().message;
    EXPECT_EQ(Fixture(**repaired).read("m").size(), 9U);
  }
  options_.repair = false;  // the damaged segment has gone
  EXPECT_EQ(rows_kept(), 9U);
}

TEST_F(Recovery, repair_drops_rows_whose_definition_is_lost_twice) {
  put_rows(10);
  const auto path = last_log_with_records();
  flip(path, kEmptySegmentBytes + kRecordHeadBytes + 4);
  std::filesystem::remove(std::filesystem::path(path).replace_extension(".definitions"));
  options_.repair = true;
  const auto repaired = open();
  ASSERT_TRUE(repaired) << repaired.error().message;
  Fixture store(**repaired);
  EXPECT_TRUE(store.read("m").empty());
  const auto other = store.group({"other"});
  ASSERT_TRUE(store.put(*other, 1, {Value::of_long(1)}));
  EXPECT_EQ(store.read("other").size(), 1U);
}

TEST_F(Recovery, a_file_that_is_no_log_is_refused) {
  put_rows(1);
  flip(last_log_with_records(), 0);
  const auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("not a varve log"), std::string::npos);
}

TEST_F(Recovery, one_process_has_the_directory) {
  const auto first = open();
  ASSERT_TRUE(first);
  const auto second = open();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::conflict);
  EXPECT_NE(second.error().message.find(std::to_string(::getpid())), std::string::npos) << second.error().message;
}

TEST_F(Recovery, another_slot_width_is_refused) {
  put_rows(1);
  options_.slot_width_ms = 60'000;
  const auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid);
  EXPECT_NE(refused.error().message.find("3600000"), std::string::npos);
  EXPECT_NE(refused.error().message.find("FORMAT"), std::string::npos) << "which may be what is wrong";
}

TEST_F(Recovery, the_log_is_removed_once_it_is_in_the_database) {
  put_rows(100);
  const auto engine = *open();
  ASSERT_TRUE(engine->samples().settle());
  EXPECT_EQ(log_segments(directory_.path() + "/wal")->size(), 1U);
  EXPECT_EQ(engine->samples().storage_bytes().wal, kEmptySegmentBytes);
}

TEST_F(Recovery, series_without_samples_are_not_durable_but_do_no_harm) {
  {
    const auto engine = *open();
    Fixture store(*engine);
    store.group({"a"});
  }
  const auto engine = *open();
  Fixture store(*engine);
  EXPECT_EQ(engine->series().series_count(), 0U);
  const auto b = store.group({"b"});
  ASSERT_TRUE(store.put(*b, 1, {Value::of_long(1)}));
  EXPECT_EQ(store.read("b").size(), 1U);
}

// Makes a copy of the data directory, as of a disk that another machine finds, and zeros in place of the row at
// `index`.
void lose_row(const std::string& from, const std::string& to, int index) {
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
  std::filesystem::remove(to + "/LOCK");
  const auto segments = *log_segments(to + "/wal");
  for (const auto segment : segments) {
    const std::string path = log_path(to + "/wal", segment);
    std::ifstream in(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    const auto whole = std::as_bytes(std::span(bytes));
    auto reader = *SegmentReader::open(whole);
    std::size_t before = reader.offset();
    for (int row = 0; const auto record = reader.next(); before = reader.offset()) {
      if (record->rows.empty() || row++ != index) continue;
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(before),
                bytes.begin() + static_cast<std::ptrdiff_t>(reader.offset()), '\0');
      std::ofstream(path, std::ios::binary) << bytes;
      return;
    }
  }
}

TEST_F(Recovery, a_hole_of_a_power_cut_needs_nobody_and_repair_takes_in_what_is_behind) {
  options_.sync_interval_ms = 1'000'000;  // nothing is synced but at the stop, which the copy does not see
  const testing::TemporaryDirectory elsewhere;
  const std::string path = elsewhere.path() + "/data";
  {
    const auto engine = *open();
    // A start looks for series without samples: one defined meanwhile would be forgotten and defined once more.
    ASSERT_TRUE(engine->samples().settle());
    Fixture store(*engine);
    const auto group = store.group({"m"});
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(store.put(*group, i, {Value::of_long(i)}));
    const auto behind = store.group({"behind"});
    ASSERT_TRUE(store.put(*behind, 1, {Value::of_long(1)}));
    lose_row(directory_.path(), path, 7);
  }
  options_.path = path;
  for (const bool settles : {false, true}) {
    const auto engine = *open();
    const auto& report = engine->store().recovery();
    EXPECT_EQ(report.aside_bytes > 0, !settles) << "the second start finds nothing strange";
    EXPECT_EQ(report.damaged_bytes, 0U);
    Fixture store(*engine);
    const auto other = store.group({"other"});  // takes the number that the lost series had
    const auto group = store.group({"m"});
    ASSERT_TRUE(store.put(*other, 1, {Value::of_long(1)}));
    ASSERT_TRUE(store.put(*group, 12, {Value::of_long(1200)}));
    EXPECT_EQ(store.read("m").size(), 8U);
    if (!settles) continue;
    ASSERT_TRUE(engine->samples().settle());
  }
  options_.repair = true;
  for (const std::uint64_t rows : {11U, 0U}) {
    const auto engine = *open();
    EXPECT_EQ(engine->store().recovery().taken_rows, rows);
    Fixture store(*engine);
    const auto found = store.read("m");
    EXPECT_EQ(found.size(), 19U);
    EXPECT_EQ(found.at(12).bits, 1200U) << "what was written since stays";
    EXPECT_EQ(found.at(13).bits, 13U);
    EXPECT_EQ(store.read("other").size(), 1U);
    EXPECT_TRUE(store.read("behind").empty()) << "its definition is behind the hole";
  }
}

// A spill hands over the definitions of the log's last record; the next start hands over those that it has read again.
TEST_F(Recovery, definitions_are_not_written_over) {
  testing::StoreAt* writer = nullptr;
  bool appended = false;
  options_.at_step = [&](std::string_view step) -> Status {
    if (step != "flush.begin" || writer == nullptr || appended) return {};
    appended = true;
    Fixture store(*writer);
    const auto late = store.group({"late"});
    return store.put(*late, 1, {Value::of_long(1)});
  };
  {
    const auto engine = *open();
    Fixture store(*engine);
    const auto early = store.group({"early"});
    ASSERT_TRUE(store.put(*early, 1, {Value::of_long(1)}));
    writer = engine.get();
    ASSERT_TRUE(engine->samples().settle());
    writer = nullptr;
    ASSERT_TRUE(appended);
  }
  for (int start = 0; start < 3; ++start) {
    const auto engine = open();
    ASSERT_TRUE(engine) << engine.error().message;
    Fixture store(**engine);
    EXPECT_EQ(store.read("early").size(), 1U);
    EXPECT_EQ(store.read("late").size(), 1U);
    ASSERT_TRUE((*engine)->samples().settle());
  }
}

// A record of 1 GiB would not be read again; what piles up is written in pieces.
TEST_F(Recovery, definitions_that_pile_up_are_split_over_records) {
  testing::FailingFiles files;
  options_.log_files = &files;
  const std::string pad(1000, 'x');
  constexpr int kNames = 6000;
  {
    const auto engine = *open();
    Fixture store(*engine);
    files.fail(testing::FailingFiles::kWrite, 1, 1'000'000, ENOSPC);
    for (int i = 0; i < kNames; ++i) {
      const auto group = store.group({pad + std::to_string(i)});
      if (i % 1000 != 0) continue;
      ASSERT_FALSE(store.put(*group, 1, {Value::of_long(1)}));
    }
    files.heal();
    const auto group = store.group({"m"});
    ASSERT_TRUE(store.put(*group, 1, {Value::of_long(1)}));
  }
  std::size_t largest = 0;
  const std::string wal = directory_.path() + "/wal";
  const auto segments = *log_segments(wal);
  for (const auto segment : segments) {
    const auto file = *MappedFile::open(log_path(wal, segment));
    auto reader = *SegmentReader::open(file->bytes());
    while (const auto record = reader.next()) largest = std::max(largest, record->definitions.size());
  }
  EXPECT_GT(largest, 1U << 20);
  EXPECT_LE(largest, 4U << 20);
  const auto engine = *open();
  // Those without samples are forgotten soon.
  EXPECT_EQ(engine->store().series_defined(), kNames + 1U);
  EXPECT_EQ(Fixture(*engine).read("m").size(), 1U);
}

// A file-size limit does to write() what a full disk does.
class DiskFull : public Recovery {
 protected:
  DiskFull() {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
  }
  ~DiskFull() override { ::setrlimit(RLIMIT_FSIZE, &before_); }
  void limit(rlim_t bytes) {
    rlimit now = before_;
    now.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  void unlimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(DiskFull, writes_are_refused_reads_go_on_and_it_recovers) {
  auto engine = *open();
  Fixture store(*engine);
  const auto group = store.group({"m"});
  int kept = 0;
  for (; kept < 50; ++kept) ASSERT_TRUE(store.put(*group, kept, {Value::of_long(kept)}));
  limit(std::filesystem::file_size(last_log_with_records()) + 20);
  const auto late = store.group({"late"});
  const auto refused = store.put(*late, 1, {Value::of_long(1)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
  EXPECT_NE(refused.error().message.find("disk full"), std::string::npos) << refused.error().message;
  EXPECT_EQ(store.read("m").size(), 50U);
  EXPECT_TRUE(store.read("late").empty());
  unlimit();
  ASSERT_TRUE(store.put(*late, 1, {Value::of_long(1)}));  // with the definition that could not be written before
  ASSERT_TRUE(store.put(*group, 50, {Value::of_long(50)}));
  engine.reset();
  EXPECT_EQ(rows_kept(), 51U);
  engine = *open();
  EXPECT_EQ(Fixture(*engine).read("late").size(), 1U);
}

TEST_F(DiskFull, a_spill_that_fails_is_tried_again) {
  auto engine = *open();
  Fixture store(*engine);
  const auto group = store.group({"m"});
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(store.put(*group, i, {Value::of_long(i)}));
  limit(1);
  EXPECT_FALSE(engine->samples().settle());
  EXPECT_EQ(store.read("m").size(), 50U);
  unlimit();
  // A compaction that could not be written may still be on its way, and fails the next one, too.
  bool is_settled = false;
  for (int tries = 0; tries < 20 && !is_settled; ++tries) is_settled = engine->samples().settle().has_value();
  EXPECT_TRUE(is_settled);
  EXPECT_EQ(store.read("m").size(), 50U);
  engine.reset();
  EXPECT_EQ(rows_kept(), 50U);
}

}  // namespace
}  // namespace varve::engine::rocksdb
