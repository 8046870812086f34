// SPDX-License-Identifier: Apache-2.0
// The list of the database's files has lost its end, or is not there: a start changes nothing, and says so. With
// storage.repair the tables are listed anew, if they have all that the checkpoint counts.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/testing/damaged_store.h"

namespace varve::engine::rocksdb {
namespace {

namespace fs = std::filesystem;
using model::Value;
using testing::kDay;
using testing::kHour;
using testing::kStart;
using Files = std::map<std::string, std::uintmax_t>;

constexpr int kRoundsOfRows = 4;
constexpr int kRowsOfRound = 30;

class Manifest : public testing::DamagedStore {
 protected:
  Manifest() {
    const auto group = store.group({"m"});
    for (int round = 0; round < kRoundsOfRows; ++round) {
      for (int i = 0; i < kRowsOfRound; ++i) put(*group, round * kRowsOfRound + i);
      settle();
    }
    put(*store.group({"hot"}), 0);  // in the log
    engine.close();
    keep();
  }

  void put(const storage::testing::Group& group, int hour) {
    ASSERT_TRUE(store.put(group, kStart + hour * kHour, {Value::of_long(hour)}));
  }
  fs::path manifest() {
    for (const auto& file : fs::directory_iterator(database())) {
      if (file.path().filename().string().starts_with("MANIFEST")) return file.path();
    }
    throw std::runtime_error("no MANIFEST");
  }
  Files tables() {
    Files found;
    for (const auto& file : fs::directory_iterator(database())) {
      if (file.path().extension() == ".sst") found[file.path().filename().string()] = fs::file_size(file.path());
    }
    return found;
  }
  void expect_all(const std::string& when) {
    EXPECT_EQ(store.read("m").size(), static_cast<std::size_t>(kRoundsOfRows * kRowsOfRound)) << when;
    EXPECT_EQ(store.read("hot").size(), 1U) << when;
  }
  // The start changes nothing; a repair has everything, and so have the starts that follow.
  void expect_refused_and_repaired(const std::string& when) {
    const Files before = tables();
    const std::string refused = refusal();
    ASSERT_NE(refused, "") << when;
    EXPECT_NE(refused.find("storage.repair"), std::string::npos) << refused;
    EXPECT_EQ(tables(), before) << when;
    ASSERT_EQ(refusal(true), "") << when;
    expect_all(when + ", repaired");
    EXPECT_TRUE(fs::exists(path() / "db.damaged")) << when;
    settle();
    engine.close();
    ASSERT_EQ(refusal(), "") << when;
    expect_all(when + ", after another start");
  }
};

TEST_F(Manifest, that_is_cut) {
  const auto size = fs::file_size(manifest());
  int refused = 0;
  for (const int percent : {0, 2, 5, 10, 20, 40, 60, 80, 95}) {
    const std::string when = "cut to " + std::to_string(percent) + " %";
    as_before();
    const Files before = tables();
    fs::resize_file(manifest(), size * static_cast<unsigned>(percent) / 100);
    if (refusal().empty()) {
      expect_all(when);
      continue;
    }
    ++refused;
    ASSERT_EQ(tables(), before) << when;
    ASSERT_NO_FATAL_FAILURE(expect_refused_and_repaired(when));
  }
  EXPECT_GT(refused, 5);
}

TEST_F(Manifest, that_is_missing) {
  fs::remove(manifest());
  expect_refused_and_repaired("no MANIFEST");
}

TEST_F(Manifest, that_nothing_points_to) {
  fs::remove(database() / "CURRENT");
  expect_refused_and_repaired("no CURRENT");
}

TEST_F(Manifest, repair_does_not_do_without_a_table) {
  Files before = tables();
  // The largest one has records of runs.
  const auto largest = std::ranges::max_element(before, {}, [](const auto& table) { return table.second; });
  fs::remove(database() / largest->first);
  before.erase(largest);
  EXPECT_NE(refusal(), "");
  EXPECT_NE(refusal(true), "");
  EXPECT_EQ(tables(), before);
  EXPECT_FALSE(fs::exists(path() / "db.repaired"));
  EXPECT_FALSE(fs::exists(path() / "db.damaged"));
}

TEST_F(Manifest, it_is_not_the_database_that_has_lost_something) {
  ASSERT_EQ(refusal(), "");
  engine.close();  // a second segment of the log
  fs::path first;
  for (const auto& file : fs::directory_iterator(path() / "wal")) {
    if (file.path().extension() == ".log" && (first.empty() || file.path() < first)) first = file.path();
  }
  fs::remove(first);
  EXPECT_NE(refusal().find("files of the log are missing"), std::string::npos);
  ASSERT_EQ(refusal(true), "");
  EXPECT_EQ(store.read("m").size(), static_cast<std::size_t>(kRoundsOfRows * kRowsOfRound));
  EXPECT_FALSE(fs::exists(path() / "db.damaged"));
  EXPECT_FALSE(fs::exists(path() / "db.repaired"));
}

TEST_F(Manifest, a_database_that_is_gone_is_not_made_anew) {
  fs::remove_all(database());
  EXPECT_NE(refusal(), "");
  EXPECT_NE(refusal(true), "");
  EXPECT_FALSE(fs::exists(database() / "CURRENT"));
}

TEST_F(Manifest, a_format_that_is_gone_is_not_made_anew) {
  fs::remove(path() / "FORMAT");
  engine.options().slot_width_ms = 2 * engine.options().slot_width_ms;
  EXPECT_NE(refusal().find("FORMAT is missing"), std::string::npos);
  EXPECT_FALSE(fs::exists(path() / "FORMAT"));
}

// A process that died before it had written FORMAT had not stored anything.
TEST_F(Manifest, a_start_that_died_while_the_store_was_made) {
  engine.close();
  fs::remove_all(path());
  fs::create_directories(path() / "wal");
  ASSERT_TRUE(Database::open(database().string()));
  EXPECT_EQ(refusal(), "");
  EXPECT_TRUE(fs::exists(path() / "FORMAT"));
}

}  // namespace
}  // namespace varve::engine::rocksdb
