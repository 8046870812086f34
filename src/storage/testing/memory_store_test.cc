// SPDX-License-Identifier: Apache-2.0
// The store of plain maps is a store, too.
#include "storage/testing/memory_store.h"

#include "storage/testing/store_contract.h"

namespace varve::storage::testing {
namespace {

class MemoryEngine final : public Engine {
 public:
  SeriesStore& series() override { return store_; }
  SampleStore& samples() override { return store_; }
  void restart() override {}

 private:
  SystemClock clock_;
  MemoryStore store_{1000, &clock_};
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract,
                         ::testing::Values(MakeEngine([] { return std::make_unique<MemoryEngine>(); })));

}  // namespace varve::storage::testing
