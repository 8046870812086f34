// SPDX-License-Identifier: Apache-2.0
#include "migrate/progress.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace varve::migrate {
namespace {

Progress some() {
  Progress progress;
  progress.source = "Test Cluster/kairosdb";
  progress.target = "embedded /data tenant=default";
  progress.started_ms = 1'790'000'000'000;
  for (const std::size_t i : {0, 1, 2, 7, 4095}) progress.done[i] = true;
  progress.totals.bad_keys = 3;
  progress.totals.other_types = {{"kairos_complex", 4}, {"", 5}};
  progress.totals.metrics = {{"cpu", {10, 7, 1, 1, 1, 1, 6, -5}}, {"a b%\n\xc3\xa9", {1, 1, 0, 0, 0, 0, 1, 9}}};
  return progress;
}

TEST(Progress, ComesBack) {
  EXPECT_EQ(some().ranges_done(), 5U);
  for (const auto& progress : {some(), Progress()}) {
    const auto read = from_text(to_text(progress));
    ASSERT_TRUE(read) << read.error().message << to_text(progress);
    EXPECT_EQ(*read, progress);
  }
  EXPECT_NE(to_text(some()).find("\ndone 0-2,7-7,4095-4095\n"), std::string::npos) << to_text(some());
  EXPECT_NE(to_text(some()).find("\nmetric a%20b%25%0a\xc3\xa9 1 1 0 0 0 0 1 9\n"), std::string::npos)
      << to_text(some());
}

TEST(Progress, DamageIsSeen) {
  const std::string good = to_text(some());
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(from_text(good.substr(0, size))) << size;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_FALSE(from_text(bad)) << i;
  }
}

TEST(Progress, IsReplacedAsAWhole) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "varve-progress";
  std::filesystem::create_directories(folder);
  const std::string path = folder / "p";
  std::filesystem::remove(path);
  auto none = load_progress(path);
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
  std::ofstream(path + ".new") << "left by a crash";
  ASSERT_TRUE(save_progress(path, Progress()));
  ASSERT_TRUE(save_progress(path, some()));
  EXPECT_EQ(**load_progress(path), some());
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  std::ofstream(path) << "something else";
  EXPECT_EQ(load_progress(path).error().code, Code::corrupt);
  EXPECT_EQ(save_progress(folder / "nowhere" / "p", some()).error().code, Code::io);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace varve::migrate
