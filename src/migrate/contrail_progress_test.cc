// SPDX-License-Identifier: Apache-2.0
#include "migrate/contrail_progress.h"

#include <gtest/gtest.h>

namespace varve::migrate {
namespace {

ContrailProgress some_contrail() {
  ContrailProgress progress;
  progress.source = "Test Cluster/ContrailAnalyticsCql";
  progress.target = "embedded /data tenant default";
  progress.started_ms = 1'790'000'000'000;
  for (const std::size_t i : {0, 1, 4095, 4096, 8191}) progress.done[i] = true;
  progress.totals.tables = {ContrailCount{10, 5, 2, 2, 1, 3, 1}, ContrailCount{7, 7, 0, 0, 0, 0, 0}};
  progress.totals.reasons = {{"it has no time", 1}, {"column1: 1 %\n", 1}};
  progress.totals.first_us = -1;
  progress.totals.last_us = 1'790'000'000'000'000;
  return progress;
}

TEST(ContrailProgress, ComesBack) {
  EXPECT_EQ(some_contrail().ranges_done(), 5U);
  for (const auto& progress : {some_contrail(), ContrailProgress()}) {
    const auto read = contrail_from_text(to_text(progress));
    ASSERT_TRUE(read) << read.error().message << to_text(progress);
    EXPECT_EQ(*read, progress);
  }
  EXPECT_NE(to_text(some_contrail()).find("\ndone 0-1,4095-4096,8191-8191\n"), std::string::npos);
  EXPECT_NE(to_text(some_contrail()).find("\nmessagetable 10 5 2 2 1 3 1\n"), std::string::npos);
}

TEST(ContrailProgress, DamageIsSeen) {
  const std::string good = to_text(some_contrail());
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(contrail_from_text(good.substr(0, size))) << size;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_FALSE(contrail_from_text(bad)) << i;
  }
}

TEST(ContrailTotals, ReasonsAreBounded) {
  ContrailTotals totals;
  for (int i = 0; i < 1000; ++i) totals.add_reason(std::to_string(i), 1);
  EXPECT_EQ(totals.reasons.size(), ContrailTotals::kReasonsMax + 1);
  EXPECT_EQ(totals.reasons["other reasons"], 1000 - ContrailTotals::kReasonsMax);
  totals.add(totals);
  EXPECT_EQ(totals.reasons["0"], 2U);
}

}  // namespace
}  // namespace varve::migrate
