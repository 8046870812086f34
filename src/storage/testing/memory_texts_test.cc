// SPDX-License-Identifier: Apache-2.0
#include "storage/testing/memory_texts.h"

#include "storage/testing/text_contract.h"

namespace varve::storage::testing {
namespace {

class MemoryTextEngine final : public TextEngine {
 public:
  TextStore& texts() override { return texts_; }
  void restart() override {}

 private:
  MemoryTexts texts_;
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Memory, TextContract,
                         ::testing::Values(MakeTexts([] { return std::make_unique<MemoryTextEngine>(); })));

}  // namespace varve::storage::testing
