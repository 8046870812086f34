// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

namespace varve {
namespace {

TEST(Metrics, PrintsEachFamilyOnceWithItsHelpAndKind) {
  Metrics metrics;
  metrics.counter("a_total", "Number of a.").add(3);
  metrics.gauge("b", "Size of b.", [] { return 1.5; });
  metrics.counter("a_total", "Number of a.", {{"k", "v"}, {"l", "w"}}).add(16'000'000);
  EXPECT_EQ(metrics.text(),
            "# HELP a_total Number of a.\n# TYPE a_total counter\na_total 3\na_total{k=\"v\",l=\"w\"} 16000000\n"
            "# HELP b Size of b.\n# TYPE b gauge\nb 1.5\n");
}

TEST(Metrics, GivesTheSameCounterForTheSameLabels) {
  Metrics metrics;
  Counter& first = metrics.counter("a_total", "", {{"k", "v"}});
  EXPECT_EQ(&first, &metrics.counter("a_total", "", {{"k", "v"}}));
  EXPECT_NE(&first, &metrics.counter("a_total", "", {{"k", "w"}}));
}

TEST(Metrics, EscapesLabelValuesAndHelp) {
  Metrics metrics;
  metrics.counter("a_total", "say \"a\\b\"\nplease", {{"k", "\"\\\n"}});
  EXPECT_EQ(metrics.text(),
            "# HELP a_total say \"a\\\\b\"\\nplease\n# TYPE a_total counter\na_total{k=\"\\\"\\\\\\n\"} 0\n");
}

TEST(Metrics, HistogramBucketsAreCumulativeAndIncludeTheirBound) {
  Metrics metrics;
  Histogram& h = metrics.histogram("s", "", {0.5, 1});
  for (const double v : {0.5, 0.6, 1.0, 7.0}) h.observe(v);
  EXPECT_EQ(metrics.text(),
            "# HELP s \n# TYPE s histogram\ns_bucket{le=\"0.5\"} 1\ns_bucket{le=\"1\"} 3\ns_bucket{le=\"+Inf\"} 4\n"
            "s_sum 9.1\ns_count 4\n");
}

TEST(Metrics, ALaterGaugeReplacesTheFirst) {
  Metrics metrics;
  metrics.gauge("g", "", [] { return 1.0; });
  metrics.gauge("g", "", [] { return std::numeric_limits<double>::quiet_NaN(); });
  EXPECT_EQ(metrics.text(), "# HELP g \n# TYPE g gauge\ng NaN\n");
}

TEST(Metrics, LabelsMayComeAndGo) {
  Metrics metrics;
  std::vector<LabelledNumber> now;
  metrics.counter_of_each("c_total", "Of each.", "who", [&] { return now; });
  metrics.gauge_of_each("g", "", "who", [&] { return now; });
  EXPECT_EQ(metrics.text(), "# HELP c_total Of each.\n# TYPE c_total counter\n# HELP g \n# TYPE g gauge\n");
  now = {{"b", 2}, {"\"\\\n", 1.5}};
  EXPECT_EQ(metrics.text(),
            "# HELP c_total Of each.\n# TYPE c_total counter\nc_total{who=\"b\"} 2\nc_total{who=\"\\\"\\\\\\n\"} 1.5\n"
            "# HELP g \n# TYPE g gauge\ng{who=\"b\"} 2\ng{who=\"\\\"\\\\\\n\"} 1.5\n");
  EXPECT_TRUE(metrics.samples().empty());
  now.clear();
  EXPECT_EQ(metrics.text(), "# HELP c_total Of each.\n# TYPE c_total counter\n# HELP g \n# TYPE g gauge\n");
}

TEST(Metrics, ACounterMayBeRead) {
  Metrics metrics;
  metrics.counter_from("c_total", "", [] { return 7.0; });
  EXPECT_EQ(metrics.text(), "# HELP c_total \n# TYPE c_total counter\nc_total 7\n");
  EXPECT_EQ(metrics.samples().at(0).value, 7);
}

TEST(Metrics, WhatSeveralReadIsLookedAtOnce) {
  Metrics metrics;
  int looks = 0;
  metrics.before_reading([&] { ++looks; });
  metrics.gauge("a", "", [&] { return looks; });
  metrics.gauge("b", "", [&] { return looks; });
  EXPECT_NE(metrics.text().find("a 1\n"), std::string::npos);
  EXPECT_EQ(metrics.samples()[1].value, 2);
}

TEST(Metrics, SamplesAreTheNumbersOfTheText) {
  Metrics metrics;
  metrics.counter("a_total", "", {{"k", "v"}}).add(2);
  metrics.histogram("s", "", {1}).observe(3);
  const auto samples = metrics.samples();
  ASSERT_EQ(samples.size(), 5U);
  EXPECT_EQ(samples[0].name, "a_total");
  EXPECT_EQ(samples[0].labels.at(0).second, "v");
  EXPECT_EQ(samples[0].value, 2);
  EXPECT_EQ(samples[2].labels.at(0).second, "+Inf");
  EXPECT_EQ(samples[3].name, "s_sum");
  EXPECT_EQ(samples[3].value, 3);
}

TEST(Metrics, CountsFromManyThreads) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) metrics.counter("n_total", "", {{"k", i % 2 != 0 ? "a" : "b"}}).add();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(metrics.counter("n_total", "", {{"k", "a"}}).value(), 2000U);
}

}  // namespace
}  // namespace varve
