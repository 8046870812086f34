// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/store.h"

#include <gtest/gtest.h>

#include "engine/cassandra/testing/store_engine.h"
#include "storage/testing/catalog_contract.h"
#include "storage/testing/store_contract.h"
#include "storage/testing/store_model.h"

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

}  // namespace

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, ::testing::Values(make(plain())));
INSTANTIATE_TEST_SUITE_P(MemoryRolledUp, StoreContract, ::testing::Values(make({})));

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

TEST(ClusterStoreModel, random_work) {
  std::size_t settled = 0;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    AgingEngine engine(seed % 2 == 0 ? plain() : ClusterOptions{});
    StoreModel(engine, seed).run(150);
    settled += engine.settled();
  }
  EXPECT_GT(settled, 12U);
}

}  // namespace varve::storage::testing
