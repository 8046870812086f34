// SPDX-License-Identifier: Apache-2.0
// Logs with whole records that make no sense: a start leaves out what does not, keeps it, and goes on.
#include "engine/rocksdb/replay.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "base/testing/effort.h"
#include "engine/rocksdb/log/log.h"
#include "engine/rocksdb/log/mapped_file.h"
#include "engine/rocksdb/log/segment_reader.h"
#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"

namespace varve::engine::rocksdb {
namespace {

using model::Value;
using storage::testing::Fixture;

std::string bytes_of_row(std::uint32_t group, std::int64_t time, std::int64_t value, std::uint16_t count = 1) {
  std::string row(model::kRowHeadBytes + std::size_t{count} * 8, '\0');
  auto* at = reinterpret_cast<std::byte*>(row.data());
  store_le(at, group);
  store_le(at + 4, std::uint16_t{3});  // longs of eight bytes
  store_le(at + 6, count);
  store_le(at + 8, time);
  store_le(at + model::kRowHeadBytes, value);
  return row;
}

class ReplayTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::make_directories_in_memory(); }
  ReplayTest() { options_.path = directory_.path(); }

  Result<std::unique_ptr<testing::StoreAt>> open() {
    VARVE_ASSIGN_OR_RETURN(auto store, Store::open(options_, clock_));
    return std::make_unique<testing::StoreAt>(std::move(store));
  }

  // A store with the samples 0, 1 and 2 of the series m in its log.
  void make() {
    const auto engine = *open();
    // A start looks for series without samples: one defined meanwhile would be forgotten and defined once more.
    ASSERT_TRUE(engine->samples().settle());
    Fixture store(*engine);
    const auto group = store.group({"m"});
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(store.put(*group, i, {Value::of_long(i)}));
  }

  [[nodiscard]] std::string last_segment() const {
    const std::string wal = directory_.path() + "/wal";
    return log_path(wal, log_segments(wal)->back());
  }

  // Writes a record behind the last one.
  void add(std::string_view definitions, std::string_view rows) {
    std::uint64_t last = 0;
    {
      const auto file = *MappedFile::open(last_segment());
      auto reader = *SegmentReader::open(file->bytes());
      while (const auto record = reader.next()) {
        last = std::max(last, record->sequence);
        if (!record->mark && !record->rows.empty()) group_ = load_le<std::uint32_t>(record->rows.data());
      }
    }
    std::byte head[kRecordHeadBytes];
    encode_record_head(head, last + 1, std::as_bytes(std::span(definitions)), std::as_bytes(std::span(rows)));
    std::ofstream out(last_segment(), std::ios::app | std::ios::binary);
    out << std::string_view(reinterpret_cast<const char*>(head), sizeof head) << definitions << rows;
  }

  [[nodiscard]] std::vector<std::string> rejected_files() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path() + "/wal")) {
      if (entry.path().extension() == ".rejected") out.push_back(entry.path().string());
    }
    return out;
  }

  // A start finds `records` of which something is left out, and `samples` of m; the next one finds nothing strange.
  void expect_start(std::uint64_t records, std::size_t samples) {
    for (const bool again : {false, true}) {
      const auto engine = open();
      ASSERT_TRUE(engine) << engine.error().message;
      EXPECT_EQ((*engine)->store().recovery().rejected_records, again ? 0U : records);
      EXPECT_EQ((*engine)->store().recovery().damaged_bytes, 0U);
      EXPECT_EQ(rejected_files().size(), records > 0 ? 1U : 0U);
      Fixture store(**engine);
      EXPECT_EQ(store.read("m").size(), samples);
      const auto other = store.group({"other"});
      ASSERT_TRUE(store.put(*other, 1, {Value::of_long(1)}));
      EXPECT_EQ(store.read("other").size(), 1U);
      ASSERT_TRUE((*engine)->samples().settle());
      EXPECT_EQ(store.read("m").size(), samples);
    }
  }

  testing::TemporaryDirectory directory_;
  SystemClock clock_;
  Options options_;
  std::uint32_t group_ = 0;  // of m, once a record was added
};

TEST_F(ReplayTest, a_bad_row_is_left_out_and_those_beside_it_stay) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  make();
  add("", "");  // which is no row, and nothing is wrong with that
  const std::string bad[] = {
      bytes_of_row(group_ + 1000, 10, 1), bytes_of_row(0x8000'0000, 10, 1),
      bytes_of_row(group_, 10, 1, 2),     bytes_of_row(group_, kLeast, 1),
      bytes_of_row(group_, kMost, 1),     bytes_of_row(group_, model::kTimestampMax + 1, 1),
  };
  std::int64_t time = 100;
  for (const std::string& row : bad) {
    add("", bytes_of_row(group_, time, 1) + row + bytes_of_row(group_, time + 1, 1) + row);
    time += 2;
  }
  expect_start(std::size(bad), 3 + 2 * std::size(bad));
}

TEST_F(ReplayTest, behind_a_malformed_row_the_record_is_left_out) {
  make();
  add("", "");
  const std::string good = bytes_of_row(group_, 100, 1);
  add("", good + good.substr(0, 20));
  add("", "x");
  add("", good + std::string(100, '\x7f') + bytes_of_row(group_, 101, 1));
  expect_start(3, 4);
}

TEST_F(ReplayTest, a_bad_definition_is_left_out_with_what_needs_it) {
  make();
  add("", "");
  add({"\x14\x63\x63\x01"
       "a",
       5},
      bytes_of_row(group_, 100, 1));  // a pair of a key that was not defined
  add("\x7f nothing of the kind", bytes_of_row(group_, 101, 1));
  add({"\x17\x01\x01\x63", 4}, bytes_of_row(group_ + 1, 102, 1));  // a group of a series that was not defined
  expect_start(3, 5);
}

TEST_F(ReplayTest, messages_of_nobody_are_left_out) {
  make();
  add("", "");
  const auto text = [](const std::vector<std::byte>& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  add("", text(encode_messages(model::TenantId{77}, "nobody", {})));
  add("", text(encode_messages(model::TenantId{0}, "another", {})));
  const std::string noise(30, '\x55');
  add("", text(encode_messages(model::TenantId{0}, "default", std::as_bytes(std::span(noise)))));
  add("", text(encode_messages(model::TenantId{0}, "default", {})).substr(0, 11));
  expect_start(4, 3);
}

// Whatever a record says, a start takes it or leaves it out, and can be worked on then.
TEST_F(ReplayTest, noise_with_a_checksum_does_no_harm) {
  std::mt19937_64 random(41);
  const auto below = [&](std::uint64_t end) {
    return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random);
  };
  for (int round = varve::testing::effort(40); round > 0; --round) {
    const testing::TemporaryDirectory directory;
    options_.path = directory.path();
    {
      const auto engine = *open();
      ASSERT_TRUE(engine->samples().settle());
      Fixture store(*engine);
      const auto group = store.group({"m"});
      ASSERT_TRUE(store.put(*group, 0, {Value::of_long(0)}));
    }
    const std::string wal = directory.path() + "/wal";
    const std::string path = log_path(wal, log_segments(wal)->back());
    std::uint64_t last = 0;
    std::vector<std::string> definitions = {""};
    std::vector<std::string> rows = {""};
    {
      const auto file = *MappedFile::open(path);
      auto reader = *SegmentReader::open(file->bytes());
      while (const auto record = reader.next()) {
        last = std::max(last, record->sequence);
        const auto text = [](std::span<const std::byte> bytes) {
          return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        };
        if (!record->definitions.empty()) definitions.push_back(text(record->definitions));
        if (!record->rows.empty()) rows.push_back(text(record->rows));
      }
    }
    std::ofstream out(path, std::ios::app | std::ios::binary);
    for (int i = 0; i < 20; ++i) {
      std::string of_definitions = definitions[below(definitions.size())];
      std::string of_rows = rows[below(rows.size())];
      for (std::string* bytes : {&of_definitions, &of_rows}) {
        if (!bytes->empty() && below(3) > 0) (*bytes)[below(bytes->size())] ^= static_cast<char>(1U << below(8));
      }
      std::byte head[kRecordHeadBytes];
      encode_record_head(head, ++last, std::as_bytes(std::span(of_definitions)), std::as_bytes(std::span(of_rows)));
      out << std::string_view(reinterpret_cast<const char*>(head), sizeof head) << of_definitions << of_rows;
    }
    out.close();
    for (int start = 0; start < 2; ++start) {
      const auto engine = open();
      ASSERT_TRUE(engine) << engine.error().message;
      EXPECT_TRUE((*engine)->samples().settle());
    }
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
