// SPDX-License-Identifier: Apache-2.0
// A compaction fails, on a damaged table or as there is no room for it: whatever else is written goes on.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>

#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/keys.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"
#include "engine/rocksdb/testing/said.h"

namespace varve::engine::rocksdb {
namespace {

namespace fs = std::filesystem;

constexpr int kTexts = 40;  // each of them a table, until it is compacted
constexpr std::size_t kTextBytes = 20'000;

class Compaction : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    testing::make_directories_in_memory();  // each text is a flush
    std::signal(SIGXFSZ, SIG_IGN);
  }
  Compaction() {
    open();
    for (int i = 0; i < kTexts; ++i) EXPECT_TRUE(put(i));
  }
  void open() {
    database_.reset();
    database_ = std::move(*Database::open(path()));
  }
  [[nodiscard]] std::string path() const { return directory_.path() + "/db"; }
  static std::string key(int i) { return text_key("t", "s", std::to_string(1000 + i)); }
  static std::string text(int i) {
    std::mt19937 random(static_cast<unsigned>(i));
    std::string bytes(kTextBytes, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
  }
  Status put(int i) { return database_->put_text(key(i), text(i)); }
  // So many of the texts that follow are not written.
  int failed(int from, int count) {
    int failed = 0;
    for (int i = from; i < from + count; ++i) failed += put(i) ? 0 : 1;
    return failed;
  }
  void flip_a_bit() {
    database_.reset();
    fs::path table;
    for (const auto& file : fs::directory_iterator(path())) {
      if (file.path().extension() != ".sst") continue;
      if (table.empty() || fs::file_size(file.path()) > fs::file_size(table)) table = file.path();
    }
    std::fstream file(table, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(kTextBytes / 2);
    const char byte = static_cast<char>(file.get() ^ 4);
    file.seekp(kTextBytes / 2);
    file.put(byte);
  }

  const testing::TemporaryDirectory directory_;
  std::unique_ptr<Database> database_;
};

TEST_F(Compaction, of_a_damaged_table_stops_nothing_else) {
  ASSERT_TRUE(database_->compact());
  flip_a_bit();
  open();
  ASSERT_TRUE(database_->compacts());
  // Whatever is compacted with what is written anew lies among its keys. It may begin by itself.
  EXPECT_LE(failed(0, kTexts), 2);
  (void)database_->compact();
  EXPECT_LE(failed(0, 1), 1);
  EXPECT_EQ(failed(kTexts, 3 * kTexts), 0) << "it was opened again, and what is damaged is left alone";
  EXPECT_FALSE(database_->compacts());
  EXPECT_EQ(database_->damaged_tables(), 1U);
  EXPECT_TRUE(database_->compact());
  int readable = 0;
  for (int i = 0; i < 4 * kTexts; ++i) {
    const auto got = database_->text(key(i));
    if (!got) continue;
    EXPECT_EQ(*got, text(i));
    ++readable;
  }
  EXPECT_GE(readable, 4 * kTexts - 3);
  open();
  EXPECT_TRUE(database_->compacts()) << "a start tries again";
  EXPECT_LE(failed(4 * kTexts, kTexts), 2);
}

TEST_F(Compaction, of_a_damaged_table_is_tried_again) {
  ASSERT_TRUE(database_->compact());
  flip_a_bit();
  open();
  EXPECT_TRUE(put(0));  // among its keys
  ASSERT_FALSE(database_->compact());
  const auto put_small = [&](int i) { return bool(database_->put_text(key(i), "small")); };
  testing::Said listening;  // the compaction that begins by itself may have failed before one looks
  for (int i = 0; i < 256; ++i) EXPECT_TRUE(put_small(kTexts + i % 3));
  EXPECT_NE(listening.text().find("the database is compacted again"), std::string::npos);
  EXPECT_FALSE(database_->compact()) << "it meets the same table";
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(put_small(kTexts + i % 3));
  EXPECT_FALSE(database_->compacts()) << "twice as many";
  EXPECT_EQ(database_->damaged_tables(), 1U);
}

TEST_F(Compaction, without_room_is_tried_again_later) {
  // One table of all texts, and one that lies among its keys: what is compacted does not fit, whatever was compacted
  // before.
  ASSERT_TRUE(database_->compact());
  EXPECT_TRUE(put(0));
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit less{8 * kTextBytes, before.rlim_max};  // of a file; a single text fits
  ::setrlimit(RLIMIT_FSIZE, &less);
  EXPECT_FALSE(database_->compact());
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(failed(kTexts, 10), 0);
  EXPECT_FALSE(database_->compacts());
  EXPECT_EQ(failed(kTexts + 10, 20), 0);
  EXPECT_TRUE(database_->compacts());
  EXPECT_TRUE(database_->compact());
}

}  // namespace
}  // namespace varve::engine::rocksdb
