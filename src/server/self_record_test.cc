// SPDX-License-Identifier: Apache-2.0
#include "server/self_record.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "engine/rocksdb/store.h"
#include "model/tenant.h"

namespace varve::server {
namespace {

// Collects doubles by time.
class Doubles final : public storage::PieceSink {
 public:
  bool takes_stats(const storage::ChunkStats&) override { return false; }
  void stats(const storage::ChunkStats&) override {}
  Status piece(const storage::Piece& piece) override {
    for (std::size_t i = 0; i < piece.size(); ++i) by_time[piece.times[i]] = std::bit_cast<double>(piece.bits[i]);
    return {};
  }
  std::map<std::int64_t, double> by_time;
};

class SelfRecordTest : public ::testing::Test {
 protected:
  SelfRecordTest() {
    engine::rocksdb::Options options;
    options.path = path;
    store = std::move(engine::rocksdb::Store::open(options, clock).value());
  }
  ~SelfRecordTest() override {
    store.reset();
    std::filesystem::remove_all(path);
  }

  std::map<std::int64_t, double> read(std::string_view metric, const index::Matchers& matchers = {}) {
    const auto tenant = store->find_tenant(model::kOwnTenant).value().value();
    const auto series = store->select(tenant, metric, matchers).value();
    Doubles doubles;
    EXPECT_TRUE(store->scan(tenant, series, {}, doubles));
    return doubles.by_time;
  }

  std::string path = testing::TempDir() + "varve_self_record_" + std::to_string(::getpid());
  ManualClock clock{1'000};
  Metrics metrics;
  std::unique_ptr<engine::rocksdb::Store> store;
};

TEST_F(SelfRecordTest, EveryNumberIsASeriesWithItsLabelsAsTags) {
  Counter& requests = metrics.counter("requests_total", "", {{"code", "200"}});
  metrics.counter("requests_total", "", {{"code", "500"}}).add(9);
  metrics.gauge("size", "", [] { return 2.5; });
  SelfRecord record(metrics, *store, *store, clock, "host:1");
  ASSERT_TRUE(record.record());
  requests.add(3);
  clock.advance_ms(5000);
  ASSERT_TRUE(record.record());

  using Numbers = std::map<std::int64_t, double>;
  EXPECT_EQ(store->tenants().value(), std::vector<std::string>{"varve"});
  EXPECT_EQ(read("size"), (Numbers{{1000, 2.5}, {6000, 2.5}}));
  EXPECT_EQ(read("requests_total", {{"code", index::Matcher::Kind::any_of, {"200"}}}), (Numbers{{1000, 0}, {6000, 3}}));
  EXPECT_EQ(read("requests_total", {{"code", index::Matcher::Kind::any_of, {"500"}}}), (Numbers{{1000, 9}, {6000, 9}}));
  const auto tenant = store->find_tenant(model::kOwnTenant).value().value();
  EXPECT_EQ(store->tag_values(tenant, "size", "instance", {}).value(), std::vector<std::string>{"host:1"});
  EXPECT_EQ(store->series_count(), 3U);
}

TEST_F(SelfRecordTest, AMetricThatAppearsLaterJoins) {
  metrics.gauge("a", "", [] { return 1.0; });
  SelfRecord record(metrics, *store, *store, clock, "i");
  ASSERT_TRUE(record.record());
  metrics.gauge("b", "", [] { return 2.0; });
  clock.advance_ms(1);
  ASSERT_TRUE(record.record());
  EXPECT_EQ(read("a").size(), 2U);
  EXPECT_EQ(read("b").size(), 1U);
  EXPECT_EQ(store->series_count(), 2U);  // the same series in a new group
}

// Nobody else writes to them, so they may leave when nothing was recorded for long.
TEST_F(SelfRecordTest, GroupsThatLeaveAreAskedForAgain) {
  store.reset();
  engine::rocksdb::Options options;
  options.path = path;
  options.gone_series_min = 1;
  options.leave_every_ms = 0;
  options.leave_grace_ms = 0;
  store = std::move(engine::rocksdb::Store::open(options, clock).value());
  metrics.gauge("size", "", [] { return 2.5; });
  SelfRecord record(metrics, *store, *store, clock, "host:1");
  ASSERT_TRUE(record.record());
  const auto tenant = store->find_tenant(model::kOwnTenant).value().value();
  const auto series = store->select(tenant, "size", {}).value();
  const auto generation = store->group_generation();
  ASSERT_TRUE(store->erase(tenant, series, {}, nullptr));
  store->forget_empty(tenant, series);
  ASSERT_TRUE(store->settle());
  ASSERT_GT(store->group_generation(), generation);
  ASSERT_TRUE(record.record());
  EXPECT_EQ(read("size"), (std::map<std::int64_t, double>{{1'000, 2.5}}));
}

TEST_F(SelfRecordTest, HistogramsAreBucketsSumAndCount) {
  metrics.histogram("seconds", "", {0.5}).observe(0.25);
  SelfRecord record(metrics, *store, *store, clock, "i");
  ASSERT_TRUE(record.record());
  EXPECT_EQ(read("seconds_bucket", {{"le", index::Matcher::Kind::any_of, {"+Inf"}}}).at(1000), 1);
  EXPECT_EQ(read("seconds_sum").at(1000), 0.25);
  EXPECT_EQ(read("seconds_count").at(1000), 1);
}

}  // namespace
}  // namespace varve::server
