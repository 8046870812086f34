// SPDX-License-Identifier: Apache-2.0
// Segments of the log that have each other's names: a start says so and changes nothing, a repair reads them in the
// order of what is in them, and says what it leaves out and what is lost.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/rocksdb/log/log.h"
#include "engine/rocksdb/log/mapped_file.h"
#include "engine/rocksdb/log/segment_reader.h"
#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"
#include "engine/rocksdb/testing/said.h"

namespace varve::engine::rocksdb {
namespace {

namespace fs = std::filesystem;
using model::Value;
using storage::testing::Fixture;

class ExchangedSegments : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::make_directories_in_memory(); }
  ExchangedSegments() {
    options_.path = directory_.path();
    options_.at_step = [this](std::string_view step) -> Status {
      if (step == "turn.begin") maintained_ = true;
      return {};
    };
  }

  Result<std::unique_ptr<testing::StoreAt>> open(bool repair = false) {
    options_.repair = repair;
    VARVE_ASSIGN_OR_RETURN(auto store, Store::open(options_, clock_));
    return std::make_unique<testing::StoreAt>(std::move(store));
  }
  // A start looks for series without data: one that is defined meanwhile would be in a record without its first row.
  void wait_for_start(testing::StoreAt& engine) const {
    while (!maintained_) std::this_thread::yield();
    engine.series().forget_empty(model::TenantId{}, {});  // when its turn comes, that is over
  }
  // Five samples each of a metric that may be new; stopped.
  void put(const std::string& metric, int first, bool settles = false) {
    maintained_ = false;
    const auto engine = *open();
    wait_for_start(*engine);
    if (settles) {
      ASSERT_TRUE(engine->samples().settle());
    }
    Fixture store(*engine);
    const auto group = store.group({metric});
    for (int i = first; i < first + 5; ++i) ASSERT_TRUE(store.put(*group, i, {Value::of_long(i)}));
  }
  [[nodiscard]] std::string wal() const { return directory_.path() + "/wal"; }
  [[nodiscard]] std::string segment(std::size_t index) const { return log_path(wal(), (*log_segments(wal()))[index]); }
  [[nodiscard]] std::size_t segments() const { return log_segments(wal())->size(); }
  static void exchange(const std::string& a, const std::string& b) {
    fs::rename(a, a + "~");
    fs::rename(b, a);
    fs::rename(a + "~", b);
  }

  // Of a record that has rows as well.
  static void damage_definition(const std::string& path) {
    std::size_t at = 0;
    {
      const auto file = *MappedFile::open(path);
      auto reader = *SegmentReader::open(file->bytes());
      while (const auto record = reader.next()) {
        if (record->mark || record->definitions.empty() || record->rows.empty()) continue;
        at = static_cast<std::size_t>(record->definitions.data() - file->bytes().data());
        break;
      }
    }
    ASSERT_GT(at, 0U) << path;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get() ^ 0x55);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  }

  void expect_refused(const std::string& names) {
    for (int start = 0; start < 2; ++start) {
      const auto refused = open();
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, Code::corrupt);
      EXPECT_NE(refused.error().message.find(names), std::string::npos) << refused.error().message;
      EXPECT_NE(refused.error().message.find("exchanged"), std::string::npos) << refused.error().message;
      EXPECT_NE(refused.error().message.find("storage.repair"), std::string::npos);
    }
  }
  // A repair has all, says so, and all is well then. What it said.
  std::string expect_repaired(const std::vector<std::pair<std::string, std::size_t>>& samples) {
    std::string said;
    for (const bool repair : {true, false, false}) {
      testing::Said listening;
      const auto engine = open(repair);
      if (repair) said = listening.text();
      EXPECT_TRUE(engine) << (engine ? "" : engine.error().message);
      if (!engine) return said;
      EXPECT_EQ((*engine)->store().recovery().is_partial(), repair);
      Fixture store(**engine);
      for (const auto& [metric, count] : samples) EXPECT_EQ(store.read(metric).size(), count) << metric;
    }
    return said;
  }

  testing::TemporaryDirectory directory_;
  std::atomic<bool> maintained_ = false;  // since put() began
  SystemClock clock_;
  Options options_;
};

TEST_F(ExchangedSegments, that_are_alive) {
  put("a", 0);
  put("b", 5);  // defined in the second one
  put("a", 10);
  ASSERT_EQ(segments(), 3U);
  exchange(segment(0), segment(1));
  expect_refused(segment(1));
  const std::string said = expect_repaired({{"a", 10}, {"b", 5}});
  EXPECT_NE(said.find("exchanged"), std::string::npos) << said;
  EXPECT_NE(said.find(segment(0).substr(0, segment(0).rfind('/'))), std::string::npos) << said;
}

// As they are when a process dies between the commit of a flush and the removal of its log.
TEST_F(ExchangedSegments, one_that_the_database_has_and_one_that_is_alive) {
  put("a", 0);
  const std::string old = segment(0);
  const std::string kept = directory_.path() + "/kept";
  fs::copy(old, kept);
  put("a", 5, true);
  put("b", 10);
  const std::string live = segment(segments() - 2);
  ASSERT_NE(live, old);
  fs::rename(kept, old);
  exchange(old, live);
  expect_refused(old);
  const std::string said = expect_repaired({{"a", 10}, {"b", 5}});
  EXPECT_NE(said.find("exchanged"), std::string::npos) << said;
  EXPECT_NE(said.find("is left out"), std::string::npos) << said;
  EXPECT_NE(said.find(live), std::string::npos) << said;
  EXPECT_FALSE(fs::exists(old));
}

// The definition of `b` is lost in its record, and the copies have each other's names, too.
TEST_F(ExchangedSegments, definitions_are_taken_from_their_copies_in_the_order_of_their_records) {
  put("a", 0);
  put("b", 5);
  put("c", 10);
  ASSERT_EQ(segments(), 3U);
  for (const std::size_t damaged : {0U, 1U, 2U}) damage_definition(segment(damaged));
  exchange(segment(0), segment(2));
  const auto numbers = *log_segments(wal());
  exchange(definitions_path(wal(), numbers[0]), definitions_path(wal(), numbers[1]));
  const std::string said = expect_repaired({{"a", 4}, {"b", 4}, {"c", 4}});
  EXPECT_NE(said.find("records of the log are lost"), std::string::npos) << said;
  EXPECT_NE(said.find("records=3 "), std::string::npos) << said;
}

TEST_F(ExchangedSegments, an_old_copy_in_place_of_one) {
  put("a", 0);
  put("a", 5);
  ASSERT_EQ(segments(), 2U);
  fs::copy_file(segment(0), segment(1), fs::copy_options::overwrite_existing);
  const auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(segment(1)), std::string::npos) << refused.error().message;
  const std::string copied = segment(1);
  const std::string said = expect_repaired({{"a", 5}});
  EXPECT_NE(said.find("the records in it came before"), std::string::npos) << said;
  EXPECT_NE(said.find(copied), std::string::npos) << said;
  EXPECT_NE(said.find("of_these_at_the_end=5"), std::string::npos) << said;
}

TEST_F(ExchangedSegments, a_tail_that_cannot_be_read_is_counted) {
  put("a", 0);
  put("a", 5);
  const std::string last = segment(1);
  const auto bytes = fs::file_size(last);
  {
    std::fstream file(last, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(kSegmentHeadBytes + kMarkRecordBytesMax);
    file << std::string(bytes - kSegmentHeadBytes - kMarkRecordBytesMax, '\x55');
  }
  const std::string said = expect_repaired({{"a", 5}});
  EXPECT_NE(said.find("the end of the log cannot be read, and is cut off"), std::string::npos) << said;
  EXPECT_NE(said.find("records_lost=5"), std::string::npos) << said;
  EXPECT_NE(said.find("bytes=" + std::to_string(bytes - kSegmentHeadBytes - kMarkRecordBytesMax)), std::string::npos)
      << said;
}

}  // namespace
}  // namespace varve::engine::rocksdb
