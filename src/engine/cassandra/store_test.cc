// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/store.h"

#include <gtest/gtest.h>

#include <bit>

#include "engine/cassandra/testing/store_engine.h"
#include "storage/testing/catalog_contract.h"
#include "storage/testing/classes_contract.h"
#include "storage/testing/counter_contract.h"
#include "storage/testing/ends_contract.h"
#include "storage/testing/histogram_contract.h"
#include "storage/testing/marker_contract.h"
#include "storage/testing/message_contract.h"
#include "storage/testing/store_contract.h"
#include "storage/testing/store_model.h"
#include "storage/testing/ttl_contract.h"

namespace varve::storage::testing {
namespace {

using engine::cassandra::testing::ClusterOptions;
using engine::cassandra::testing::StoreEngine;

MakeEngine make(const ClusterOptions& options) {
  return [options] { return std::make_unique<StoreEngine>(options); };
}

ClusterOptions plain() {
  ClusterOptions options;
  options.rollups.clear();
  return options;
}

ClusterOptions kept_by_class() {
  ClusterOptions options;
  options.raw_retention_ms = kRawDays * model::kDayMs;
  options.rollups = {{300'000, kWindowDays * model::kDayMs}, {3'600'000, kWindowDays * model::kDayMs}};
  for (const auto& [conditions, days] : kRetentionClasses) {
    rollup::RetentionRule& rule = options.retention_rules.emplace_back("c", days * model::kDayMs);
    EXPECT_TRUE(rollup::read_retention_conditions(conditions, rule));
  }
  return options;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Memory, ClassesContract, ::testing::Values(make(kept_by_class())));
INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, ::testing::Values(make(plain())));
INSTANTIATE_TEST_SUITE_P(MemoryRolledUp, StoreContract, ::testing::Values(make({})));
INSTANTIATE_TEST_SUITE_P(Memory, MessageContract, ::testing::Values(make(plain())));

// Settling lets time pass: all that has ended is sealed and quiet afterwards, and every other time hot rows are gone.
class AgingEngine final : public Engine, private SampleStore {
 public:
  explicit AgingEngine(const ClusterOptions& options) : engine_(options) {}
  SeriesStore& series() override { return engine_.series(); }
  SampleStore& samples() override { return *this; }
  void restart() override { engine_.restart(); }
  [[nodiscard]] std::size_t settled() const { return settled_; }

 private:
  void append(const model::RowBatch& batch, AppendDone done) override { store().append(batch, std::move(done)); }
  Status scan(model::TenantId tenant, std::span<const model::SeriesId> series, const ScanOptions& options,
              PieceSink& sink) override {
    return store().scan(tenant, series, options, sink);
  }
  Result<EraseReport> erase(model::TenantId tenant, std::span<const model::SeriesId> series, model::TimeRange range,
                            const std::atomic<bool>* cancelled) override {
    return store().erase(tenant, series, range, cancelled);
  }
  Result<SettleReport> settle() override {
    auto& cluster = engine_.cluster;
    for (std::size_t level = 0; level <= cluster.options.rollups.size(); ++level) {
      cluster.clock.advance_ms(cluster.options.quiet_ms + 60'000);
      auto settled = store().settle();
      if (!settled) return settled;
    }
    if (++settled_ % 2 == 0) cluster.clock.advance_ms(engine::cassandra::kHotKeptMs + 2 * 86'400'000);
    return SettleReport{};
  }
  [[nodiscard]] StorageBytes storage_bytes() const override { return {}; }
  engine::cassandra::Store& store() { return engine_.store(); }

  StoreEngine engine_;
  std::size_t settled_ = 0;
};

// Counts and sums what windows say.
class WindowSum final : public PieceSink {
 public:
  bool takes_stats(const ChunkStats&) override { return false; }
  void stats(const ChunkStats&) override {}
  bool takes_windows(std::size_t, model::TimeRange, std::int64_t) override { return true; }
  [[nodiscard]] WindowFields window_fields(std::size_t) const override { return {.sum = true}; }
  void window_columns(const WindowColumns& windows) override {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      count += windows.counts[i];
      sum += std::bit_cast<double>(windows.sums[i]);
    }
  }
  Status piece(const Piece& piece) override {
    samples += piece.size();
    return {};
  }
  std::uint64_t count = 0, samples = 0;
  double sum = 0;
};

// A request brings samples of many slots that raw.retention has dropped long ago.
TEST(ClusterStore, late_samples_of_one_request_go_into_windows_once) {
  ClusterOptions options;
  options.raw_retention_ms = 86'400'000;
  StoreEngine engine(options);
  Fixture store(engine);
  auto* const group = store.group({"m", "n"});
  const model::Timestamp old = engine.cluster.clock.now_ms() - 5 * 86'400'000;
  model::RowBatch batch;
  for (int i = 0; i < 48; ++i) {
    const model::Value value = model::Value::of_long(i);
    batch.add(store.line(*group), old + i * 1'800'000, std::vector<model::Value>{value, value});
  }
  ASSERT_TRUE(store.append(batch));
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(engine.samples().settle());
    engine.cluster.clock.advance_ms(3'600'000);
    ASSERT_TRUE(engine.samples().settle());
    for (const char* metric : {"m", "n"}) {
      WindowSum sink;
      ASSERT_TRUE(engine.samples().scan(store.tenant(), store.find(metric), {{old, old + 86'400'000}}, sink));
      EXPECT_EQ(sink.count, 48U);
      EXPECT_EQ(sink.sum, 47 * 24);
      EXPECT_EQ(sink.samples, 0U);
    }
    store.restart();
  }
}

TEST(ClusterStore, rows_of_a_group_go_with_its_samples) {
  StoreEngine engine;
  auto& [options, schema, clock, tables, rows, rollup_blocks_ms, redis] = engine.cluster;
  Fixture store(engine);
  const auto* const mortal = store.group({"mortal"}, {{"host", "a"}}, "t", 10 * kHourS);
  const auto* const ever = store.group({"ever"});
  const model::Timestamp time = clock.now_ms();  // where a rollup block begins
  for (const auto* group : {mortal, ever}) ASSERT_TRUE(store.put(*group, time, {model::Value::of_long(1)}));
  for (int i = 0; i < 5; ++i) {
    clock.advance_ms(kHourMs);
    ASSERT_TRUE(engine.samples().settle());
  }
  const auto count = [&](const engine::cassandra::Table& table) {
    int found = 0;
    EXPECT_TRUE(rows.read_all(table, {}, [&](const engine::cassandra::RowView&) -> Status {
      ++found;
      return {};
    }));
    return found;
  };
  EXPECT_EQ(count(tables.sealed), 2);
  EXPECT_EQ(count(tables.levels[0]), 2);
  clock.advance_ms(6 * kHourMs);
  EXPECT_EQ(count(tables.sealed), 1);
  EXPECT_EQ(count(tables.levels[0]), 2) << "its rollup block is longer";
  clock.advance_ms(3 * kHourMs);
  EXPECT_EQ(count(tables.levels[0]), 1);
  EXPECT_EQ(count(tables.line_groups), 2);
  clock.advance_ms(8 * 24 * kHourMs);
  EXPECT_EQ(count(tables.line_groups), 1);
}

// As long as the series that is kept the longest, and a day.
TEST(ClusterStore, rows_of_a_group_stay_as_long_as_its_classes) {
  StoreEngine engine(kept_by_class());
  Fixture store(engine);
  auto& [options, schema, clock, tables, rows, rollup_blocks_ms, redis] = engine.cluster;
  const model::Tags keep{{"keep", "long"}};
  const model::Timestamp time = clock.now_ms();  // where a rollup block begins
  for (const auto* group : {store.group({"brief"}), store.group({"brief2", "m"}), store.group({"long"}, keep)}) {
    ASSERT_TRUE(store.put(*group, time, std::vector(group->metrics.size(), model::Value::of_long(1))));
  }
  const auto count = [&](const engine::cassandra::Table& table) {
    int found = 0;
    EXPECT_TRUE(rows.read_all(table, {}, [&](const engine::cassandra::RowView&) -> Status {
      ++found;
      return {};
    }));
    return found;
  };
  for (int i = 0; i < 5; ++i) {
    clock.advance_ms(kHourMs);
    ASSERT_TRUE(engine.samples().settle());
  }
  const auto pass_until = [&](std::int64_t days) { clock.advance_ms(time + days * 24 * kHourMs - clock.now_ms()); };
  EXPECT_EQ(count(tables.sealed), 3);
  EXPECT_EQ(count(tables.levels[0]), 3);
  pass_until(3);
  EXPECT_EQ(count(tables.sealed), 2);
  pass_until(5);
  EXPECT_EQ(count(tables.sealed), 2) << "a day more";
  EXPECT_EQ(count(tables.levels[0]), 2);
  EXPECT_EQ(count(tables.line_groups), 3);
  pass_until(8);
  EXPECT_EQ(count(tables.sealed), 1);
  pass_until(17);
  EXPECT_EQ(count(tables.line_groups), 2);
  EXPECT_EQ(count(tables.levels[0]), 2);
  pass_until(30);
  EXPECT_EQ(count(tables.levels[0]), 1);
  pass_until(40);
  EXPECT_EQ(count(tables.sealed), 1);
  EXPECT_EQ(count(tables.levels[0]), 1);
  EXPECT_EQ(count(tables.line_groups), 1);
  pass_until(45);
  EXPECT_EQ(count(tables.sealed), 0);
  EXPECT_EQ(count(tables.levels[0]), 0);
}

TEST(ClusterStoreModel, random_work) {
  constexpr model::Timestamp kFromTheFirstTimeOn = model::kTimestampMin + 2 * HourlySink::kHourMs;
  std::size_t settled = 0;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    AgingEngine engine(seed % 2 == 0 ? plain() : ClusterOptions{});
    StoreModel(engine, seed, seed > 8 ? kFromTheFirstTimeOn : 0).run(150);
    settled += engine.settled();
  }
  EXPECT_GT(settled, 12U);
}

// The same where no chunk fits into a row.
TEST(ClusterStoreModel, random_work_in_pieces) {
  for (std::uint32_t seed = 21; seed <= 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusterOptions options = seed % 2 == 0 ? plain() : ClusterOptions{};
    options.chunk_bytes_max = 50 * (seed - 20);
    AgingEngine engine(options);
    StoreModel(engine, seed).run(150);
  }
}

}  // namespace varve::storage::testing
