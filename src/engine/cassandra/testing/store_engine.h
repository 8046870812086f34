// SPDX-License-Identifier: Apache-2.0
// For tests: the cluster engine on rows and trackers in memory, as the contract suites want an engine.
#pragma once

#include <memory>
#include <utility>

#include "engine/cassandra/store.h"
#include "engine/cassandra/testing/cluster.h"
#include "storage/testing/counter_sink.h"
#include "storage/testing/store_fixture.h"

namespace varve::engine::cassandra::testing {

class StoreEngine final : public storage::testing::Engine {
 public:
  explicit StoreEngine(ClusterOptions options = {})
      : own_(std::make_unique<Cluster>(std::move(options))), cluster(*own_), clock_(cluster.clock, 0) {
    open();
  }
  // One more replica, whose clock is ahead by so much until it hears of Redis' time.
  explicit StoreEngine(Cluster& shared, std::int64_t ahead_ms = 0) : cluster(shared), clock_(shared.clock, ahead_ms) {
    open();
  }

  storage::SeriesStore& series() override { return store_->series(); }
  storage::SampleStore& samples() override { return store(); }
  storage::MessageStore* messages() override { return &store(); }
  storage::SlotStore* slots() override { return &store(); }
  void restart() override {
    store_.reset();
    cluster.clock.advance_ms(1000);  // no process is started again in no time
    open();
  }
  [[nodiscard]] std::int64_t now_ms() const override { return cluster.clock.now_ms(); }
  bool advance_ms(std::int64_t by_ms) override {
    cluster.clock.advance_ms(by_ms);
    return true;
  }
  [[nodiscard]] bool makes_windows() const override { return !cluster.options.rollups.empty(); }
  // With a lease: tests let hours pass at once.
  Store& store() {
    EXPECT_TRUE(store_->renew());
    return *store_;
  }
  LocalTrackers& trackers() { return *trackers_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }

 private:
  void open() {
    Options options;
    options.schema = cluster.schema;
    options.rollups = {cluster.options.rollups, {"_count"}, storage::testing::test_counters()};
    options.slot_quiet_ms = cluster.options.quiet_ms;
    options.schema.partitions = cluster.options.partitions;
    options.source = ++sources_;
    options.chunk_bytes_max = cluster.options.chunk_bytes_max;
    store_ = std::make_unique<Store>(
        options, SharedServers{cluster.tables, cluster.rows, cluster.rows, cluster.redis.versions,
                               [this](tracker::redis::MemberNames& names) { return make_trackers(names); }, clock_});
  }
  std::unique_ptr<LocalTrackers> make_trackers(tracker::redis::MemberNames& names) {
    auto trackers = std::make_unique<LocalTrackers>(cluster.redis, names, clock_);
    trackers->heard = [this](std::int64_t redis_ahead_ms) { clock_.set(redis_ahead_ms); };
    EXPECT_TRUE(trackers->check());
    trackers_ = trackers.get();
    return trackers;
  }

  inline static std::atomic<std::int64_t> sources_ = 0;
  std::unique_ptr<Cluster> own_;

 public:
  Cluster& cluster;

 private:
  ShiftedClock clock_;
  LocalTrackers* trackers_ = nullptr;  // of store_
  std::unique_ptr<Store> store_;
};

}  // namespace varve::engine::cassandra::testing
