// SPDX-License-Identifier: Apache-2.0
// What is known of whole metrics, compared with what is known of each of their series.
#include <gtest/gtest.h>

#include <random>

#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb {
namespace {

using model::Value;
using storage::MetricStats;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using Names = std::vector<std::string>;

constexpr int kHosts = 300;
constexpr const char* kTextMetric = "m1";  // a text is alone in its row

// Series enough that sums pay: sixteen metrics of each host, and of the other tenant, too. The first page of series has
// so many metrics beside them that it is added up each time.
class MetricStatsTest : public testing::RollupStore {
 protected:
  void SetUp() override {
    for (int i = 0; i < 100; ++i) singles_.push_back(store.group({"single" + std::to_string(i)}));
    for (int m = 0; m < 16; ++m) metrics_.push_back("m" + std::to_string(m));
    Names numbers = metrics_;
    std::erase(numbers, kTextMetric);
    for (const char* const tenant : {"t", "other"}) {
      for (int host = 0; host < kHosts; ++host) {
        groups_.push_back(store.group(numbers, {{"host", "h" + std::to_string(host)}}, tenant));
        texts_.push_back(store.group({kTextMetric}, {{"host", "h" + std::to_string(host)}}, tenant));
      }
    }
    model::RowBatch batch;  // what has no sample is forgotten at some time
    for (const auto* group : groups_) batch.add(store.line(*group), kStart, ones());
    for (const auto* group : texts_) batch.add(store.line(*group), kStart, Value::of_long(1));
    ASSERT_TRUE(store.append(batch));
  }

  // Of one of groups_.
  [[nodiscard]] std::vector<Value> ones() const { return std::vector<Value>(metrics_.size() - 1, Value::of_long(1)); }

  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }

  // Rows of random hosts; values of some metrics are texts, or differ in type.
  void put_some(int count) {
    model::RowBatch batch;
    for (int i = 0; i < count; ++i) {
      const unsigned host = below(static_cast<unsigned>(groups_.size()));
      std::vector<Value> values = ones();
      if (below(3) == 0) values[2] = Value::of_double(0.5);
      const model::Timestamp time = kStart + static_cast<model::Timestamp>(below(200)) * kMinute;
      batch.add(store.line(*groups_[host]), time, values);
      batch.add(store.line(*texts_[host]), time, Value::of_string("text"));
    }
    for (const auto* single : singles_) batch.add(store.line(*single), kStart - below(9), {{Value::of_long(1)}});
    ASSERT_TRUE(store.append(batch));
  }

  std::vector<std::vector<model::SeriesId>> find(const Names& names, std::string_view tenant_name) {
    std::vector<std::vector<model::SeriesId>> found;
    for (const auto& name : names) found.push_back(store.find(name, tenant_name));
    return found;
  }

  void compare(std::string_view tenant_name) {
    const auto tenant = store.tenant(tenant_name);
    Names names = metrics_;
    names.insert(names.begin(), {"none", "single7"});
    std::vector<std::vector<model::SeriesId>> series;
    std::optional<std::vector<MetricStats>> known;
    do {  // again if the store has forgotten some meanwhile
      series = find(names, tenant_name);
      known = engine.series().metric_stats(tenant, names);
    } while (find(names, tenant_name) != series);
    ASSERT_TRUE(known.has_value());
    ASSERT_EQ(known->size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      MetricStats expected{series[i].size(), {}};
      const auto each = engine.series().series_stats(tenant, series[i]);
      for (const auto& stats : *each) expected.stats.add(stats);
      ASSERT_EQ((*known)[i].series, expected.series) << names[i];
      ASSERT_EQ((*known)[i].stats, expected.stats) << names[i];
    }
  }
  void compare() {
    for (const char* const tenant : {"t", "other"}) {
      ASSERT_NO_FATAL_FAILURE(compare(tenant));
      ASSERT_NO_FATAL_FAILURE(compare(tenant));  // from what is kept now
    }
  }

  std::mt19937 random_{11};
  Names metrics_;
  std::vector<storage::testing::Group*> groups_, texts_;  // of each tenant and host
  std::vector<storage::testing::Group*> singles_;
};

TEST_F(MetricStatsTest, AgreeWithTheirSeries) {
  ASSERT_NO_FATAL_FAILURE(compare());
  for (int round = 0; round < 4; ++round) {
    ASSERT_NO_FATAL_FAILURE(put_some(400));  // in the head
    ASSERT_NO_FATAL_FAILURE(compare());
    ASSERT_NO_FATAL_FAILURE(put_some(1));  // makes what is kept of the head old
    ASSERT_NO_FATAL_FAILURE(compare());
    if (round == 0) continue;
    settle();
    ASSERT_NO_FATAL_FAILURE(compare());
    if (round == 2) store.restart();
    ASSERT_NO_FATAL_FAILURE(compare());
  }
}

// What ascends is not read; what comes twice or late, or has values of several types, is.
TEST_F(MetricStatsTest, WhileSamplesComeInOrder) {
  const auto put = [&](std::size_t from, int minute, const std::vector<Value>& values) {
    model::RowBatch batch;
    for (std::size_t i = from; i < groups_.size(); i += 7) {
      batch.add(store.line(*groups_[i]), kStart + minute * kMinute, values);
    }
    ASSERT_TRUE(store.append(batch));
  };
  for (int minute = 1; minute < 130; minute += 9) {
    ASSERT_NO_FATAL_FAILURE(put(static_cast<std::size_t>(minute % 5), minute, ones()));
    ASSERT_NO_FATAL_FAILURE(compare());
  }
  ASSERT_NO_FATAL_FAILURE(put(0, 200, std::vector<Value>(metrics_.size() - 1, Value::of_double(0.25))));
  ASSERT_NO_FATAL_FAILURE(compare());
  for (const int minute : {200, 199}) {
    ASSERT_NO_FATAL_FAILURE(put(0, minute, ones()));
    ASSERT_NO_FATAL_FAILURE(compare());
  }
  std::vector<Value> mixed = ones();
  mixed[3] = Value::of_double(0.1);
  ASSERT_NO_FATAL_FAILURE(put(0, 201, mixed));
  ASSERT_NO_FATAL_FAILURE(compare());
}

TEST_F(MetricStatsTest, AfterDeletes) {
  ASSERT_NO_FATAL_FAILURE(put_some(2000));
  settle();
  ASSERT_NO_FATAL_FAILURE(compare());
  const auto texts = store.find("m1");
  ASSERT_TRUE(engine.samples().erase(store.tenant(), std::span(texts).first(150), {}, nullptr));
  ASSERT_NO_FATAL_FAILURE(compare());
  ASSERT_TRUE(engine.samples().erase(store.tenant(), store.find("m3"), {}, nullptr));
  engine.series().forget_empty(store.tenant(), store.find("m3"));
  EXPECT_TRUE(store.find("m3").empty());
  ASSERT_NO_FATAL_FAILURE(compare());
  ASSERT_NO_FATAL_FAILURE(put_some(300));  // some come back
  EXPECT_FALSE(store.find("m3").empty());
  ASSERT_NO_FATAL_FAILURE(compare());
}

// A head that is flushed, and one that is filled to the same size after it, are two.
TEST_F(MetricStatsTest, HeadsOfOneSize) {
  for (int round = 0; round < 6; ++round) {
    ASSERT_TRUE(store.put(*groups_[static_cast<std::size_t>(round)], kStart + round * kHour, ones()));
    ASSERT_NO_FATAL_FAILURE(compare());
    settle();
  }
}

TEST_F(MetricStatsTest, OnlyWhereSumsPay) {
  const std::vector<std::string> one{"m0"};
  EXPECT_FALSE(engine.series().metric_stats(store.tenant(), one).has_value());  // of 300 series
  ASSERT_TRUE(engine.series().metric_stats(store.tenant(), metrics_).has_value());
  const auto mortal = store.group({"m0"}, {{"host", "mortal"}}, "t", 60);
  ASSERT_TRUE(store.put(*mortal, clock.now_ms(), {Value::of_long(1)}));
  EXPECT_FALSE(engine.series().metric_stats(store.tenant(), metrics_).has_value());  // it may have expired
}

}  // namespace
}  // namespace varve::engine::rocksdb
