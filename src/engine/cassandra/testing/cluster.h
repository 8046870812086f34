// SPDX-License-Identifier: Apache-2.0
// For tests: replicas with all that takes in, seals and makes, on one store in memory and one Redis in memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "engine/cassandra/replica_parts.h"
#include "engine/cassandra/tables/testing/memory_rows.h"
#include "engine/cassandra/testing/local_trackers.h"

namespace varve::engine::cassandra::testing {

// A store whose process may die: then nothing calls back any more, or, where somebody waits, everything fails.
class MortalRows final : public RowStore {
 public:
  explicit MortalRows(RowStore& below) : below_(below) {}
  void kill() { dead_ = true; }
  [[nodiscard]] bool dead() const { return dead_; }
  // After so many rows: the last write is done in part. `waited`: somebody waits.
  void kill_after(std::size_t rows, bool waited = false) {
    left_ = rows;
    fails_ = waited;
  }
  void let_live() { left_ = kForEver; }

  void write(std::vector<RowWrite> rows, Done done) override {
    if (dead_) return end(done);
    if (left_ == kForEver || rows.size() <= left_) {
      if (left_ != kForEver) left_ -= rows.size();
      return below_.write(std::move(rows), std::move(done));
    }
    rows.resize(left_);
    dead_ = true;
    below_.write(std::move(rows), [](const Status&) {});
    end(done);
  }
  void erase(std::vector<RowDelete> rows, Done done) override {
    if (dead_) return end(done);
    below_.erase(std::move(rows), std::move(done));
  }
  Status read(std::span<const RowRead> reads, const ReadLimits& limits, const Each& each) override {
    if (dead_) return fail(Code::unavailable, "dead");
    return below_.read(reads, limits, each);
  }
  Status read_all(const Table& table, std::span<const std::string> values, const EachOfAll& each) override {
    if (dead_) return fail(Code::unavailable, "dead");
    return below_.read_all(table, values, each);
  }

 private:
  static constexpr std::size_t kForEver = SIZE_MAX;
  void end(const Done& done) const {
    if (fails_) done(fail(Code::io, "dead"));
  }
  RowStore& below_;
  std::atomic<bool> dead_ = false, fails_ = false;
  std::atomic<std::size_t> left_ = kForEver;
};

// Rows that stand of processes in trouble: others are in the table, too.
inline std::size_t markers_in(RowStore& rows, const Tables& tables) {
  const RowRead read{&tables.alarms, {"varve"}, {}, {}, {}};
  std::size_t count = 0;
  EXPECT_TRUE(rows.read({&read, 1}, {}, [&](std::size_t, const RowView&) -> Status {
    ++count;
    return {};
  }));
  return count;
}

struct ClusterOptions {
  std::int64_t quiet_ms = 300'000;
  std::uint32_t partitions = 4;
  std::int64_t raw_retention_ms = rollup::kForEver;
  std::vector<rollup::Level> rollups = {{300'000, rollup::kForEver}, {3'600'000, rollup::kForEver}};
  std::int64_t message_retention_ms = rollup::kForEver;
  std::vector<message::ClassRule> message_rules = {};
  std::size_t chunk_bytes_max = SplitRows::kPieceBytes;
  std::vector<rollup::RetentionRule> retention_rules = {};
};

struct Cluster {
  explicit Cluster(ClusterOptions o = {})
      : options(std::move(o)),
        schema{.keyspace = "varve",
               .slot_width_ms = kSlotMs,
               .raw_retention_ms = options.raw_retention_ms,
               .rollups = options.rollups,
               .partitions = options.partitions,
               .message_retention_ms = options.message_retention_ms,
               .message_rules = options.message_rules,
               .retention_rules = options.retention_rules},
        tables(schema),
        rollup_blocks_ms(rollup_blocks_of(options)),
        redis({.width_ms = kSlotMs, .quiet_ms = options.quiet_ms, .partitions = options.partitions}, rollup_blocks_ms) {
  }

  static constexpr std::int64_t kSlotMs = 3'600'000;
  static std::vector<std::int64_t> rollup_blocks_of(const ClusterOptions& options) {
    std::vector<std::int64_t> widths;
    for (const auto& level : options.rollups) widths.push_back(level.width_ms);
    return engine::cassandra::rollup_blocks_ms(widths, kSlotMs);
  }

  const ClusterOptions options;
  const SchemaOptions schema;
  ManualClock clock{400'032 * kSlotMs};  // where a rollup block of each granularity begins
  const Tables tables;
  MemoryRows rows{clock};
  const std::vector<std::int64_t> rollup_blocks_ms;
  LocalRedis redis;

  [[nodiscard]] std::size_t missed_touches() { return markers_in(rows, tables); }
};

// The time of a replica: by its own clock, which may be wrong, until it has heard of Redis' time.
class ShiftedClock final : public Clock {
 public:
  ShiftedClock(const Clock& right, std::int64_t ahead_ms) : right_(right), ahead_ms_(ahead_ms) {}
  [[nodiscard]] std::int64_t now_ms() const override { return right_.now_ms() + ahead_ms_; }
  [[nodiscard]] std::int64_t steady_ns() const override { return right_.steady_ns(); }
  void set(std::int64_t ahead_ms) { ahead_ms_ = ahead_ms; }

 private:
  const Clock& right_;
  std::atomic<std::int64_t> ahead_ms_;
};

// What a replica has for itself, before it is wired.
struct ReplicaServers {
  ReplicaServers(Cluster& shared, std::int64_t source_number, std::int64_t ahead_ms)
      : cluster(shared), clock(shared.clock, ahead_ms), source(source_number), rows(shared.rows) {}

  [[nodiscard]] Options own_options() const {
    return {.schema = cluster.schema,
            .rollups = {cluster.options.rollups, {}},
            .slot_quiet_ms = cluster.options.quiet_ms,
            .replica = "r",
            .source = source,
            .chunk_bytes_max = cluster.options.chunk_bytes_max,
            .threads = 1,
            .patience = {.tries = 1, .pause = {}}};
  }
  // The lease is renewed by a thread that goes on when others die or meet failures: by the cluster's rows.
  SharedServers own_servers() {
    const auto make = [this](tracker::redis::MemberNames& names) {
      auto made = std::make_unique<LocalTrackers>(cluster.redis, names, clock);
      made_trackers = made.get();
      return made;
    };
    return {cluster.tables, rows, cluster.rows, cluster.redis.versions, make, clock};
  }

  Cluster& cluster;
  ShiftedClock clock;
  const std::int64_t source;
  MortalRows rows;
  LocalTrackers* made_trackers = nullptr;
};

class ClusterReplica : public ReplicaServers, public ReplicaParts {
 public:
  // Its own clock is ahead by so much, or behind.
  ClusterReplica(Cluster& shared, std::int64_t source_number, std::int64_t ahead_ms = 0)
      : ReplicaServers(shared, source_number, ahead_ms),
        ReplicaParts(own_options(), own_servers()),
        trackers(*made_trackers) {
    trackers.heard = [this](std::int64_t redis_ahead_ms) { clock.set(redis_ahead_ms); };
    EXPECT_TRUE(trackers.check()) << "a replica does not start without";
    EXPECT_TRUE(watermark.renew()) << "nor without a lease";
  }

  struct Line {
    model::GroupId id{};
    std::uint16_t count = 0;
    void set(model::LineGroup& group) const {
      group.id = id;
      group.count = count;
    }
  };
  Line group(const std::vector<std::string>& metrics, const std::string& host, const std::string& tenant = "t") {
    const std::vector<std::string_view> views(metrics.begin(), metrics.end());
    const auto id = series.define_group(*series.tenant(tenant), {{"host", host}}, views);
    EXPECT_TRUE(id);
    return {id.value_or(model::kNoGroup), static_cast<std::uint16_t>(metrics.size())};
  }
  // nullopt: it never called back, or another thread will, whose work it waits for.
  std::optional<Status> append(const model::RowBatch& batch) {
    if (renews && !watermark.has_lease()) std::ignore = watermark.renew();
    const auto told = begin_append(batch);
    if (missed_touches.unheard()) {
      cluster.clock.advance_ms(MissedTouches::kHeardMs);
      missed_touches.tell_heard();
    }
    const std::lock_guard lock(told->mutex);
    return told->status;
  }
  struct Told {
    std::mutex mutex;
    std::optional<Status> status;
  };
  // Without waiting until its marker is heard.
  std::shared_ptr<Told> begin_append(const model::RowBatch& batch) {
    auto told = std::make_shared<Told>();
    appender.append(batch, [told](Status status) {
      const std::lock_guard lock(told->mutex);
      EXPECT_FALSE(told->status) << "called back twice";
      told->status = std::move(status);
    });
    return told;
  }
  // All series of the group have the value.
  std::optional<Status> append(const Line& line, model::Timestamp time, std::int64_t value) {
    return append(batch_of(line, time, value));
  }
  static model::RowBatch batch_of(const Line& line, model::Timestamp time, std::int64_t value) {
    model::LineGroup group;
    line.set(group);
    model::RowBatch batch;
    batch.add(group, time, std::vector<model::Value>(line.count, model::Value::of_long(value)));
    return batch;
  }
  // Time passes, and it renews its lease as its thread would.
  void live(std::int64_t ms) {
    for (; ms > 0; ms -= Watermark::kLeaseMs) {
      cluster.clock.advance_ms(std::min(ms, Watermark::kLeaseMs));
      EXPECT_TRUE(watermark.renew());
    }
  }
  void kill() {
    rows.kill();
    trackers.kill();
  }
  Status turns() {
    for (std::uint32_t partition = 0; partition < cluster.options.partitions; ++partition) {
      VARVE_RETURN_IF_ERROR(worker.turn(partition, [] { return true; }));
    }
    return {};
  }

  LocalTrackers& trackers;
  bool renews = true;  // append() does, where the lease has run out: time may have jumped
};

}  // namespace varve::engine::cassandra::testing
