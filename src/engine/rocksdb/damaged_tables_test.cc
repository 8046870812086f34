// SPDX-License-Identifier: Apache-2.0
// Tables of the database in which a bit is wrong, and records that are missing: a start is refused, a question fails,
// or the answer is right. Nothing is missing without a word, and nothing is forgotten because of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "base/bytes.h"
#include "base/testing/effort.h"
#include "engine/rocksdb/testing/records.h"
#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

namespace fs = std::filesystem;
using model::Value;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

constexpr int kMetrics = 12;
constexpr int kGroupsOfMetrics = 3;
constexpr int kSlotsOfDay = 500;

class DamagedTables : public testing::RollupStore {
 protected:
  // So many slots, of one day, that their runs and marks are several blocks of a table.
  static Options of_minutes() {
    Options o = options();
    o.slot_width_ms = kMinute;
    o.rollups.levels = {{kMinute, rollup::kForEver}};
    return o;
  }
  DamagedTables() : RollupStore(of_minutes(), kStart + 20 * kHour) {
    for (int g = 0; g < kGroupsOfMetrics; ++g) {
      std::vector<std::string> metrics;
      for (int m = g; m < kMetrics; m += kGroupsOfMetrics) metrics.push_back(metric(m));
      const auto group = store.group(metrics, {{"host", std::to_string(g)}});
      for (int slot = 0; slot < kSlotsOfDay; ++slot) {
        const std::vector<Value> values(metrics.size(), Value::of_long(slot));
        EXPECT_TRUE(store.put(*group, kStart + slot * kMinute + g, values));
      }
      settle();
    }
  }
  static std::string metric(int m) { return "m" + std::to_string(m); }
  [[nodiscard]] std::string database() { return engine.options().path + "/db"; }

  // False: it does not open.
  bool open() {
    try {
      engine.open();
      return true;
    } catch (const std::runtime_error& refused) {
      refused_ = refused.what();
      return false;
    }
  }
  // Of all metrics; each is read, or its error is said.
  void expect_right_answers(const std::string& when) {
    for (int m = 0; m < kMetrics; ++m) {
      const auto found = store.find(metric(m));
      ASSERT_EQ(found.size(), 1U) << metric(m) << ' ' << when;
      testing::SumSink sink(kDay, {kStart, kStart + 10 * kDay}, true);
      storage::ScanOptions scan;
      scan.range = {kStart, kStart + 10 * kDay};
      scan.windows = false;
      if (!engine.samples().scan(store.tenant(), found, scan, sink)) continue;
      std::uint64_t count = 0;
      for (const auto& [start, sum] : sink.sums) count += sum.count;
      ASSERT_EQ(count, static_cast<std::uint64_t>(kSlotsOfDay)) << metric(m) << ' ' << when;
    }
  }
  // With storage.repair it is written anew, and damage is gone; what was in a block stays unreadable.
  void expect_repaired(const std::string& when) {
    engine.options().repair = true;
    ASSERT_TRUE(open()) << when << ": " << refused_;
    engine.options().repair = false;
    expect_right_answers(when + ", repaired");
    EXPECT_TRUE(fs::exists(database() + ".damaged")) << when;
    engine.close();
    const auto read = Store::copies_read();
    ASSERT_TRUE(open()) << when << ": " << refused_;
    EXPECT_EQ(names().size(), static_cast<std::size_t>(kMetrics)) << when;
    expect_right_answers(when + ", after a repair");
    EXPECT_EQ(Store::copies_read(), read);
    engine.close();
    EXPECT_EQ(testing::orphans(engine.options().path), 0);
    const auto db = testing::open_records(engine.options().path);
    EXPECT_TRUE(db->VerifyChecksum().ok()) << when;
  }
  std::string refused_;
};

TEST_F(DamagedTables, a_flipped_bit_hides_nothing) {
  engine.close();
  const testing::TemporaryDirectory kept;
  const fs::path whole = fs::path(kept.path()) / "whole";
  fs::copy(engine.options().path, whole, fs::copy_options::recursive);
  std::mt19937_64 random(41);
  const int rounds = varve::testing::effort(200);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    fs::remove_all(engine.options().path);
    fs::copy(whole, engine.options().path, fs::copy_options::recursive);
    std::vector<fs::path> tables;
    for (const auto& file : fs::directory_iterator(database())) {
      if (file.path().extension() == ".sst") tables.push_back(file.path());
    }
    ASSERT_FALSE(tables.empty());
    std::ranges::sort(tables);
    const bool in_largest = random() % 2 == 0;
    const fs::path table = in_largest
                               ? *std::ranges::max_element(tables, {}, [](const auto& t) { return fs::file_size(t); })
                               : tables[random() % tables.size()];
    const auto size = fs::file_size(table);
    const bool near_end = random() % 2 == 0;  // there is the list of runs
    const auto back = random() % (near_end ? size / 3 + 1 : size);
    const auto offset = static_cast<std::streamoff>(size - 1 - back);
    const char mask = static_cast<char>(1U << random() % 8);
    const auto flip = [&] {
      std::fstream file(table, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(offset);
      const char byte = static_cast<char>(file.get() ^ mask);
      file.seekp(offset);
      file.put(byte);
    };
    flip();
    const std::string when = table.filename().string() + " at " + std::to_string(offset);
    if (open()) {
      expect_right_answers(when);
      for (int look = 0; look < 2; ++look) (void)engine.samples().settle();  // who looks for series without data, looks
      expect_right_answers(when + ", after settling");
      engine.close();
    } else {
      ++refused;
    }
    if (fs::exists(table)) flip();
    if (HasFatalFailure()) return;
  }
  EXPECT_LE(refused, rounds / 4) << "of most of what is in a table there are two";
}

// What says where data lie is there twice.
TEST_F(DamagedTables, damage_in_what_is_stored_keeps_no_store_from_starting) {
  ASSERT_TRUE(engine.store().put_text({"t", "s", "k", "a"}, "text"));
  ASSERT_TRUE(engine.samples().settle());
  engine.close();
  // Up to there tables have what is stored; then come what RocksDB says of it, which it has once.
  std::map<std::string, std::uint64_t> data_bytes;
  {
    const auto db = testing::open_records(engine.options().path);
    ::rocksdb::TablePropertiesCollection properties;
    ASSERT_TRUE(db->GetPropertiesOfAllTables(&properties).ok());
    for (const auto& [path, of] : properties) data_bytes[fs::path(path).filename().string()] = of->data_size;
  }
  const testing::TemporaryDirectory kept;
  const fs::path whole = fs::path(kept.path()) / "whole";
  fs::copy(engine.options().path, whole, fs::copy_options::recursive);
  std::mt19937_64 random(43);
  const int rounds = varve::testing::effort(60);
  const auto read_before = Store::copies_read();
  for (int round = 0; round < rounds; ++round) {
    fs::remove_all(engine.options().path);
    fs::copy(whole, engine.options().path, fs::copy_options::recursive);
    auto table = data_bytes.begin();
    std::advance(table, static_cast<std::ptrdiff_t>(random() % data_bytes.size()));
    const std::string path = database() + "/" + table->first;
    // The records are behind the blocks of samples, which are most of it.
    const auto back = random() % (random() % 4 == 0 ? table->second : std::min<std::uint64_t>(table->second, 60'000));
    const auto at = static_cast<std::streamoff>(table->second - 1 - back);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char byte = static_cast<char>(file.get() ^ static_cast<char>(1U << random() % 8));
    file.seekp(at);
    file.put(byte);
    file.close();
    const std::string when = table->first + " at " + std::to_string(at);
    for (int start = 0; start < 2; ++start) {
      ASSERT_TRUE(open()) << when << ": " << refused_;
      EXPECT_EQ(names().size(), static_cast<std::size_t>(kMetrics)) << when;
      EXPECT_EQ(engine.store().text({"t", "s", "k", "a"}).value().value_or(""), "text") << when;
      expect_right_answers(when);
      (void)engine.samples().settle();
      expect_right_answers(when + ", after settling");
      engine.close();
    }
    if (round % 8 == 0) expect_repaired(when);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(Store::copies_read(), read_before);
}

// A version that made no copies has been here.
TEST_F(DamagedTables, copies_are_made_of_what_has_none) {
  engine.close();
  const auto erase_copies = [&](std::string_view prefix) {
    const auto db = testing::open_records_to_write(engine.options().path);
    for (const std::string& key : testing::keys(*db, prefix)) ASSERT_TRUE(db->Delete({}, key).ok());
    ASSERT_TRUE(db->Flush({}).ok());
  };
  const auto expect_copies = [&] {
    engine.close();
    const auto db = testing::open_records(engine.options().path);
    std::size_t records = 0;
    for (const char& kind : kRecordKinds) {
      for (const std::string& key : testing::keys(*db, {&kind, 1})) {
        std::string value;
        std::string copy;
        ++records;
        ASSERT_TRUE(db->Get({}, key, &value).ok());
        ASSERT_TRUE(db->Get({}, copy_key(key), &copy).ok()) << kind;
        EXPECT_EQ(value, copy);
      }
    }
    EXPECT_GT(records, static_cast<std::size_t>(kSlotsOfDay));
    EXPECT_EQ(testing::keys(*db, kCopyPrefix).size(), records);
  };
  expect_copies();
  erase_copies("A");
  ASSERT_TRUE(open());
  expect_copies();
  erase_copies("Ar");
  {
    const auto db = testing::open_records_to_write(engine.options().path);
    std::string checkpoint;
    ASSERT_TRUE(db->Get({}, "Ac", &checkpoint).ok());
    store_be64(checkpoint.data() + 24, load_be64(checkpoint.data() + 24) - 1);
    ASSERT_TRUE(db->Put({}, "Ac", checkpoint).ok() && db->Put({}, "Axxx", "old").ok() && db->Flush({}).ok());
  }
  ASSERT_TRUE(open());
  expect_copies();
}

class MissingRecords : public DamagedTables {
 protected:
  // Erases all records of the first kind that `pick` picks.
  template <class Pick>
  int erase(std::string_view kind, const Pick& pick) {
    engine.close();
    const auto db = testing::open_records_to_write(engine.options().path);
    int erased = 0;
    for (const std::string& key : testing::keys(*db, kind)) {
      if (!pick(key)) continue;
      EXPECT_TRUE(db->Delete({}, key).ok());
      ++erased;
    }
    EXPECT_TRUE(db->Flush({}).ok());
    return erased;
  }
  static bool all(const std::string&) { return true; }
};

TEST_F(MissingRecords, a_run_that_is_missing_is_noticed) {
  bool first = true;
  ASSERT_EQ(erase("r", [&](const std::string&) { return std::exchange(first, false); }), 1);
  ASSERT_FALSE(open());
  EXPECT_NE(refused_.find("the database is damaged: it should have"), std::string::npos) << refused_;
}

TEST_F(MissingRecords, a_mark_that_is_missing_is_noticed) {
  bool first = true;
  ASSERT_EQ(erase("s", [&](const std::string&) { return std::exchange(first, false); }), 1);
  ASSERT_FALSE(open());
  EXPECT_NE(refused_.find("marks of slots"), std::string::npos) << refused_;
}

TEST_F(MissingRecords, runs_without_a_checkpoint_are_damage) {
  ASSERT_EQ(erase("c", all), 1);
  EXPECT_FALSE(open());
}

// A checkpoint of an older version does not count them. Then the stats contradict: there were samples, and no time is
// over.
TEST_F(MissingRecords, series_whose_runs_are_missing_are_not_forgotten) {
  ASSERT_GT(erase("r", all), 0);
  ASSERT_GT(erase("s", all), 0);
  testing::shorten_checkpoint(engine.options().path);
  ASSERT_TRUE(open());
  for (int look = 0; look < 3; ++look) settle();
  engine.restart();
  settle();
  EXPECT_EQ(names().size(), static_cast<std::size_t>(kMetrics));
}

// Texts are counted by what is written behind them, too.
TEST_F(DamagedTables, texts_that_are_missing_or_old_are_noticed) {
  Store& kv = engine.store();
  for (const char* text : {"first", "second"}) {
    ASSERT_TRUE(kv.put_text({"t", "s", "k", "a"}, text));
    ASSERT_TRUE(kv.put_text({"t", "s", "k", text}, text));
  }
  ASSERT_TRUE(kv.erase_text({"t", "s", "k", "first"}));
  ASSERT_TRUE(kv.erase_text({"t", "s", "k", "none"}));
  const std::string key = text_key("t", "s", storage::text_place("k", "a"));
  const auto change = [&](auto how) {
    engine.close();
    const auto db = testing::open_records_to_write(engine.options().path);
    ASSERT_TRUE(how(*db).ok() && db->Flush({}).ok());
  };
  const auto expect_refused = [&](const std::string& why) {
    ASSERT_FALSE(open());
    EXPECT_NE(refused_.find(why), std::string::npos) << refused_;
  };
  engine.restart();
  change([&](::rocksdb::DB& db) { return db.Delete({}, key); });
  expect_refused("should have 2 texts of the key-value store, and has 1");
  change([&](::rocksdb::DB& db) { return db.Put({}, key, "first"); });
  expect_refused("should have 2 texts of the key-value store, and has older ones");
  change([&](::rocksdb::DB& db) { return db.Put({}, key, "second"); });
  ASSERT_TRUE(open());
  // A version that does not count has made a commit.
  change([&](::rocksdb::DB& db) {
    std::string counts;
    return db.Get({}, "u", &counts).ok() ? db.Put({}, "u", std::string(7, '\0') + "\x01" + counts.substr(8))
                                         : ::rocksdb::Status::NotFound();
  });
  change([&](::rocksdb::DB& db) { return db.Put({}, key, "third"); });
  ASSERT_TRUE(open());
  const auto group = store.group({"n"});
  ASSERT_TRUE(store.put(*group, kStart, {Value::of_long(1)}));
  settle();  // from this commit on they are counted again
  change([&](::rocksdb::DB& db) { return db.Delete({}, key); });
  expect_refused("should have 2 texts");
  // Another one has not.
  change([&](::rocksdb::DB& db) { return db.Delete({}, "u"); });
  ASSERT_TRUE(open());
  EXPECT_EQ(engine.store().text({"t", "s", "k", "second"}).value(), "second");
}

}  // namespace
}  // namespace varve::engine::rocksdb
