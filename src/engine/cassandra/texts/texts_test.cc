// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/texts/texts.h"

#include <gtest/gtest.h>

#include <optional>

#include "engine/cassandra/testing/cluster.h"
#include "storage/testing/text_contract.h"

namespace varve::engine::cassandra {
namespace {

using storage::TextName;
using testing::Cluster;

class MemoryRowTexts final : public storage::testing::TextEngine {
 public:
  storage::TextStore& texts() override { return *texts_; }
  void restart() override {
    cluster_.clock.advance_ms(1000);
    texts_.emplace(cluster_.tables, cluster_.rows, cluster_.clock);
  }

 private:
  Cluster cluster_;
  std::optional<Texts> texts_{std::in_place, cluster_.tables, cluster_.rows, cluster_.clock};
};

TEST(Texts, replicas_see_each_others) {
  Cluster cluster;
  Texts one(cluster.tables, cluster.rows, cluster.clock);
  Texts other(cluster.tables, cluster.rows, cluster.clock);
  const TextName name{"t", "s", "k", "a"};
  ASSERT_TRUE(one.put_text(name, "1"));
  EXPECT_EQ(other.text(name).value(), "1");
  cluster.clock.advance_ms(1);
  ASSERT_TRUE(other.erase_text(name));
  EXPECT_EQ(one.text(name).value(), std::nullopt);
}

TEST(Texts, passing_ones_go_by_themselves) {
  Cluster cluster;
  Texts one(cluster.tables, cluster.rows, cluster.clock);
  Texts other(cluster.tables, cluster.rows, cluster.clock);
  const TextName name{"", "s", "k", "a"};
  ASSERT_TRUE(one.put_passing_text(name, "1", std::chrono::seconds(10)));
  EXPECT_EQ(other.passing_text(name).value(), "1");
  cluster.clock.advance_ms(8'000);
  EXPECT_EQ(other.passing_text(name).value(), "1");
  ASSERT_TRUE(one.put_passing_text(name, "2", std::chrono::seconds(10)));
  cluster.clock.advance_ms(8'000);
  EXPECT_EQ(other.passing_text(name).value(), "2");
  cluster.clock.advance_ms(3'000);
  EXPECT_EQ(other.passing_text(name).value(), std::nullopt);
}

}  // namespace
}  // namespace varve::engine::cassandra

namespace varve::storage::testing {
INSTANTIATE_TEST_SUITE_P(Rows, TextContract, ::testing::Values(MakeTexts([] {
                           return std::make_unique<engine::cassandra::MemoryRowTexts>();
                         })));
}  // namespace varve::storage::testing
