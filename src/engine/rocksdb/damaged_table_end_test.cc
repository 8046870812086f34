// SPDX-License-Identifier: Apache-2.0
// A bit is wrong behind the data of the only table of the database, where RocksDB keeps what it needs to open it: the
// start says so, and a repair reads what is in it without RocksDB.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/testing/effort.h"
#include "engine/rocksdb/testing/damaged_store.h"
#include "engine/rocksdb/testing/records.h"
#include "engine/rocksdb/testing/said.h"

namespace varve::engine::rocksdb {
namespace {

namespace fs = std::filesystem;
using model::Value;
using testing::kDay;
using testing::kHour;
using testing::kStart;

constexpr int kRowsInTable = 60;

class DamagedTableEnd : public testing::DamagedStore {
 protected:
  DamagedTableEnd() {
    const auto group = store.group({"m", "n"}, {{"host", "a"}});
    for (int i = 0; i < kRowsInTable; ++i) put(*group, i);
    EXPECT_TRUE(engine.store().put_text({"t", "s", "k", "a"}, "text"));
    settle();
    put(*group, kRowsInTable);  // in the log
    engine.close();
    for (const auto& file : fs::directory_iterator(database())) {
      if (file.path().extension() == ".sst") tables_.push_back(file.path().filename());
    }
    const auto db = testing::open_records(engine.options().path);
    ::rocksdb::TablePropertiesCollection properties;
    EXPECT_TRUE(db->GetPropertiesOfAllTables(&properties).ok());
    for (const auto& [path, of] : properties) data_bytes_ = of->data_size;
    keep();
  }
  void put(const storage::testing::Group& group, int hour) {
    EXPECT_TRUE(store.put(group, kStart + hour * kHour, {Value::of_long(hour), Value::of_long(-hour)}));
  }
  void flip(std::uint64_t at, unsigned bit) {
    std::fstream file(database() / tables_[0], std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get() ^ static_cast<char>(1U << bit));
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  }
  void expect_all(const std::string& when) {
    for (const char* const metric : {"m", "n"}) {
      ASSERT_EQ(store.read(metric).size(), static_cast<std::size_t>(kRowsInTable + 1)) << when;
    }
    ASSERT_EQ(read("m", kDay, {kStart, kStart + 3 * kDay}).sums.size(), 3U) << when;
    ASSERT_EQ(engine.store().text({"t", "s", "k", "a"}).value().value_or(""), "text") << when;
  }

  std::vector<fs::path> tables_;
  std::uint64_t data_bytes_ = 0;
};

TEST_F(DamagedTableEnd, repair_gets_over_a_flipped_bit) {
  ASSERT_EQ(tables_.size(), 1U);
  const std::uint64_t size = fs::file_size(whole() / "db" / tables_[0]);
  std::mt19937_64 random(5);
  const int rounds = varve::testing::effort(24);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    as_before();
    const std::uint64_t at =
        round < 8 ? size - 1 - static_cast<unsigned>(round) : data_bytes_ + random() % (size - data_bytes_);
    flip(at, static_cast<unsigned>(random() % 8));
    const std::string when = "at " + std::to_string(at) + " of " + std::to_string(size);
    const std::string said = refusal(false);
    if (!said.empty()) {
      ++refused;
      EXPECT_NE(said.find("storage.repair"), std::string::npos) << said;
    }
    engine.close();
    testing::Said listening;
    ASSERT_EQ(refusal(true), "") << when;
    const std::string told = listening.text();
    ASSERT_NO_FATAL_FAILURE(expect_all(when + ", repaired"));
    if (!said.empty()) {
      EXPECT_NE(told.find(tables_[0].string()), std::string::npos) << when << ": " << told;
      EXPECT_NE(told.find("block by block"), std::string::npos) << when << ": " << told;
      EXPECT_TRUE(fs::exists(database().string() + ".damaged")) << when;
      EXPECT_FALSE(fs::exists(database().string() + ".repaired") || fs::exists(database().string() + ".salvaged"));
    }
    settle();
    engine.close();
    ASSERT_EQ(refusal(false), "") << when;
    ASSERT_NO_FATAL_FAILURE(expect_all(when + ", after another start"));
    settle();
    engine.close();
    EXPECT_EQ(testing::orphans(engine.options().path), 0) << when;
  }
  EXPECT_GT(refused, rounds / 3);
}

// Of what says where data lie the copy is taken; samples in it are lost, which is said; more than that cannot be
// helped, and the reason is the right one. In any case it ends.
TEST_F(DamagedTableEnd, repair_ends_if_there_is_damage_in_the_data_as_well) {
  const std::uint64_t size = fs::file_size(whole() / "db" / tables_[0]);
  std::mt19937_64 random(6);
  const int rounds = varve::testing::effort(16);
  int repaired = 0;
  for (int round = 0; round < rounds; ++round) {
    as_before();
    flip(size - 1, 0);  // the last byte of the footer
    const std::uint64_t at = random() % data_bytes_;
    flip(at, static_cast<unsigned>(random() % 8));
    testing::Said listening;
    const std::string refused = refusal(true);
    const std::string told = listening.text();
    if (!refused.empty()) {
      EXPECT_NE(refused.find("the database cannot be repaired"), std::string::npos) << refused;
      EXPECT_NE(refused.find(tables_[0].string()), std::string::npos) << refused;
      EXPECT_EQ(refused.find("lost its end"), std::string::npos) << refused;
      continue;
    }
    ++repaired;
    EXPECT_NE(told.find("cannot be opened"), std::string::npos) << told;
    EXPECT_EQ(names().size(), 2U) << at;
    engine.close();
    EXPECT_EQ(refusal(false), "") << at;
  }
  EXPECT_GT(repaired, 0);
}

}  // namespace
}  // namespace varve::engine::rocksdb
