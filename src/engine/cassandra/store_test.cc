// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/store.h"

#include <gtest/gtest.h>

#include "engine/cassandra/testing/store_engine.h"
#include "storage/testing/catalog_contract.h"
#include "storage/testing/store_contract.h"

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

}  // namespace varve::storage::testing
