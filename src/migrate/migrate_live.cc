// SPDX-License-Identifier: Apache-2.0
// Plays KairosDB for tests/migrate_test.py: makes its tables in the Cassandra that VARVE_CASSANDRA names, and writes
// cells as docs/formats/kairosdb.md says. What a migration makes of them is for the test to look at.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <vector>

#include "base/bytes.h"
#include "codec/varint.h"
#include "driver/cassandra.h"
#include "driver/wait.h"
#include "migrate/kairosdb_source.h"

namespace varve::migrate {
namespace {

using namespace std::string_literals;

constexpr std::int64_t kWidthMs = 1'814'400'000;
constexpr std::int64_t kNow = 1'790'000'000'000;

std::string be32(std::uint32_t value) {
  std::string bytes(4, 0);
  store_be32(bytes.data(), value);
  return bytes;
}
std::string be64(std::uint64_t value) {
  std::string bytes(8, 0);
  store_be64(bytes.data(), value);
  return bytes;
}
std::string packed(std::int64_t value) {
  std::string bytes;
  codec::append_varint(bytes, codec::zigzag(value));
  return bytes;
}
std::string of_double(double value) { return be64(std::bit_cast<std::uint64_t>(value)); }
std::string of_string(std::string_view text) {
  return std::string{static_cast<char>(text.size() >> 8), static_cast<char>(text.size())}.append(text);
}
// As KairosDB does it, which is not rounding down.
std::int64_t row_time(std::int64_t time) { return time - std::abs(time) % kWidthMs; }

template <class T>
T must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// One keyspace; `shifted` as before 1.3.
class Kairosdb {
 public:
  Kairosdb(const std::string& keyspace, bool shifted) : shifted_(shifted) {
    driver::SessionOptions options;
    options.contact_points = std::getenv("VARVE_CASSANDRA");  // NOLINT(concurrency-mt-unsafe): nothing changes it
    options.request_timeout_ms = 60'000;                      // changes of the schema, on a busy machine
    session_ = std::make_unique<driver::Session>(must(driver::wait<driver::Session>(
        [&](driver::Done<driver::Session> done) { driver::Session::connect(runtime_, options, std::move(done)); })));
    query("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    query("CREATE TABLE " + keyspace +
          ".data_points (key blob, column1 blob, value blob, PRIMARY KEY ((key), column1)) WITH COMPACT STORAGE");
    if (!shifted) {
      query("CREATE TABLE " + keyspace +
            ".spec (spec_type text, name text, value text, PRIMARY KEY (spec_type, name))");
      query("INSERT INTO " + keyspace +
            ".spec (spec_type, name, value) VALUES ('cluster_config', 'row_time_unit', 'MILLISECONDS')");
    }
    insert_ = std::make_unique<driver::Statement>(
        must(driver::wait<driver::Statement>([&](driver::Done<driver::Statement> done) {
          session_->prepare("INSERT INTO " + keyspace + ".data_points (key, column1, value) VALUES (?, ?, ?)",
                            std::move(done));
        })));
  }
  ~Kairosdb() { flush(); }

  void put(std::string_view metric, std::string_view tags, DataType type, std::int64_t time, std::string value,
           bool is_old_double = false, std::int64_t written_ms = kNow) {
    const DataKey key{metric, row_time(time), type, {}, tags};
    const auto offset = static_cast<std::uint32_t>(time - key.row_time_ms);
    raw(key_with_type(key, type), be32(shifted_ ? offset << 1 | (is_old_double ? 1 : 0) : offset), std::move(value),
        written_ms);
  }
  // Cells of one partition that follow one another go in batches.
  void raw(std::string key, std::string column, std::string value, std::int64_t written_ms = kNow) {
    if (!cells_.empty() && (cells_[0][0] != key || cells_.size() == 500 || written_ms != written_ms_)) flush();
    written_ms_ = written_ms;
    cells_.push_back({std::move(key), std::move(column), std::move(value)});
  }

 private:
  void query(const std::string& cql) {
    must(driver::wait<driver::Rows>(
        [&](driver::Done<driver::Rows> done) { session_->query(cql, {}, std::move(done)); }));
  }
  void flush() {
    if (cells_.empty()) return;
    std::vector<std::array<driver::Cell, 3>> views;
    for (const auto& row : cells_) views.push_back({driver::Cell(row[0]), driver::Cell(row[1]), driver::Cell(row[2])});
    std::vector<driver::Bound> rows;
    for (const auto& row : views) rows.push_back({insert_.get(), row});
    driver::ExecuteOptions how;
    how.timestamp_us = written_ms_;  // in milliseconds, as KairosDB has it
    must(driver::wait<void>([&](driver::Done<void> done) { session_->batch(rows, how, std::move(done)); }));
    cells_.clear();
  }

  const bool shifted_;
  driver::Runtime runtime_ = must(driver::Runtime::start(1));
  std::unique_ptr<driver::Session> session_;
  std::unique_ptr<driver::Statement> insert_;
  std::vector<std::array<std::string, 3>> cells_;
  std::int64_t written_ms_ = 0;
};

// Of everything a little, in the old form; and some of it bad.
TEST(Play, Old) {
  Kairosdb db("old", true);
  for (int i = 0; i < 12'000; ++i) db.put("load", "host=a:", DataType::double_, kNow + i * 1000, of_double(i * 0.1));
  for (int i = 0; i < 100; ++i) db.put("load", "host=b:", DataType::double_, kNow - i * 86'400'000LL, of_double(i));
  db.put("count", "a:=a===b:", DataType::long_, kNow, packed(std::numeric_limits<std::int64_t>::max()));
  db.put("count", "a:=a===b:", DataType::long_, kNow + 1, packed(-1));
  db.put("count", "a:=a===b:", DataType::long_, -1, packed(7));
  db.put("count", "a:=a===b:", DataType::long_, 0, packed(8));
  db.put("state", "host=a:", DataType::string, kNow, of_string("caf\xc3\xa9 \xed\xa0\xbd\xed\xb8\x80"));
  // One series, one time, two types: the one that was written last counts, in whichever token range it lies.
  for (int i = 0; i < 20; ++i) {
    const std::string tags = "host=" + std::to_string(i) + ":";
    db.put("both", tags, DataType::long_, kNow, packed(i), false, kNow + (i % 2 == 0 ? 5 : 0));
    db.put("both", tags, DataType::double_, kNow, of_double(i + 0.5), false, kNow + (i % 2 == 0 ? 0 : 5));
    db.put("both", tags, DataType::double_, kNow + 1, of_double(1));
  }
  db.put("ancient", "host=a:", DataType::legacy, kNow, "\x01\x2c");
  db.put("ancient", "host=a:", DataType::legacy, kNow, "\x01\x3f\xc0\0\0"s, true, kNow + 1);
  db.put("ancient", "host=a:", DataType::legacy, kNow + 1, "");
  db.put("object", "host=a:", DataType::complex, kNow, of_double(1.5) + of_double(-2));
  db.put("object", "host=a:", DataType::histogram_v1, kNow + 1,
         be32(1) + of_double(2) + be32(3) + of_double(2) + of_double(2) + of_double(2) + of_double(6));
  db.put("object", "host=a:", DataType::histogram_v2, kNow + 2, be32(8) + "\x08\x80\xff\x07\x10\x05\x38\x07");
  db.put("count", "a:=a===b:", DataType::long_, kNow + 2, "\x80");  // cut
  std::string key = key_with_type({"count", row_time(kNow), DataType::legacy, {}, {}}, DataType::legacy);
  key += "\0\x0ekairos_unknownhost=a:"s;
  for (int i = 0; i < 3; ++i) db.raw(key, be32(static_cast<std::uint32_t>(i << 1)), std::string(16, '\0'));
  db.raw("no key at all", be32(0), "\x02");
}

// Many, and all good: 100 series over five rows each.
TEST(Play, New) {
  Kairosdb db("kairosdb", false);
  for (int row = 0; row < 5; ++row) {
    for (int series = 0; series < 100; ++series) {
      const std::string tags = "dc=x:host=" + std::to_string(series) + ":";
      const std::string metric = "m" + std::to_string(series % 10);
      const std::int64_t begin = row_time(kNow) - row * kWidthMs;
      for (int i = 0; i < 800; ++i) {
        db.put(metric, tags, series % 2 == 0 ? DataType::long_ : DataType::double_, begin + i * 10'000LL + series,
               series % 2 == 0 ? packed(i) : of_double(i * 0.25));
      }
    }
  }
}

}  // namespace
}  // namespace varve::migrate
