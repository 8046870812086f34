// SPDX-License-Identifier: Apache-2.0
// The store of plain maps is a store, too.
#include "storage/testing/memory_store.h"

#include "storage/testing/ahead_clock.h"
#include "storage/testing/ends_contract.h"
#include "storage/testing/histogram_contract.h"
#include "storage/testing/marker_contract.h"
#include "storage/testing/store_contract.h"
#include "storage/testing/ttl_contract.h"

namespace varve::storage::testing {
namespace {

class MemoryEngine final : public Engine {
 public:
  SeriesStore& series() override { return store_; }
  SampleStore& samples() override { return store_; }
  void restart() override {}
  [[nodiscard]] std::int64_t now_ms() const override { return clock_.now_ms(); }
  bool advance_ms(std::int64_t by_ms) override {
    clock_.advance_ms(by_ms);
    return true;
  }

 private:
  AheadClock clock_;
  MemoryStore store_{1000, &clock_};
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract,
                         ::testing::Values(MakeEngine([] { return std::make_unique<MemoryEngine>(); })));

}  // namespace varve::storage::testing
