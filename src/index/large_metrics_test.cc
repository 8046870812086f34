// SPDX-License-Identifier: Apache-2.0
// What is counted of large metrics while they grow. Random ones are in index_model_test.cc, memory that runs out in
// memory_test.cc.
#include "index/large_metrics.h"

#include <gtest/gtest.h>

#include <string>

#include "index/catalog.h"
#include "index/metric_pairs.h"

namespace varve::index {
namespace {

TEST(PairCounts, FindsWhatWasAdded) {
  PairCounts counts;
  EXPECT_EQ(counts.find(0), nullptr);
  for (std::uint32_t n = 0; n < 1000; ++n) counts.add(n * 4096) = n;
  for (std::uint32_t n = 0; n < 1000; ++n) {
    ASSERT_NE(counts.find(n * 4096), nullptr);
    EXPECT_EQ(*counts.find(n * 4096), n);
    EXPECT_EQ(counts.find(n * 4096 + 1), nullptr);
  }
  EXPECT_EQ(counts.size(), 1000U);
  ++counts.add(4096);
  EXPECT_EQ(*counts.find(4096), 2U);
  EXPECT_EQ(counts.size(), 1000U);
  EXPECT_LE(counts.memory_bytes(), 2048U * 8);
}

// A metric is large from four series on, a pair is wide from three tag sets on.
class LargeMetricsTest : public ::testing::Test {
 protected:
  std::uint32_t pair(const std::string& key, const std::string& value) {
    std::uint32_t id = catalog_.find_key(tenant_, key);
    if (id == kNone) id = catalog_.add_key(tenant_, key);
    const std::uint32_t known = catalog_.find_pair(id, value);
    return known == kNone ? catalog_.add_pair(id, value) : known;
  }
  std::uint32_t metric(const std::string& name) {
    const std::uint32_t known = catalog_.find_metric(tenant_, name);
    return known == kNone ? catalog_.add_metric(tenant_, name) : known;
  }
  std::uint32_t define(const std::string& name, const std::string& host, const std::string& dc) {
    std::string coded;
    codec::append_varint(coded, pair("dc", dc));
    codec::append_varint(coded, pair("host", host));
    std::uint32_t tag_set = catalog_.find_tag_set(coded);
    if (tag_set == kNone) tag_set = catalog_.add_tag_set(coded);
    return catalog_.add_series(metric(name), tag_set);
  }
  std::uint32_t kept(const std::string& name, const std::string& dc) {
    return catalog_.large(metric(name)).count(pair("dc", dc));
  }
  // The values of the key between the ends of the metric's.
  std::string walked(const std::string& name, const std::string& key, const NamePage& page) {
    std::string out;
    MetricPairs(catalog_, metric(name)).walk_values(catalog_.find_key(tenant_, key), page, [&](std::uint32_t id) {
      out.append(catalog_.name_of(catalog_.pairs[id])).append(" ");
      return true;
    });
    return out;
  }

  Catalog catalog_{CountedFrom{.series = 4, .tag_sets = 3}};
  std::uint32_t tenant_ = catalog_.add_tenant("t");
};

TEST_F(LargeMetricsTest, AWidePairOfAMetricThatBecomesLarge) {
  for (const char* host : {"a", "b", "c"}) define("m", host, "x");
  EXPECT_TRUE(catalog_.is_wide(pair("dc", "x")));
  EXPECT_FALSE(catalog_.is_large(metric("m")));
  catalog_.forget(0);
  define("m", "d", "x");
  EXPECT_TRUE(catalog_.is_large(metric("m")));  // the forgotten one among them
  EXPECT_EQ(kept("m", "x"), 3U);
  catalog_.revive(0);
  EXPECT_EQ(kept("m", "x"), 4U);
}

TEST_F(LargeMetricsTest, APairOfALargeMetricThatBecomesWide) {
  for (const char* host : {"a", "b", "c", "d"}) define("m", host, "x");
  const auto one = define("m", "a", "y");
  const auto other = define("m", "b", "y");
  define("n", "b", "y");
  EXPECT_FALSE(catalog_.is_wide(pair("dc", "y")));
  EXPECT_EQ(kept("m", "y"), 0U);
  catalog_.forget(one);
  catalog_.forget(other);
  define("n", "c", "y");
  EXPECT_TRUE(catalog_.is_wide(pair("dc", "y")));
  EXPECT_EQ(kept("m", "y"), 0U);
  catalog_.revive(one);
  EXPECT_EQ(kept("m", "y"), 1U);
  define("m", "c", "y");  // its tag set was there before
  define("m", "z", "y");
  EXPECT_EQ(kept("m", "y"), 3U);
  EXPECT_EQ(kept("m", "x"), 4U);
}

TEST_F(LargeMetricsTest, ValuesOfOthersAreNotWalked) {
  for (char host = 'a'; host < 'z'; ++host) define("other", {host}, "x");
  pair("rack", "r");
  for (const char* host : {"m", "n", "k", "p"}) define("m", host, "y");
  EXPECT_EQ(walked("m", "host", {}), "k l m n o p ");
  EXPECT_EQ(walked("m", "host", {.after = "m"}), "n o p ");
  EXPECT_EQ(walked("m", "host", {.after = "b"}), "k l m n o p ");
  EXPECT_EQ(walked("m", "host", {.after = "o"}), "p ");
  EXPECT_EQ(walked("m", "host", {.after = "p"}), "");
  EXPECT_EQ(walked("m", "host", {.after = "q"}), "");
  EXPECT_EQ(walked("m", "host", {.prefix = "l"}), "l ");
  EXPECT_EQ(walked("m", "host", {.prefix = "b"}), "");
  EXPECT_EQ(walked("m", "host", {.prefix = "t"}), "");
  EXPECT_EQ(walked("m", "rack", {}), "");
  define("m", "c", "y");
  define("m", "zz", "y");
  EXPECT_EQ(walked("m", "host", {.after = "x"}), "y zz ");
  EXPECT_EQ(walked("m", "host", {.prefix = "c"}), "c ");
}

TEST_F(LargeMetricsTest, KeysThatItNeverHad) {
  for (const char* host : {"a", "b", "c", "d", "e"}) define("m", host, "x");
  pair("rack", "r");
  MetricPairs pairs(catalog_, metric("m"));
  EXPECT_TRUE(pairs.has_key(catalog_.find_key(tenant_, "dc")));
  EXPECT_TRUE(pairs.has_key(catalog_.find_key(tenant_, "host")));
  EXPECT_FALSE(pairs.has_key(catalog_.find_key(tenant_, "rack")));
  catalog_.forget(0);
  MetricPairs again(catalog_, metric("m"));
  EXPECT_TRUE(again.has_key(catalog_.find_key(tenant_, "host")));  // its first value is gone
  for (std::uint32_t id = 1; id < 5; ++id) catalog_.forget(id);
  MetricPairs gone(catalog_, metric("m"));
  EXPECT_FALSE(gone.has_key(catalog_.find_key(tenant_, "dc")));
  EXPECT_FALSE(gone.has_key(catalog_.find_key(tenant_, "host")));
}

}  // namespace
}  // namespace varve::index
