// SPDX-License-Identifier: Apache-2.0
// Segments of the log that are gone, empty or cut: a start names them, a repair goes on without them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/rocksdb/log/log.h"
#include "engine/rocksdb/log/log_end.h"
#include "engine/rocksdb/log/mapped_file.h"
#include "engine/rocksdb/log/segment_reader.h"
#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"

namespace varve::engine::rocksdb {
namespace {

using model::Value;
using storage::testing::Fixture;

class GoneSegment : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::make_directories_in_memory(); }
  GoneSegment() { options_.path = directory_.path(); }

  Result<std::unique_ptr<testing::StoreAt>> open(bool repair = false) {
    options_.repair = repair;
    VARVE_ASSIGN_OR_RETURN(auto store, Store::open(options_, clock_));
    return std::make_unique<testing::StoreAt>(std::move(store));
  }

  // Ten samples in the database and ten in the log, in two segments; stopped.
  void make() {
    for (int start = 0; start < 3; ++start) {
      const auto engine = *open();
      Fixture store(*engine);
      const auto group = store.group({"m"});
      for (int i = start == 1 ? 5 : 0; i < (start == 1 ? 10 : 5); ++i) {
        ASSERT_TRUE(store.put(*group, start * 10 + i, {Value::of_long(i)}));
      }
      if (start == 0) {
        ASSERT_TRUE(engine->samples().settle());
      }
    }
    const auto segments = *log_segments(wal());
    ASSERT_EQ(segments.size(), 3U) << "one of each start; the first has no samples any more";
    whole_ = directory_.path() + "-whole";
    std::filesystem::copy(directory_.path(), whole_, std::filesystem::copy_options::recursive);
  }
  ~GoneSegment() override {
    std::error_code ignored;
    std::filesystem::remove_all(whole_, ignored);
  }

  void make_again() {
    std::filesystem::remove_all(directory_.path());
    std::filesystem::copy(whole_, directory_.path(), std::filesystem::copy_options::recursive);
  }

  [[nodiscard]] std::string wal() const { return directory_.path() + "/wal"; }
  [[nodiscard]] std::string segment(std::size_t index) const { return log_path(wal(), (*log_segments(wal()))[index]); }

  // The start is refused, names the file, and changes nothing; a repair keeps `samples`, and all is well then.
  void expect_noticed(const std::string& file, std::size_t samples) {
    for (int start = 0; start < 2; ++start) {
      const auto refused = open();
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, Code::corrupt);
      EXPECT_NE(refused.error().message.find(file), std::string::npos) << refused.error().message;
      EXPECT_NE(refused.error().message.find("storage.repair"), std::string::npos);
    }
    for (const bool repair : {true, false, false}) {
      const auto engine = open(repair);
      ASSERT_TRUE(engine) << engine.error().message;
      EXPECT_EQ((*engine)->store().recovery().is_partial(), repair);
      Fixture store(**engine);
      EXPECT_GE(store.read("m").size(), samples);
      const auto group = store.group({"m"});
      ASSERT_TRUE(store.put(*group, 1000, {Value::of_long(1)}));
      EXPECT_EQ(store.read("m").size(), samples + 1);
    }
  }

  testing::TemporaryDirectory directory_;
  std::string whole_;
  SystemClock clock_;
  Options options_;
};

TEST_F(GoneSegment, of_a_store_that_never_flushed) {
  {
    const auto engine = *open();
    Fixture store(*engine);
    ASSERT_TRUE(store.put(*store.group({"m"}), 1, {Value::of_long(1)}));
  }
  for (const auto& file : std::filesystem::directory_iterator(wal())) std::filesystem::remove_all(file);
  const auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::corrupt);
  EXPECT_NE(refused.error().message.find("/wal/"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(open(true)) << "a repair goes on without it";
  EXPECT_TRUE(open());
}

TEST_F(GoneSegment, the_last_one) {
  make();
  const std::string last = segment(2);
  std::filesystem::remove(last);
  expect_noticed(last, 10);
}

TEST_F(GoneSegment, one_between) {
  make();
  const std::string next = segment(2);
  std::filesystem::remove(segment(1));
  expect_noticed(next, 10);
}

TEST_F(GoneSegment, all_of_them) {
  make();
  const std::string last = segment(2);
  for (int i = 0; i < 3; ++i) std::filesystem::remove(segment(0));
  expect_noticed(last, 5);
}

TEST_F(GoneSegment, an_empty_one) {
  make();
  for (const std::size_t i : {1U, 2U}) {
    make_again();
    std::filesystem::resize_file(segment(i), 0);
    expect_noticed(segment(2), 10);
  }
}

TEST_F(GoneSegment, an_end_that_is_cut_off) {
  make();
  for (const bool between_records : {true, false}) {
    make_again();
    std::size_t whole = 0;  // up to the last record
    {
      const auto file = *MappedFile::open(segment(2));
      auto reader = *SegmentReader::open(file->bytes());
      for (std::size_t before = reader.offset(); const auto record = reader.next(); before = reader.offset()) {
        if (!record->mark) whole = before;
      }
    }
    std::filesystem::resize_file(segment(2), between_records ? whole : whole + 10);
    expect_noticed(segment(2), 14);
  }
}

// The old segments are gone, and nothing has been synced since. Of the live one only its name is left.
TEST_F(GoneSegment, the_live_one_of_a_process_that_was_killed_behind_a_flush) {
  for (const std::string step : {"log.noted", "log.removed", "flush.done"}) {
    SCOPED_TRACE(step);
    std::filesystem::remove_all(directory_.path());
    const int died = testing::run_child(
        "CrashChild.*", {{"VARVE_CRASH_PATH", directory_.path()}, {"VARVE_CRASH_STEP", step}, {"VARVE_CRASH_AT", "1"}});
    ASSERT_EQ(died, testing::kDied);
    const std::string live = log_path(wal(), log_segments(wal())->back());
    std::filesystem::remove_all(whole_ = directory_.path() + "-whole");
    std::filesystem::copy(directory_.path(), whole_, std::filesystem::copy_options::recursive);
    for (const std::size_t bytes : {0U, 16U, 87U}) {
      SCOPED_TRACE(bytes);
      make_again();
      std::filesystem::resize_file(live, bytes);
      expect_noticed(live, 50);
    }
    make_again();
    EXPECT_EQ(Fixture(**open()).read("m").size(), 50U) << "as it was";
  }
}

// It is for what is gone; alone it is nobody's loss.
TEST_F(GoneSegment, a_store_without_end_starts_as_long_as_there_is_a_segment) {
  make();
  std::filesystem::resize_file(end_path(wal()), 7);
  {
    const auto engine = open();
    ASSERT_TRUE(engine) << engine.error().message;
    EXPECT_EQ(Fixture(**engine).read("m").size(), 15U);
  }
  make_again();
  std::filesystem::remove(end_path(wal()));
  const std::string first = segment(0);
  for (int i = 0; i < 3; ++i) {
    {
      ASSERT_TRUE(open()) << "there is a segment";
    }
    make_again();
    std::filesystem::remove(end_path(wal()));
  }
  for (int i = 0; i < 3; ++i) std::filesystem::remove(segment(0));
  for (const bool folder : {false, true}) {
    if (folder) std::filesystem::remove_all(wal());
    const auto refused = open();
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find(first), std::string::npos) << refused.error().message;
  }
  EXPECT_EQ(Fixture(**open(true)).read("m").size(), 5U);
  ASSERT_TRUE(open());
}

// The name of the live segment had not been synced, and the older one had not been deleted.
TEST_F(GoneSegment, a_power_cut_behind_a_flush_is_no_loss) {
  {
    const auto engine = *open();
    Fixture store(*engine);
    const auto group = store.group({"m"});
    ASSERT_TRUE(store.put(*group, 1, {Value::of_long(1)}));
  }
  const std::string old = segment(0);
  const std::string end = end_path(wal());
  const std::string kept = directory_.path() + "/kept";
  std::filesystem::copy(old, kept);
  std::filesystem::copy(end, kept + ".end");
  {
    const auto engine = *open();
    ASSERT_TRUE(engine->samples().settle());
  }
  while (!log_segments(wal())->empty()) std::filesystem::remove(segment(0));
  std::filesystem::rename(kept, old);
  std::filesystem::rename(kept + ".end", end);
  const auto engine = open();
  ASSERT_TRUE(engine) << engine.error().message;
  EXPECT_EQ(Fixture(**engine).read("m").size(), 1U);
}

}  // namespace
}  // namespace varve::engine::rocksdb
