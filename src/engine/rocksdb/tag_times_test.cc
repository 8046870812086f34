// SPDX-License-Identifier: Apache-2.0
// When the series with a tag were seen, compared with what is known of each of them.
#include <gtest/gtest.h>

#include <random>

#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::Value;
using storage::SeriesStats;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

constexpr unsigned kTaggedHosts = 3000;  // three pages of groups, and more of series

class TagTimesTest : public testing::RollupStore {
 protected:
  void SetUp() override {
    for (unsigned host = 0; host < kTaggedHosts; ++host) {
      const std::string tenant = host % 50 == 0 ? "other" : "t";
      const std::string dc = host < 10 ? "old" : "dc" + std::to_string(host % 7);
      const std::string rack = std::to_string(host / 600);  // in pages of their own
      std::vector<std::string> metrics{"m"};
      if (host % 3 == 0) metrics.insert(metrics.begin(), "n");
      groups_.push_back(store.group(
          metrics, {{"dc", dc}, {"host", std::to_string(host)}, {"os", host % 2 == 0 ? "a" : "b"}, {"rack", rack}},
          tenant));
      columns_.push_back(metrics.size());
    }
  }
  void put(unsigned host, model::Timestamp time) {
    const std::vector<Value> ones(columns_[host], Value::of_long(1));
    ASSERT_TRUE(store.put(*groups_[host], time, ones));
  }
  void put_all() {
    model::RowBatch batch;
    for (unsigned host = 0; host < kTaggedHosts; ++host) {
      const std::vector<Value> ones(columns_[host], Value::of_long(1));
      batch.add(store.line(*groups_[host]), kStart + static_cast<model::Timestamp>(below(300)) * kMinute, ones);
    }
    ASSERT_TRUE(store.append(batch));
  }
  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }

  // Of all tags the search looks at everything, for the hosts that each have one; of few tags only at what it must.
  void compare(std::string_view tenant_name, const std::string& metric, bool with_hosts) {
    const auto tenant = store.tenant(tenant_name);
    auto tagged = engine.series().tagged_series(tenant, metric, {}).value();
    std::erase_if(tagged, [&](const auto& one) { return one.key == "host" && !with_hosts; });
    model::TagViews tags;
    for (const auto& one : tagged) tags.push_back({one.key, one.value});
    if (with_hosts) tags.push_back({"dc", "none"});
    const auto times = engine.series().tag_times(tenant, metric, tags);
    ASSERT_TRUE(times.has_value());
    ASSERT_EQ(times->size(), tags.size());
    if (with_hosts) {
      EXPECT_EQ(times->back().points, 0U);
    }
    for (std::size_t i = 0; i < tagged.size(); ++i) {
      SeriesStats all;
      const auto each = engine.series().series_stats(tenant, tagged[i].series);
      for (const auto& stats : *each) all.add(stats);
      ASSERT_EQ((*times)[i].points > 0, all.points > 0) << tagged[i].value;
      if (all.points == 0) continue;
      ASSERT_EQ((*times)[i].first_ms, all.first_ms) << tagged[i].value;
      ASSERT_EQ((*times)[i].last_ms, all.last_ms) << tagged[i].value;
    }
  }
  void compare() {
    for (const char* const tenant : {"t", "other"}) {
      for (const char* const metric : {"m", "n"}) {
        ASSERT_NO_FATAL_FAILURE(compare(tenant, metric, true));
        ASSERT_NO_FATAL_FAILURE(compare(tenant, metric, false));
      }
    }
  }

  std::mt19937 random_{5};
  std::vector<storage::testing::Group*> groups_;
  std::vector<std::size_t> columns_;
};

TEST_F(TagTimesTest, AgreeWithTheirSeries) {
  ASSERT_NO_FATAL_FAILURE(put_all());
  ASSERT_NO_FATAL_FAILURE(compare());
  settle();
  ASSERT_NO_FATAL_FAILURE(compare());
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 20; ++i) {  // in the head, in front of and behind what is stored
      put(below(kTaggedHosts), kStart + (static_cast<model::Timestamp>(below(900)) - 300) * kMinute);
      if (i % 5 == 0) {
        ASSERT_NO_FATAL_FAILURE(compare());
      }
    }
    settle();
    if (round == 1) store.restart();
    ASSERT_NO_FATAL_FAILURE(compare());
  }
}

TEST_F(TagTimesTest, SomeWithoutSamples) {
  for (unsigned host = 0; host < kTaggedHosts; host += 1 + below(400)) put(host, kStart + below(100) * kHour);
  ASSERT_NO_FATAL_FAILURE(compare());
}

TEST_F(TagTimesTest, AtTheEpochAndBefore) {
  for (unsigned host = 0; host < kTaggedHosts; host += 1 + below(40)) {
    put(host, -static_cast<model::Timestamp>(below(4)) * kHour);
  }
  ASSERT_NO_FATAL_FAILURE(compare());
}

TEST_F(TagTimesTest, AfterDeletes) {
  ASSERT_NO_FATAL_FAILURE(put_all());
  settle();
  const auto found = store.find("m");
  const auto some = std::span(found).first(found.size() / 2);
  ASSERT_TRUE(engine.samples().erase(store.tenant(), some, {}, nullptr));
  ASSERT_NO_FATAL_FAILURE(compare());
  engine.series().forget_empty(store.tenant(), some);
  ASSERT_NO_FATAL_FAILURE(compare());
  put(1, kStart - 5 * kHour);
  ASSERT_NO_FATAL_FAILURE(compare());
}

TEST_F(TagTimesTest, NotOfWhatExpiresOrIsNotThere) {
  ASSERT_NO_FATAL_FAILURE(put_all());
  const model::TagViews tags{{"os", "a"}};
  EXPECT_TRUE(engine.series().tag_times(store.tenant(), "m", tags).has_value());
  EXPECT_FALSE(engine.series().tag_times(store.tenant(), "none", tags).has_value());
  const auto mortal = store.group({"m"}, {{"host", "mortal"}}, "t", 60);
  ASSERT_TRUE(store.put(*mortal, clock.now_ms(), {Value::of_long(1)}));
  EXPECT_FALSE(engine.series().tag_times(store.tenant(), "m", tags).has_value());
}

}  // namespace
}  // namespace varve::engine::rocksdb
