// SPDX-License-Identifier: Apache-2.0
// Tables as RocksDB writes them, read without it: whole, without their ends, and with bytes of them changed.
#include "engine/rocksdb/runs/raw_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <random>

#include "base/testing/effort.h"
#include "engine/rocksdb/runs/database_writer.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"

namespace varve::engine::rocksdb {
namespace {

using Contents = std::map<std::string, std::string>;

// A database of several tables: keys that are written again and erased in later ones, small and large values.
class RawTables : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::make_directories_in_memory(); }
  RawTables() {
    const std::string path = directory_.path() + "/db";
    const auto db = *make_database(path);
    ::rocksdb::WriteOptions options;
    options.disableWAL = true;
    for (int table = 0; table < 5; ++table) {
      for (int i = 0; i < 400; ++i) {
        const std::string key = "k" + std::to_string(below(1500));
        if (below(4) == 0) {
          EXPECT_TRUE(db->Delete(options, key).ok());
          model_.erase(key);
          continue;
        }
        std::string value(below(10) == 0 ? below(20'000) : below(100), '\0');
        for (char& byte : value) byte = below(3) == 0 ? '\0' : static_cast<char>(below(256));
        EXPECT_TRUE(db->Put(options, key, value).ok());
        model_[key] = value;
      }
      EXPECT_TRUE(db->Flush({}).ok());
    }
    std::vector<::rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      std::ifstream in(path + file.name, std::ios::binary);
      tables_.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    EXPECT_GT(tables_.size(), 1U);
    ::rocksdb::TablePropertiesCollection properties;
    EXPECT_TRUE(db->GetPropertiesOfAllTables(&properties).ok());
    for (const auto& file : files) data_bytes_.push_back(properties.at(path + file.name)->data_size);
  }
  std::uint64_t below(std::uint64_t end) { return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random_); }

  struct Read {
    Contents contents;
    std::uint64_t unreadable = 0;
  };
  static Read read(const std::vector<std::string>& tables) {
    std::vector<std::span<const std::byte>> bytes;
    for (const std::string& table : tables) bytes.push_back(std::as_bytes(std::span(table)));
    RawMerge merge(bytes);
    Read out;
    std::string before;
    while (const auto entry = merge.next()) {
      EXPECT_LT(before, entry->key);
      before = entry->key;
      if (entry->is_value) out.contents.emplace(entry->key, entry->value);
    }
    for (std::size_t i = 0; i < tables.size(); ++i) out.unreadable += merge.unreadable_bytes(i);
    return out;
  }

  testing::TemporaryDirectory directory_;
  std::mt19937_64 random_{17};
  Contents model_;
  std::vector<std::string> tables_;
  std::vector<std::uint64_t> data_bytes_;
};

TEST_F(RawTables, say_what_the_database_says) {
  const Read whole = read(tables_);
  EXPECT_EQ(whole.contents, model_);
  EXPECT_EQ(whole.unreadable, 0U);
}

TEST_F(RawTables, say_it_without_what_is_behind_the_data) {
  std::vector<std::string> tables = tables_;
  for (std::size_t i = 0; i < tables.size(); ++i) tables[i].resize(data_bytes_[i]);
  EXPECT_EQ(read(tables).contents, model_);
  for (std::string& table : tables) table += std::string(5000, '\0') + std::string(5000, '\x01');
  EXPECT_EQ(read(tables).contents, model_);
}

TEST_F(RawTables, a_changed_byte_takes_one_block) {
  const int rounds = varve::testing::effort(300);
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::string> tables = {tables_[0]};
    const Contents whole = read(tables).contents;
    const std::uint64_t at = below(tables[0].size());
    tables[0][at] = static_cast<char>(tables[0][at] ^ static_cast<char>(1U << below(8)));
    const Read damaged = read(tables);
    for (const auto& [key, value] : damaged.contents) {
      ASSERT_TRUE(whole.contains(key)) << at;
      ASSERT_EQ(value, whole.at(key)) << at;
    }
    if (at >= data_bytes_[0]) {
      ASSERT_EQ(damaged.contents, whole) << at;
    } else {
      ASSERT_GE(damaged.contents.size() + 400, whole.size()) << at;
    }
  }
}

TEST_F(RawTables, any_bytes_may_be_read) {
  EXPECT_TRUE(read({}).contents.empty());
  EXPECT_TRUE(read({std::string()}).contents.empty());
  for (int round = 0; round < 200; ++round) {
    std::string noise(below(3000), '\0');
    for (char& byte : noise) byte = static_cast<char>(below(round % 2 == 0 ? 256 : 12));
    EXPECT_TRUE(read({noise}).contents.empty());
    std::string cut = tables_[0].substr(0, below(tables_[0].size()));
    read({cut.substr(std::min<std::size_t>(cut.size(), below(500)))});
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
