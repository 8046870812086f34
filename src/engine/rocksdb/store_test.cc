// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/store.h"

#include <gtest/gtest.h>

#include "base/testing/jumping_clock.h"
#include "engine/rocksdb/testing/directory.h"
#include "storage/testing/catalog_contract.h"
#include "storage/testing/classes_contract.h"
#include "storage/testing/counter_contract.h"
#include "storage/testing/ends_contract.h"
#include "storage/testing/histogram_contract.h"
#include "storage/testing/marker_contract.h"
#include "storage/testing/message_contract.h"
#include "storage/testing/store_contract.h"
#include "storage/testing/store_model.h"
#include "storage/testing/text_contract.h"
#include "storage/testing/ttl_contract.h"

namespace varve::engine::rocksdb {
namespace {

using storage::testing::MakeEngine;
using storage::testing::StoreContract;
using storage::testing::StoreModel;
using testing::RocksdbEngine;

Options plain() { return {}; }

// Every few rows go into the database, and runs are merged as soon as there are two.
Options restless() {
  Options options;
  options.log_bytes_max = 2000;
  options.runs_per_slot_max = 2;
  options.merge_quiet_ms = 0;
  return options;
}

Options rolled_up() {
  Options options;
  options.rollups.levels = {{300'000, rollup::kForEver}, {3'600'000, rollup::kForEver}, {86'400'000, rollup::kForEver}};
  options.rollups.counters = storage::testing::test_counters();
  return options;
}

Options synced() {
  Options options;
  options.sync_always = true;
  return options;
}

// So that slots at the end of time are sealed, too.
class ClockBehindAllTime final : public Clock {
 public:
  [[nodiscard]] std::int64_t now_ms() const override { return model::kTimestampMax + 400 * model::kDayMs; }
  [[nodiscard]] std::int64_t steady_ns() const override { return system_.steady_ns(); }

 private:
  SystemClock system_;
};

MakeEngine make(const Options& options) {
  return [options] { return std::make_unique<RocksdbEngine>(options); };
}

// Only settle() does anything, and no time passes by itself.
Options kept_by_class() {
  Options options;
  options.raw_retention_ms = storage::testing::kRawDays * model::kDayMs;
  options.rollups.levels = {{300'000, storage::testing::kWindowDays * model::kDayMs},
                            {3'600'000, storage::testing::kWindowDays * model::kDayMs}};
  options.slot_quiet_ms = 1000 * model::kDayMs;
  options.merge_quiet_ms = 1000 * model::kDayMs;
  for (const auto& [conditions, days] : storage::testing::kRetentionClasses) {
    rollup::RetentionRule& rule = options.retention_classes.emplace_back("c", days * model::kDayMs);
    EXPECT_TRUE(rollup::read_retention_conditions(conditions, rule));
  }
  return options;
}

class WithItsClock final : public storage::testing::Engine {
 public:
  explicit WithItsClock(const Options& options) : engine_(options, clock_) {}
  storage::SeriesStore& series() override { return engine_.series(); }
  storage::SampleStore& samples() override { return engine_.samples(); }
  void restart() override { engine_.restart(); }
  [[nodiscard]] std::int64_t now_ms() const override { return clock_.now_ms(); }
  bool advance_ms(std::int64_t by_ms) override {
    clock_.advance_ms(by_ms);
    return true;
  }
  [[nodiscard]] bool makes_windows() const override { return engine_.makes_windows(); }

 private:
  varve::testing::JumpingClock clock_{20'000 * model::kDayMs};
  RocksdbEngine engine_;
};

class RocksdbTexts final : public storage::testing::TextEngine {
 public:
  explicit RocksdbTexts(const Options& options) : engine_(options) {}
  storage::TextStore& texts() override { return engine_.store(); }
  void restart() override {
    // What samples do to the database meanwhile.
    storage::testing::Fixture store(engine_);
    EXPECT_TRUE(store.put(*store.group({"m"}), 1000, {model::Value::of_long(1)}));
    engine_.restart();
    EXPECT_TRUE(engine_.samples().settle());
  }

 private:
  RocksdbEngine engine_;
};

}  // namespace
}  // namespace varve::engine::rocksdb

namespace varve::storage::testing {
INSTANTIATE_TEST_SUITE_P(Rocksdb, TextContract, ::testing::Values(MakeTexts([] {
                           return std::make_unique<engine::rocksdb::RocksdbTexts>(engine::rocksdb::restless());
                         })));
INSTANTIATE_TEST_SUITE_P(Rocksdb, ClassesContract, ::testing::Values(MakeEngine([] {
                           return std::make_unique<engine::rocksdb::WithItsClock>(engine::rocksdb::kept_by_class());
                         })));
INSTANTIATE_TEST_SUITE_P(Plain, StoreContract, ::testing::Values(engine::rocksdb::make(engine::rocksdb::plain())));
INSTANTIATE_TEST_SUITE_P(Restless, StoreContract,
                         ::testing::Values(engine::rocksdb::make(engine::rocksdb::restless())));
INSTANTIATE_TEST_SUITE_P(RolledUp, StoreContract,
                         ::testing::Values(engine::rocksdb::make(engine::rocksdb::rolled_up())));
INSTANTIATE_TEST_SUITE_P(Plain, MessageContract, ::testing::Values(engine::rocksdb::make(engine::rocksdb::plain())));
INSTANTIATE_TEST_SUITE_P(Restless, MessageContract,
                         ::testing::Values(engine::rocksdb::make(engine::rocksdb::restless())));
INSTANTIATE_TEST_SUITE_P(Synced, StoreContract, ::testing::Values(engine::rocksdb::make(engine::rocksdb::synced())));
}  // namespace varve::storage::testing

namespace varve::engine::rocksdb {
namespace {

TEST(StoreModel, random_work) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RocksdbEngine engine(plain());
    StoreModel(engine, seed).run(150);
  }
}

TEST(StoreModel, random_work_at_the_ends_of_time) {
  for (std::uint32_t seed = 21; seed <= 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ClockBehindAllTime clock;
    RocksdbEngine engine(seed % 2 == 0 ? restless() : rolled_up(), clock);
    StoreModel(engine, seed, seed < 23 ? model::kTimestampMin : model::kTimestampMax).run(150);
  }
}

TEST(StoreModel, random_work_while_spilling_and_merging) {
  for (std::uint32_t seed = 11; seed <= 16; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RocksdbEngine engine(restless());
    StoreModel(engine, seed).run(150);
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
