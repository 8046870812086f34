// SPDX-License-Identifier: Apache-2.0
#include "write/metric_metadata.h"

#include <gtest/gtest.h>

#include <string>

#include "storage/testing/memory_store.h"
#include "storage/testing/memory_texts.h"

namespace varve::write {
namespace {

using model::MetricType;

class MetricMetadataTest : public ::testing::Test {
 protected:
  MetricMetadataTest() {
    for (const char* tenant : {"t", "u"}) EXPECT_TRUE(store_.tenant(tenant));
  }
  void say(MetricMetadataStore& to, const model::MetricMetadata& one, const std::string& tenant = "t") {
    NewMetadata news(to, tenant);
    news.take(one);
    to.keep(std::move(news));
    clock_.advance_ms(1);
  }
  void say(const model::MetricMetadata& one, const std::string& tenant = "t") { say(metadata_, one, tenant); }
  std::vector<KeptMetadata> of(const std::string& metric, const std::string& tenant = "t") {
    auto found = metadata_.of(tenant, metric);
    EXPECT_TRUE(found);
    return found->contains(metric) ? found->at(metric) : std::vector<KeptMetadata>();
  }

  storage::testing::MemoryStore store_;
  storage::testing::MemoryTexts texts_;
  ManualClock clock_;
  MetricMetadataStore metadata_{texts_, store_, clock_};
};

TEST_F(MetricMetadataTest, IsKeptByTenantAndMetric) {
  say({MetricType::counter, "a", "help \"1\"", "bytes"});
  say({MetricType::stateset, "b", "", ""});
  say({MetricType::gauge, "a", "another", ""}, "u");
  EXPECT_EQ(of("a"), (std::vector<KeptMetadata>{{MetricType::counter, "help \"1\"", "bytes"}}));
  EXPECT_EQ(of("b"), (std::vector<KeptMetadata>{{MetricType::stateset, "", ""}}));
  EXPECT_EQ(of("a", "u"), (std::vector<KeptMetadata>{{MetricType::gauge, "another", ""}}));
  EXPECT_EQ(metadata_.of("t", "")->size(), 2U);
  EXPECT_TRUE(metadata_.of("nobody", "")->empty());
}

TEST_F(MetricMetadataTest, OfATenantWithoutSeriesIsNotKeptAndTakenLater) {
  say({MetricType::gauge, "a", "x", ""}, "new");
  EXPECT_TRUE(of("a", "new").empty());
  EXPECT_TRUE(store_.tenant("new"));
  say({MetricType::gauge, "a", "x", ""}, "new");
  EXPECT_EQ(of("a", "new").size(), 1U);
}

TEST_F(MetricMetadataTest, WhatIsKnownIsNotTakenAgain) {
  say({MetricType::gauge, "a", "x", ""});
  NewMetadata news(metadata_, "t");
  news.take({MetricType::gauge, "a", "x", ""});
  EXPECT_TRUE(news.empty());
  news.take({MetricType::gauge, "a", "y", ""});
  EXPECT_FALSE(news.empty());
}

TEST_F(MetricMetadataTest, NewestFirstAndFourAtMost) {
  for (const char* help : {"1", "2", "3", "4", "5"}) {
    say({MetricType::gauge, "a", help, ""});
    EXPECT_TRUE(metadata_.flush());
  }
  std::string helps;
  for (const auto& one : of("a")) helps += one.help;
  EXPECT_EQ(helps, "5432");
}

TEST_F(MetricMetadataTest, IsCutAndLeftOutAtItsBounds) {
  say({MetricType::gauge, "long", std::string(kHelpBytesMax - 1, 'x') + "\xc3\xa4", std::string(64, 'u')});
  EXPECT_EQ(of("long"), (std::vector<KeptMetadata>{{MetricType::gauge, std::string(kHelpBytesMax - 1, 'x'), ""}}));
  say({MetricType::gauge, "bytes", "\xff", "\xff"});
  EXPECT_EQ(of("bytes"), (std::vector<KeptMetadata>{{MetricType::gauge, "", ""}}));
  say({static_cast<MetricType>(99), "odd", std::string("a\0b", 3),
       std::string("a\x1f"
                   "b")});
  EXPECT_EQ(of("odd"), (std::vector<KeptMetadata>{{MetricType::unknown, "a", ""}}));
  for (const std::string& name : {std::string(), std::string(513, 'm'), std::string("\0", 1), std::string("\xff")}) {
    NewMetadata news(metadata_, "t");
    news.take({MetricType::gauge, name, "x", ""});
    EXPECT_TRUE(news.empty());
  }
}

TEST_F(MetricMetadataTest, ATenantHasTenThousandMetrics) {
  for (std::size_t i = 0; i <= kMetadataMetricsMax; ++i) say({MetricType::gauge, "m" + std::to_string(i), "", ""});
  EXPECT_EQ(metadata_.of("t", "")->size(), kMetadataMetricsMax);
  // One that has some may get more, also after a restart.
  MetricMetadataStore again(texts_, store_, clock_);
  say(again, {MetricType::counter, "m1", "", ""});
  say(again, {MetricType::counter, "more", "", ""});
  EXPECT_EQ(again.of("t", "")->size(), kMetadataMetricsMax);
  EXPECT_EQ(again.of("t", "m1")->at("m1").size(), 2U);
}

}  // namespace
}  // namespace varve::write
