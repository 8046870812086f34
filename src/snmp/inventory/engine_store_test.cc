// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/engine_store.h"

#include <gtest/gtest.h>

#include "storage/testing/memory_texts.h"

namespace varve::snmp::inventory {
namespace {

constexpr model::Timestamp kYear2020 = 1'577'836'800'000;

TEST(EngineStore, the_id_stays_and_starts_are_counted) {
  storage::testing::MemoryTexts texts;
  const auto first = start_engine(texts, "local", kYear2020);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->boots, 1U);
  EXPECT_EQ(first->id.size(), 17U);
  EXPECT_EQ(engine_text(first->id).substr(0, 10), "80001f8805");
  const auto second = start_engine(texts, "local", kYear2020 - 1'000'000);  // the clock was set back
  EXPECT_EQ(second->id, first->id);
  EXPECT_EQ(second->boots, 2U);
  EXPECT_NE(start_engine(texts, "host:8080", kYear2020)->id, first->id);
}

// A store that was put back from a backup knows less than there was.
TEST(EngineStore, starts_are_never_fewer_than_seconds) {
  storage::testing::MemoryTexts texts;
  EXPECT_EQ(start_engine(texts, "local", kYear2020 + 5'000'999)->boots, 5000U);
  EXPECT_EQ(start_engine(texts, "local", kYear2020 + 5'000'999)->boots, 5001U);
  EXPECT_EQ(start_engine(texts, "local", model::kTimestampMax)->boots, 0x7fffffffU);
  EXPECT_EQ(start_engine(texts, "local", kYear2020)->boots, 0x7fffffffU);
}

TEST(EngineStore, what_is_no_id_is_told) {
  storage::testing::MemoryTexts texts;
  for (const char* wrong : {"", "80001f88", "80001f88 7", "80001f880x 7", "80001f8805a 7", "80001f8805 x",
                            "80001f8805 7 8", "80001f8805 -1", "80001f8805 99999999999"}) {
    ASSERT_TRUE(texts.put_text({"", "_snmp_engine", "engine", "local"}, wrong));
    const auto engine = start_engine(texts, "local", kYear2020);
    ASSERT_FALSE(engine) << wrong;
    EXPECT_EQ(engine.error().code, Code::corrupt);
  }
  ASSERT_TRUE(texts.put_text({"", "_snmp_engine", "engine", "local"}, "80001f8805 7"));
  EXPECT_EQ(start_engine(texts, "local", kYear2020)->boots, 8U);
}

}  // namespace
}  // namespace varve::snmp::inventory
